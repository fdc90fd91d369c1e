// inverse_vec2: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles copy_1_columns 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using CopyGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void inverse_vec2(
    __gm__ int32_t *copy,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t copy_1_columns0 = block * 4096; copy_1_columns0 < t * 8; copy_1_columns0 += nblk * 4096) {
        const int32_t copy_1_columns0_valid = t * 8 - copy_1_columns0 < 4096 ? t * 8 - copy_1_columns0 : 4096;
        // copy:   reshape(arange(t * k), [t * k, 1])
        VecI32_1x4096 copy_1_view(copy_1_columns0_valid); TASSIGN(copy_1_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(copy_1_view, copy_1_columns0);
        CopyGm copy_out(copy + int64_t(copy_1_columns0), {copy_1_columns0_valid});
        TSTORE(copy_out, copy_1_view);
    }
#endif
}
