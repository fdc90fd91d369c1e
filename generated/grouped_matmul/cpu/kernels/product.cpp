// product: cube kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages product; tiles blocks 1, n 256; memory L0A 32768 B, L0B 262144 B, L0C 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_32x512 = TileLeft<bfloat16_t, 32, 512, 32, 512>;
using RightB16_512x256 = TileRight<bfloat16_t, 512, 256, 512, 256>;
using AccF32_32x256 = TileAcc<float, 32, 256, 32, 256>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 512>, Stride<1, 1, 1, 512, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 256>, Stride<1, 1, 1, 16384, 1>, Layout::CPU_PACKED>;
using YBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 256>, Stride<1, 1, 1, 512, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}
}  // namespace

extern "C" __global__ AICORE void product(
    __gm__ bfloat16_t *y_b,
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *w,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t blocks0 = block; blocks0 < full + 16; blocks0 += nblk) {
        // y_b: matmul(rows, w_b, dtype=bf16)
        LeftB16_32x512 rows_tile; TASSIGN(rows_tile, 0x00000);  // L0A 0x00000..0x08000
        RowsGm rows_in(rows + int64_t(blocks0) * 16384);
        TLOAD(rows_tile, rows_in);
        const int64_t group_here = index_inside(group[int64_t(blocks0)], 16, 0);
        for (int32_t n0 = 0; n0 < 512; n0 += 256) {
            RightB16_512x256 w_b; TASSIGN(w_b, 0x00000);  // L0B 0x00000..0x40000
            WGm w_in(w + int64_t(group_here) * 262144 + int64_t(n0) * 512);
            TLOAD(w_b, w_in);
            AccF32_32x256 y_b_acc; TASSIGN(y_b_acc, 0x00000);  // L0C 0x00000..0x08000
            TMATMUL(y_b_acc, rows_tile, w_b);
            YBGm y_b_out(y_b + int64_t(blocks0) * 16384 + int64_t(n0));
            TSTORE(y_b_out, y_b_acc);
        }
    }
#endif
}
