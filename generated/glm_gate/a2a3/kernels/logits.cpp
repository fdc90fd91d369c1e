// logits: cube kernel of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
// stages logits; tiles experts 32, h 256, h.l0 64, t 64; memory L0A 32768 B, L0B 16384 B, L0C 16384 B, L1 196608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_64x32 = TileAccCompact<float, 64, 32, DYNAMIC, 32>;
using MatF32_64x256 = Tile<TileType::Mat, float, 64, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatF32_256x32 = Tile<TileType::Mat, float, 256, 32, BLayout::ColMajor, 256, 32, SLayout::RowMajor, 512>;
using LeftF32_64x64 = TileLeft<float, 64, 64, DYNAMIC, 64>;
using RightF32_64x32 = TileRight<float, 64, 32, 64, 32>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 5120, 1>>;
using WGm = GlobalTensor<float, Shape<1, 4, 16, 16, 8>, Stride<1, 40960, 128, 8, 1>, Layout::NZ>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 160, 1>>;

AICORE inline void run_block(
    __gm__ float *l,
    __gm__ float *x,
    __gm__ float *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t experts0_buffer = 0;  // which of 2 buffers this iteration of experts0 uses
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 63) / 64 * 5;  // of t0 and experts0
    for (int32_t tile = block; tile < tiles; tile += nblk, experts0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 5 * 64;
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        const int32_t experts0 = tile % 5 * 32;
        AccF32_64x32 l_acc(t0_valid); TASSIGN(l_acc, 0x00000 + experts0_buffer * 0x02000);  // L0C 0x00000..0x04000, 2 copies
        wait_flag(PIPE_FIX, PIPE_M, event_t(experts0_buffer));  // free again
        for (int32_t h0 = 0; h0 < 5120; h0 += 256, h0_buffer ^= 1) {
            // l: matmul(x, w, dtype=fp32)
            MatF32_64x256 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + h0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 5120 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatF32_256x32 w_tile; TASSIGN(w_tile, 0x20000 + h0_buffer * 0x08000);  // L1 0x20000..0x30000, 2 copies
            WGm w_in(w + int64_t(experts0) * 5120 + int64_t(h0) * 8);
            TLOAD(w_tile, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 64, k1_buffer ^= 1) {
                LeftF32_64x64 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightF32_64x32 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL(l_acc, x_tile_l0a, w_tile_l0b);
                } else {
                    TMATMUL_ACC(l_acc, l_acc, x_tile_l0a, w_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        set_flag(PIPE_M, PIPE_FIX, event_t(experts0_buffer));
        wait_flag(PIPE_M, PIPE_FIX, event_t(experts0_buffer));
        LGm l_out(l + int64_t(t0) * 160 + int64_t(experts0), {t0_valid});
        TSTORE(l_out, l_acc);
        set_flag(PIPE_FIX, PIPE_M, event_t(experts0_buffer));
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void logits(
    __gm__ float *l, __gm__ float *x, __gm__ float *w, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(l, x, w, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
