// add: cube kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 128, t 1; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_16x128_r1 = TileAcc<float, 16, 128, 1, 128>;
using MatB16_16x128_r1 = Tile<TileType::Mat, bfloat16_t, 16, 128, BLayout::ColMajor, 1, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
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
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    int32_t bag0_slot = 0;  // which of 2 buffers this round of bag0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        AccF32_16x128_r1 y_3_acc; TASSIGN(y_3_acc, 0x00000 + t0_slot * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_FIX, PIPE_M, event_t(t0_slot));  // free again
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 128, bag0_slot ^= 1) {
            const int32_t bag0_valid = bag - bag0 < 128 ? bag - bag0 : 128;
            // y: reshape(matmul(reshape(there, [t, 1, bag]), reshape(rows, [t, bag, h]), dtype=bf16), [t, h])  [embedding_bag.yaml:22]
            MatB16_16x128_r1 there_tile(bag0_valid); TASSIGN(there_tile, 0x00000 + bag0_slot * 0x02000);  // L1 0x00000..0x04000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + bag0_slot));  // free again
            ThereGm there_in(there + int64_t(bag) * t0 + int64_t(bag0), {bag0_valid}, {int64_t(bag)});
            TLOAD(there_tile, there_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + bag0_slot));
            MatB16_128x128 rows_tile(bag0_valid); TASSIGN(rows_tile, 0x04000 + bag0_slot * 0x08000);  // L1 0x04000..0x14000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(bag0_slot));  // free again
            RowsGm rows_in(rows + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            TLOAD(rows_tile, rows_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(bag0_slot));
            LeftB16_16x128_r1 there_tile_l0a(bag0_valid); TASSIGN(there_tile_l0a, 0x00000 + bag0_slot * 0x02000);  // L0A 0x00000..0x04000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(bag0_slot));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + bag0_slot));
            TEXTRACT(there_tile_l0a, there_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + bag0_slot));
            RightB16_128x128 rows_tile_l0b(bag0_valid); TASSIGN(rows_tile_l0b, 0x00000 + bag0_slot * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(bag0_slot));
            TEXTRACT(rows_tile_l0b, rows_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(bag0_slot));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(bag0_slot));
            wait_flag(PIPE_MTE1, PIPE_M, event_t(bag0_slot));
            if (bag0 == 0) {
                TMATMUL(y_3_acc, there_tile_l0a, rows_tile_l0b);
            } else {
                TMATMUL_ACC(y_3_acc, y_3_acc, there_tile_l0a, rows_tile_l0b);
            }
            set_flag(PIPE_M, PIPE_MTE1, event_t(bag0_slot));
        }
        set_flag(PIPE_M, PIPE_FIX, event_t(t0_slot));
        wait_flag(PIPE_M, PIPE_FIX, event_t(t0_slot));
        YGm y_out(y + int64_t(t0) * 128);
        TSTORE(y_out, y_3_acc);
        set_flag(PIPE_FIX, PIPE_M, event_t(t0_slot));
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
#endif
}
