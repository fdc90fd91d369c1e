// unit_vec1: vector kernel of `moe_combine` for cpu. Made by pyptogen; change the spec, not this file.
// stages unit; tiles once 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using E1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void unit_vec1(
    __gm__ int32_t *e_1,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t once = block; once < 1; once += nblk) {
        // e: cast(one_hot(arange(k), k), fp32)  [moe_combine.yaml:25]
        VecI32_1x8 run; TASSIGN(run, 0x00000);  // UB 0x00000..0x00020
        TCI<VecI32_1x8, int32_t, 0>(run, 0);
        E1Gm e_1_out(e_1);
        TSTORE(e_1_out, run);
    }
#endif
}
