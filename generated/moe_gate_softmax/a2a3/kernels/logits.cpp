// logits: cube kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages logits; tiles experts 64, h 512, h.l0 128, t 128; memory L0A 65536 B, L0B 32768 B, L0C 65536 B, L1 393216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x64 = TileAccCompact<float, 128, 64, DYNAMIC, 64>;
using MatB16_128x512 = Tile<TileType::Mat, bfloat16_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatB16_512x64 = Tile<TileType::Mat, bfloat16_t, 512, 64, BLayout::ColMajor, 512, 64, SLayout::RowMajor, 512>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 2048, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 4, 32, 16, 16>, Stride<1, 32768, 256, 16, 1>, Layout::NZ>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ float *l,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
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
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 8;  // of t0 and experts0
    for (int32_t tile = block; tile < tiles; tile += nblk, experts0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t experts0 = tile % 8 * 64;
        AccF32_128x64 l_acc(t0_valid); TASSIGN(l_acc, 0x00000 + experts0_buffer * 0x08000);  // L0C 0x00000..0x10000, 2 copies
        for (int32_t h0 = 0; h0 < 2048; h0 += 512, h0_buffer ^= 1) {
            // l: matmul(x, w, dtype=fp32)
            MatB16_128x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + h0_buffer * 0x20000);  // L1 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 2048 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatB16_512x64 w_tile; TASSIGN(w_tile, 0x40000 + h0_buffer * 0x10000);  // L1 0x40000..0x60000, 2 copies
            WGm w_in(w + int64_t(experts0) * 2048 + int64_t(h0) * 16);
            TLOAD(w_tile, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                LeftB16_128x128 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightB16_128x64 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(l_acc, x_tile_l0a, w_tile_l0b);
                } else if (h0 + k1 + 128 < 2048) {
                    TMATMUL_ACC<AccPhase::Partial>(l_acc, l_acc, x_tile_l0a, w_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(l_acc, l_acc, x_tile_l0a, w_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        LGm l_out(l + int64_t(t0) * 512 + int64_t(experts0), {t0_valid});
        TSTORE<STPhase::Final>(l_out, l_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void logits(
    __gm__ float *l, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(l, x, w, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
