// down: cube kernel of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
// stages down; tiles f 512, f.l0 64, h 128, t 128; memory L0A 16384 B, L0B 16384 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccI32_128x128 = TileAccCompact<int32_t, 128, 128, DYNAMIC, 128>;
using MatI8_128x512 = Tile<TileType::Mat, int8_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatI8_512x128 = Tile<TileType::Mat, int8_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftI8_128x64 = TileLeft<int8_t, 128, 64, DYNAMIC, 64>;
using RightI8_64x128 = TileRight<int8_t, 64, 128, 64, 128>;
using AQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1536, 1>>;
using WDownGm = GlobalTensor<int8_t, Shape<1, 4, 32, 16, 32>, Stride<1, 49152, 512, 32, 1>, Layout::NZ>;
using DownIGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 5120, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *down_i,
    __gm__ int8_t *a_q,
    __gm__ int8_t *w_down,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t f0_buffer = 0;  // which of 2 buffers this iteration of f0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 40;  // of t0 and h0
    for (int32_t tile = block; tile < tiles; tile += nblk, h0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 40 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t h0 = tile % 40 * 128;
        AccI32_128x128 down_i_acc(t0_valid); TASSIGN(down_i_acc, 0x00000 + h0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t f0 = 0; f0 < 1536; f0 += 512, f0_buffer ^= 1) {
            // down_i: matmul(a_q, w_down, dtype=int32)
            MatI8_128x512 a_q_tile(t0_valid); TASSIGN(a_q_tile, 0x00000 + f0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(f0_buffer));  // free again
            AQGm a_q_in(a_q + int64_t(t0) * 1536 + int64_t(f0), {t0_valid});
            TLOAD(a_q_tile, a_q_in);
            MatI8_512x128 w_down_tile; TASSIGN(w_down_tile, 0x20000 + f0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            WDownGm w_down_in(w_down + int64_t(h0) * 1536 + int64_t(f0) * 32);
            TLOAD(w_down_tile, w_down_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(f0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(f0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 64, k1_buffer ^= 1) {
                LeftI8_128x64 a_q_tile_l0a(t0_valid); TASSIGN(a_q_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(a_q_tile_l0a, a_q_tile, 0, k1);
                RightI8_64x128 w_down_tile_l0b; TASSIGN(w_down_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_down_tile_l0b, w_down_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (f0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(down_i_acc, a_q_tile_l0a, w_down_tile_l0b);
                } else if (f0 + k1 + 64 < 1536) {
                    TMATMUL_ACC<AccPhase::Partial>(down_i_acc, down_i_acc, a_q_tile_l0a, w_down_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(down_i_acc, down_i_acc, a_q_tile_l0a, w_down_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(f0_buffer));
        }
        DownIGm down_i_out(down_i + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
        TSTORE<STPhase::Final>(down_i_out, down_i_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void down(
    __gm__ int32_t *down_i, __gm__ int8_t *a_q, __gm__ int8_t *w_down, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(down_i, a_q, w_down, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
