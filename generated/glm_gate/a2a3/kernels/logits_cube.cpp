// logits_cube: cube kernel of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
// stages logits; tiles experts 80, l_depth 256, l_depth.l0 64, l_part 1, t 128; memory L0A 65536 B, L0B 49152 B, L0C 81920 B, L1 425984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x80 = TileAccCompact<float, 128, 80, DYNAMIC, 80>;
using MatF32_128x256 = Tile<TileType::Mat, float, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatF32_256x80 = Tile<TileType::Mat, float, 256, 80, BLayout::ColMajor, 256, 80, SLayout::RowMajor, 512>;
using LeftF32_128x64 = TileLeft<float, 128, 64, DYNAMIC, 64>;
using RightF32_64x80 = TileRight<float, 64, 80, 64, 80>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 5120, 1>>;
using WGm = GlobalTensor<float, Shape<1, 10, 16, 16, 8>, Stride<1, 40960, 128, 8, 1>, Layout::NZ>;
using LPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 80>, Stride<1, 1, 1, 160, 1>>;

AICORE inline void run_block(
    __gm__ float *l_parts,
    __gm__ float *x,
    __gm__ float *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t experts0_buffer = 0;  // which of 2 buffers this iteration of experts0 uses
    int32_t l_depth0_buffer = 0;  // which of 2 buffers this iteration of l_depth0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 10;  // of t0, l_part0 and experts0
    for (int32_t tile = block; tile < tiles; tile += nblk, experts0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 10 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t l_part0 = tile / 2 % 5;
        const int32_t experts0 = tile % 2 * 80;
        AccF32_128x80 l_parts_acc(t0_valid); TASSIGN(l_parts_acc, 0x00000 + experts0_buffer * 0x0a000);  // L0C 0x00000..0x14000, 2 copies
        for (int32_t l_depth0 = 0; l_depth0 < 1024; l_depth0 += 256, l_depth0_buffer ^= 1) {
            // l: matmul(x, w, dtype=fp32)
            MatF32_128x256 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + l_depth0_buffer * 0x20000);  // L1 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(l_depth0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 5120 + int64_t(l_part0) * 1024 + int64_t(l_depth0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatF32_256x80 w_tile; TASSIGN(w_tile, 0x40000 + l_depth0_buffer * 0x14000);  // L1 0x40000..0x68000, 2 copies
            WGm w_in(w + int64_t(l_part0) * 8192 + int64_t(experts0) * 5120 + int64_t(l_depth0) * 8);
            TLOAD(w_tile, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(l_depth0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(l_depth0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 64, k1_buffer ^= 1) {
                LeftF32_128x64 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightF32_64x80 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x06000);  // L0B 0x00000..0x0c000, 2 copies
                TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (l_depth0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(l_parts_acc, x_tile_l0a, w_tile_l0b);
                } else if (k1 + l_depth0 + 64 < 1024) {
                    TMATMUL_ACC<AccPhase::Partial>(l_parts_acc, l_parts_acc, x_tile_l0a, w_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(l_parts_acc, l_parts_acc, x_tile_l0a, w_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(l_depth0_buffer));
        }
        LPartsGm l_parts_out(l_parts + int64_t(l_part0) * t * 160 + int64_t(t0) * 160 + int64_t(experts0), {t0_valid});
        TSTORE<STPhase::Final>(l_parts_out, l_parts_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void logits_cube(
    __gm__ float *l_parts, __gm__ float *x, __gm__ float *w, int32_t t_begin, int32_t t_end, int32_t t,
    int32_t nblk)
{
    run_block(l_parts, x, w, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
