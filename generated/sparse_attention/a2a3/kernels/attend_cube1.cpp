// attend_cube1: cube kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles selected 512, t 1, width 128, width.l0 32; memory L0A 4096 B, L0B 65536 B, L0C 131072 B, L1 278528 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_16x512 = TileAcc<float, 16, 512, 16, 512>;
using MatB16_16x128 = Tile<TileType::Mat, bfloat16_t, 16, 128, BLayout::ColMajor, 16, DYNAMIC, SLayout::RowMajor, 512>;
using MatZnB16_128x512 = Tile<TileType::Mat, bfloat16_t, 128, 512, BLayout::RowMajor, DYNAMIC, 512, SLayout::ColMajor, 512>;
using LeftB16_16x32 = TileLeft<bfloat16_t, 16, 32, 16, DYNAMIC>;
using RightB16_32x512 = TileRight<bfloat16_t, 32, 512, DYNAMIC, 512>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, 576, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1, 576>, Layout::DN>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 2048, 1>>;

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
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    int32_t width0_buffer = 0;  // which of 2 buffers this iteration of width0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 4;  // of t0 and selected0
    for (int32_t tile = block; tile < tiles; tile += nblk, selected0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 4;
        const int32_t selected0 = tile % 4 * 512;
        AccF32_16x512 o_qk_acc; TASSIGN(o_qk_acc, 0x00000 + selected0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t width0 = 0; width0 < 576; width0 += 128, width0_buffer ^= 1) {
            const int32_t width0_valid = 576 - width0 < 128 ? 576 - width0 : 128;
            // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
            MatB16_16x128 q_tile(width0_valid); TASSIGN(q_tile, 0x00000 + width0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(width0_buffer));  // free again
            QGm q_in(q + int64_t(t0) * 9216 + int64_t(width0), {width0_valid});
            TLOAD(q_tile, q_in);
            MatZnB16_128x512 rows_tile(width0_valid); TASSIGN(rows_tile, 0x04000 + width0_buffer * 0x20000);  // L1 0x04000..0x44000, 2 copies
            RowsGm rows_in(rows + int64_t(t0) * 1179648 + int64_t(selected0) * 576 + int64_t(width0), {width0_valid});
            TLOAD(rows_tile, rows_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(width0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(width0_buffer));
            for (int32_t k1 = 0; k1 < width0_valid; k1 += 32, k1_buffer ^= 1) {
                const int32_t k1_valid = width0_valid - k1 < 32 ? width0_valid - k1 : 32;
                LeftB16_16x32 q_tile_l0a(k1_valid); TASSIGN(q_tile_l0a, 0x00000 + k1_buffer * 0x00800);  // L0A 0x00000..0x01000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(q_tile_l0a, q_tile, 0, k1);
                RightB16_32x512 rows_tile_l0b(k1_valid); TASSIGN(rows_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(rows_tile_l0b, rows_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (width0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(o_qk_acc, q_tile_l0a, rows_tile_l0b);
                } else if (k1 + width0 + 32 < 576) {
                    TMATMUL_ACC<AccPhase::Partial>(o_qk_acc, o_qk_acc, q_tile_l0a, rows_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(o_qk_acc, o_qk_acc, q_tile_l0a, rows_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(width0_buffer));
        }
        OQkGm o_qk_out(o_qk + int64_t(t0) * 32768 + int64_t(selected0));
        TSTORE<STPhase::Final>(o_qk_out, o_qk_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *o_qk, __gm__ bfloat16_t *q, __gm__ bfloat16_t *rows, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(o_qk, q, rows, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
