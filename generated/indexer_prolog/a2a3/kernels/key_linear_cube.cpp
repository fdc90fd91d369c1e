// key_linear_cube: cube kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_linear; tiles d 64, k_f32_depth 896, k_f32_depth.l0 128, k_f32_part 1, t 64; memory L0A 32768 B, L0B 32768 B, L0C 32768 B, L1 458752 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_64x64 = TileAccCompact<float, 64, 64, DYNAMIC, 64>;
using MatB16_64x896 = Tile<TileType::Mat, bfloat16_t, 64, 896, BLayout::ColMajor, DYNAMIC, 896, SLayout::RowMajor, 512>;
using MatB16_896x64 = Tile<TileType::Mat, bfloat16_t, 896, 64, BLayout::ColMajor, 896, 64, SLayout::RowMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 896>, Stride<1, 1, 1, 7168, 1>>;
using WKGm = GlobalTensor<bfloat16_t, Shape<1, 4, 56, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using KF32PartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *k_f32_parts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_k,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t d0_buffer = 0;  // which of 2 buffers this iteration of d0 uses
    int32_t k_f32_depth0_buffer = 0;  // which of 2 buffers this iteration of k_f32_depth0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 63) / 64 * 8;  // of t0, k_f32_part0 and d0
    for (int32_t tile = block; tile < tiles; tile += nblk, d0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8 * 64;
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        const int32_t k_f32_part0 = tile / 2 % 4;
        const int32_t d0 = tile % 2 * 64;
        AccF32_64x64 k_f32_parts_acc(t0_valid); TASSIGN(k_f32_parts_acc, 0x00000 + d0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        for (int32_t k_f32_depth0 = 0; k_f32_depth0 < 1792; k_f32_depth0 += 896, k_f32_depth0_buffer ^= 1) {
            // k_f32: matmul(x, w_k, dtype=fp32)
            MatB16_64x896 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + k_f32_depth0_buffer * 0x1c000);  // L1 0x00000..0x38000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k_f32_depth0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(k_f32_part0) * 1792 + int64_t(k_f32_depth0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatB16_896x64 w_k_tile; TASSIGN(w_k_tile, 0x38000 + k_f32_depth0_buffer * 0x1c000);  // L1 0x38000..0x70000, 2 copies
            WKGm w_k_in(w_k + int64_t(k_f32_part0) * 28672 + int64_t(d0) * 7168 + int64_t(k_f32_depth0) * 16);
            TLOAD(w_k_tile, w_k_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k_f32_depth0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k_f32_depth0_buffer));
            for (int32_t k1 = 0; k1 < 896; k1 += 128, k1_buffer ^= 1) {
                LeftB16_64x128 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightB16_128x64 w_k_tile_l0b; TASSIGN(w_k_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_k_tile_l0b, w_k_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k_f32_depth0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(k_f32_parts_acc, x_tile_l0a, w_k_tile_l0b);
                } else if (k1 + k_f32_depth0 + 128 < 1792) {
                    TMATMUL_ACC<AccPhase::Partial>(k_f32_parts_acc, k_f32_parts_acc, x_tile_l0a, w_k_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(k_f32_parts_acc, k_f32_parts_acc, x_tile_l0a, w_k_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k_f32_depth0_buffer));
        }
        KF32PartsGm k_f32_parts_out(k_f32_parts + int64_t(k_f32_part0) * t * 128 + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TSTORE<STPhase::Final>(k_f32_parts_out, k_f32_parts_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_linear_cube(
    __gm__ float *k_f32_parts, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w_k, int32_t t_begin, int32_t t_end,
    int32_t t, int32_t nblk)
{
    run_block(k_f32_parts, x, w_k, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
