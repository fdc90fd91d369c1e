// head_weights_cube: cube kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages head_weights; tiles t 128, w_b_depth 256, w_b_depth.l0 128, w_b_part 1; memory L0A 65536 B, L0B 32768 B, L0C 65536 B, L1 196608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x64 = TileAccCompact<float, 128, 64, DYNAMIC, 64>;
using MatB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatB16_256x64 = Tile<TileType::Mat, bfloat16_t, 256, 64, BLayout::ColMajor, 256, 64, SLayout::RowMajor, 512>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 7168, 1>>;
using WProjGm = GlobalTensor<bfloat16_t, Shape<1, 4, 16, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using WBPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *w_b_parts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t w_b_part0_buffer = 0;  // which of 2 buffers this iteration of w_b_part0 uses
    int32_t w_b_depth0_buffer = 0;  // which of 2 buffers this iteration of w_b_depth0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 4;  // of t0 and w_b_part0
    for (int32_t tile = block; tile < tiles; tile += nblk, w_b_part0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 4 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t w_b_part0 = tile % 4;
        AccF32_128x64 w_b_parts_acc(t0_valid); TASSIGN(w_b_parts_acc, 0x00000 + w_b_part0_buffer * 0x08000);  // L0C 0x00000..0x10000, 2 copies
        for (int32_t w_b_depth0 = 0; w_b_depth0 < 1792; w_b_depth0 += 256, w_b_depth0_buffer ^= 1) {
            // w_b:     matmul(x, w_proj, dtype=bf16)
            MatB16_128x256 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + w_b_depth0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(w_b_depth0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(w_b_part0) * 1792 + int64_t(w_b_depth0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatB16_256x64 w_proj_tile; TASSIGN(w_proj_tile, 0x20000 + w_b_depth0_buffer * 0x08000);  // L1 0x20000..0x30000, 2 copies
            WProjGm w_proj_in(w_proj + int64_t(w_b_part0) * 28672 + int64_t(w_b_depth0) * 16);
            TLOAD(w_proj_tile, w_proj_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(w_b_depth0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(w_b_depth0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 128, k1_buffer ^= 1) {
                LeftB16_128x128 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightB16_128x64 w_proj_tile_l0b; TASSIGN(w_proj_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_proj_tile_l0b, w_proj_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (w_b_depth0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(w_b_parts_acc, x_tile_l0a, w_proj_tile_l0b);
                } else if (k1 + w_b_depth0 + 128 < 1792) {
                    TMATMUL_ACC<AccPhase::Partial>(w_b_parts_acc, w_b_parts_acc, x_tile_l0a, w_proj_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(w_b_parts_acc, w_b_parts_acc, x_tile_l0a, w_proj_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(w_b_depth0_buffer));
        }
        WBPartsGm w_b_parts_out(w_b_parts + int64_t(t) * w_b_part0 * 64 + int64_t(t0) * 64, {t0_valid});
        TSTORE<STPhase::Final>(w_b_parts_out, w_b_parts_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void head_weights_cube(
    __gm__ float *w_b_parts, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w_proj, int32_t t_begin, int32_t t_end,
    int32_t t, int32_t nblk)
{
    run_block(w_b_parts, x, w_proj, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
