// head_weights_cube: cube kernel of `indexer_prolog_v4` for a2a3. Made by pyptogen; change the spec, not this file.
// stages head_weights; tiles h 512, h.l0 128, heads 32, t 32; memory L0A 16384 B, L0B 16384 B, L0C 8192 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_32x32 = TileAccCompact<float, 32, 32, DYNAMIC, 32>;
using MatB16_32x512 = Tile<TileType::Mat, bfloat16_t, 32, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatB16_512x32 = Tile<TileType::Mat, bfloat16_t, 512, 32, BLayout::ColMajor, 512, 32, SLayout::RowMajor, 512>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, DYNAMIC, 128>;
using RightB16_128x32 = TileRight<bfloat16_t, 128, 32, 128, 32>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 4096, 1>>;
using WProjGm = GlobalTensor<bfloat16_t, Shape<1, 2, 32, 16, 16>, Stride<1, 65536, 256, 16, 1>, Layout::NZ>;
using WBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *w_b,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 2;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t heads0 = tile % 2 * 32;
        AccF32_32x32 w_b_acc(t0_valid); TASSIGN(w_b_acc, 0x00000 + heads0_buffer * 0x01000);  // L0C 0x00000..0x02000, 2 copies
        for (int32_t h0 = 0; h0 < 4096; h0 += 512, h0_buffer ^= 1) {
            // w_b:     matmul(x, w_proj, dtype=bf16)
            MatB16_32x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + h0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 4096 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatB16_512x32 w_proj_tile; TASSIGN(w_proj_tile, 0x10000 + h0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            WProjGm w_proj_in(w_proj + int64_t(heads0) * 4096 + int64_t(h0) * 16);
            TLOAD(w_proj_tile, w_proj_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                LeftB16_32x128 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightB16_128x32 w_proj_tile_l0b; TASSIGN(w_proj_tile_l0b, 0x00000 + k1_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                TEXTRACT(w_proj_tile_l0b, w_proj_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(w_b_acc, x_tile_l0a, w_proj_tile_l0b);
                } else if (h0 + k1 + 128 < 4096) {
                    TMATMUL_ACC<AccPhase::Partial>(w_b_acc, w_b_acc, x_tile_l0a, w_proj_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(w_b_acc, w_b_acc, x_tile_l0a, w_proj_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        WBGm w_b_out(w_b + int64_t(t0) * 64 + int64_t(heads0), {t0_valid});
        TSTORE<STPhase::Final>(w_b_out, w_b_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void head_weights_cube(
    __gm__ bfloat16_t *w_b, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w_proj, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(w_b, x, w_proj, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
