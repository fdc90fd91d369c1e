// add: cube kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 128, t 1; memory L0A 8192 B, L0B 32768 B, L0C 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_16x128_r1 = TileAcc<float, 16, 128, 1, 128>;
using LeftB16_16x128_r1 = TileLeft<bfloat16_t, 16, 128, 1, DYNAMIC>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, DYNAMIC, 128>;
using ThereGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void add(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *there,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        AccF32_16x128_r1 y_3_acc; TASSIGN(y_3_acc, 0x00000);  // L0C 0x00000..0x04000
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 128) {
            const int32_t bag0_valid = bag - bag0 < 128 ? bag - bag0 : 128;
            // y: reshape(matmul(reshape(there, [t, 1, bag]), reshape(rows, [t, bag, h]), dtype=bf16), [t, h])  [embedding_bag.yaml:22]
            LeftB16_16x128_r1 there_tile(bag0_valid); TASSIGN(there_tile, 0x00000);  // L0A 0x00000..0x02000
            ThereGm there_in(there + int64_t(bag) * t0 + int64_t(bag0), {bag0_valid}, {int64_t(bag)});
            TLOAD(there_tile, there_in);
            RightB16_128x128 rows_tile(bag0_valid); TASSIGN(rows_tile, 0x00000);  // L0B 0x00000..0x08000
            RowsGm rows_in(rows + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            TLOAD(rows_tile, rows_in);
            if (bag0 == 0) {
                TMATMUL(y_3_acc, there_tile, rows_tile);
            } else {
                TMATMUL_ACC(y_3_acc, y_3_acc, there_tile, rows_tile);
            }
        }
        YGm y_out(y + int64_t(t0) * 128);
        TSTORE(y_out, y_3_acc);
    }
#endif
}
