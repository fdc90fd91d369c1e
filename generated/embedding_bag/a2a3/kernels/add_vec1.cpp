// add_vec1: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 1, t 1; memory UB 1696 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, DYNAMIC, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using Each2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using Each3Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec1(
    __gm__ float *each_2,
    __gm__ float *each_3,
    __gm__ int32_t *token,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t bag0_slot = 0;  // which of 2 buffers this round of bag0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        for (int32_t bag0 = 0; bag0 < bag; ++bag0, bag0_slot ^= 1) {
            // there: clip(token + 1, 0, 1)  [embedding_bag.yaml:21]
            VecI32_1x8_c1 token_tile; TASSIGN(token_tile, 0x00000 + bag0_slot * 0x00020);  // UB 0x00000..0x00040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + bag0_slot));  // free again
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + bag0_slot));
            // each: cast(reshape(rows, [t, bag, h]), fp32) * cast(there, fp32)[:, :, None]  [embedding_bag.yaml:22]
            VecB16_1x128 rows_tile; TASSIGN(rows_tile, 0x00040 + bag0_slot * 0x00100);  // UB 0x00040..0x00240, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));  // free again
            RowsGm rows_in(rows + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128);
            TLOAD(rows_tile, rows_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            // there: clip(token + 1, 0, 1)  [embedding_bag.yaml:21]
            VecI32_1x8_c1 there_1; TASSIGN(there_1, 0x00680);  // UB 0x00680..0x006a0
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + bag0_slot));
            TADDS(there_1, token_tile, 1);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + bag0_slot));
            VecI32_1x8_c1 there_2; TASSIGN(there_2, 0x00680);  // UB 0x00680..0x006a0
            pipe_barrier(PIPE_V);
            TMAXS(there_2, there_1, 0);
            VecI32_1x8_c1 there; TASSIGN(there, 0x00680);  // UB 0x00680..0x006a0
            pipe_barrier(PIPE_V);
            TMINS(there, there_2, 1);
            // each: cast(reshape(rows, [t, bag, h]), fp32) * cast(there, fp32)[:, :, None]  [embedding_bag.yaml:22]
            VecF32_1x128 each_2_tile; TASSIGN(each_2_tile, 0x00240 + bag0_slot * 0x00200);  // UB 0x00240..0x00640, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + bag0_slot));  // free again
            TCVT(each_2_tile, rows_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + bag0_slot));
            VecF32_1x8_c1 each_3_tile; TASSIGN(each_3_tile, 0x00640 + bag0_slot * 0x00020);  // UB 0x00640..0x00680, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));  // free again
            TCVT(each_3_tile, there, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + bag0_slot));
            Each2Gm each_2_out(each_2 + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128);
            TSTORE(each_2_out, each_2_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + bag0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            Each3Gm each_3_out(each_3 + int64_t(bag) * t0 + int64_t(bag0), {}, {int64_t(bag)});
            TSTORE(each_3_out, each_3_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
#endif
}
