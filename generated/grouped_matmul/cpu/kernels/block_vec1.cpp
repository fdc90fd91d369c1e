// block_vec1: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using Done1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void block_vec1(
    __gm__ int32_t *done_1,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t blocks0 = block * 4096; blocks0 < full + 16; blocks0 += nblk * 4096) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 4096 ? full + 16 - blocks0 : 4096;
        // done:   cast(reshape(arange(blocks), [blocks, 1]) >= upto, int32)
        VecI32_1x4096 done_1_view(blocks0_valid); TASSIGN(done_1_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(done_1_view, blocks0);
        Done1Gm done_1_out(done_1 + int64_t(blocks0), {blocks0_valid});
        TSTORE(done_1_out, done_1_view);
    }
#endif
}
