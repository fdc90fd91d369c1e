// attend_cube1: cube kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles selected 32, t 1; memory L0A 36864 B, L0B 36864 B, L0C 8192 B, L1 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_16x576 = Tile<TileType::Mat, bfloat16_t, 16, 576, BLayout::ColMajor, 16, 576, SLayout::RowMajor, 512>;
using MatZnB16_576x32 = Tile<TileType::Mat, bfloat16_t, 576, 32, BLayout::RowMajor, 576, 32, SLayout::ColMajor, 512>;
using LeftB16_16x576 = TileLeft<bfloat16_t, 16, 576, 16, 576>;
using RightB16_576x32 = TileRight<bfloat16_t, 576, 32, 576, 32>;
using AccF32_16x32 = TileAcc<float, 16, 32, 16, 32>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 576>, Stride<1, 1, 1, 576, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 576, 32>, Stride<1, 1, 1, 1, 576>, Layout::DN>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *o_qk,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
        MatB16_16x576 q_tile; TASSIGN(q_tile, 0x00000 + t0_buffer * 0x09000);  // L1 0x00000..0x12000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        QGm q_in(q + int64_t(t0) * 9216);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + t0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + t0_buffer));
        for (int32_t selected0 = 0; selected0 < 2048; selected0 += 32, selected0_buffer ^= 1) {
            MatZnB16_576x32 rows_tile; TASSIGN(rows_tile, 0x12000 + selected0_buffer * 0x09000);  // L1 0x12000..0x24000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(selected0_buffer));  // free again
            RowsGm rows_in(rows + int64_t(t0) * 1179648 + int64_t(selected0) * 576);
            TLOAD(rows_tile, rows_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(selected0_buffer));
            LeftB16_16x576 q_tile_l0a; TASSIGN<0x00000>(q_tile_l0a);  // L0A 0x00000..0x09000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
            TEXTRACT(q_tile_l0a, q_tile, 0, 0);
            RightB16_576x32 rows_tile_l0b; TASSIGN<0x00000>(rows_tile_l0b);  // L0B 0x00000..0x09000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(selected0_buffer));
            TEXTRACT(rows_tile_l0b, rows_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(selected0_buffer));
            AccF32_16x32 o_qk_acc; TASSIGN(o_qk_acc, 0x00000 + selected0_buffer * 0x01000);  // L0C 0x00000..0x02000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            wait_flag(PIPE_FIX, PIPE_M, event_t(selected0_buffer));  // free again
            TMATMUL(o_qk_acc, q_tile_l0a, rows_tile_l0b);
            set_flag(PIPE_M, PIPE_FIX, event_t(selected0_buffer));
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            wait_flag(PIPE_M, PIPE_FIX, event_t(selected0_buffer));
            OQkGm o_qk_out(o_qk + int64_t(t0) * 32768 + int64_t(selected0));
            TSTORE(o_qk_out, o_qk_acc);
            set_flag(PIPE_FIX, PIPE_M, event_t(selected0_buffer));
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + t0_buffer));
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *o_qk, __gm__ bfloat16_t *q, __gm__ bfloat16_t *rows, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(o_qk, q, rows, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
