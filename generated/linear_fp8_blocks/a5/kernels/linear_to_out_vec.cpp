// linear_to_out_vec: vector kernel of `linear_fp8_blocks` for a5. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles k_blocks 1, n_blocks 1, t 64; memory UB 168256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x8_c1 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 12, 1>>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using PartGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 768, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 768, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *part,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t n_blocks0_buffer = 0;  // which of 2 buffers this iteration of n_blocks0 uses
    int32_t k_blocks0_buffer = 0;  // which of 2 buffers this iteration of k_blocks0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 63) / 64 * 6;  // of t0 and n_blocks0
    for (int32_t tile = block; tile < tiles; tile += nblk, n_blocks0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 6 * 64;
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        const int32_t n_blocks0 = tile % 6;
        // total: full([t, n_blocks * block], 0, fp32)
        VecF32_64x128 total(t0_valid); TASSIGN<0x19040>(total);  // UB 0x19040..0x21040
        TEXPANDS(total, 0.0f);
        for (int32_t k_blocks0 = 0; k_blocks0 < 12; ++k_blocks0, k_blocks0_buffer ^= 1) {
            // scale: reshape(x_scale[:, k_blocks], [t, 1, 1]) * reshape(w_scale[k_blocks], [1, n_blocks, 1])
            VecF32_64x8_c1 x_scale_tile_apart(t0_valid); TASSIGN(x_scale_tile_apart, 0x18040 + k_blocks0_buffer * 0x00800);  // UB 0x18040..0x19040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_blocks0_buffer));  // free again
            XScaleGm x_scale_in(x_scale + int64_t(t0) * 12 + int64_t(k_blocks0), {t0_valid});
            TLOAD(x_scale_tile_apart, x_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + k_blocks0_buffer));
            VecF32_1x8_c1 w_scale_tile_row; TASSIGN(w_scale_tile_row, 0x00000 + k_blocks0_buffer * 0x00020);  // as a row, same bytes as w_scale_tile
            WScaleGm w_scale_in(w_scale + int64_t(k_blocks0) * 6 + int64_t(n_blocks0));
            TLOAD(w_scale_tile_row, w_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_blocks0_buffer));
            // total: total + reshape(part * scale, [t, n_blocks * block])
            VecF32_64x128 part_tile(t0_valid); TASSIGN(part_tile, 0x00040 + k_blocks0_buffer * 0x08000);  // UB 0x00040..0x10040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(k_blocks0_buffer));  // free again
            PartGm part_in(part + int64_t(k_blocks0) * t * 768 + int64_t(t0) * 768 + int64_t(n_blocks0) * 128, {t0_valid});
            TLOAD(part_tile, part_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(k_blocks0_buffer));
            // scale: reshape(x_scale[:, k_blocks], [t, 1, 1]) * reshape(w_scale[k_blocks], [1, n_blocks, 1])
            VecF32_1x64 x_scale_tile_row(t0_valid); TASSIGN<0x21040>(x_scale_tile_row);  // as a row, same bytes as x_scale_tile
            VecF32_64x8_c1 x_scale_tile_apart_tmp(t0_valid); TASSIGN<0x21140>(x_scale_tile_apart_tmp);  // UB 0x21140..0x21940
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + k_blocks0_buffer));
            TTRANS(x_scale_tile_row, x_scale_tile_apart, x_scale_tile_apart_tmp);
            VecF32_1x64 w_scale_tile_wide_row(t0_valid); TASSIGN<0x21140>(w_scale_tile_wide_row);  // as a row, same bytes as w_scale_tile_wide
            VecF32_8x1_r1 w_scale_tile; TASSIGN(w_scale_tile, 0x00000 + k_blocks0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_blocks0_buffer));
            TROWEXPAND(w_scale_tile_wide_row, w_scale_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_blocks0_buffer));
            VecF32_1x64 scale_row(t0_valid); TASSIGN<0x21040>(scale_row);  // as a row, same bytes as scale
            TMUL(scale_row, x_scale_tile_row, w_scale_tile_wide_row);
            // total: total + reshape(part * scale, [t, n_blocks * block])
            VecF32_64x128 total_1(t0_valid); TASSIGN<0x21140>(total_1);  // UB 0x21140..0x29140
            VecF32_64x1 scale(t0_valid); TASSIGN<0x21040>(scale);  // UB 0x21040..0x21140
            wait_flag(PIPE_MTE2, PIPE_V, event_t(k_blocks0_buffer));
            TROWEXPANDMUL(total_1, part_tile, scale);
            set_flag(PIPE_V, PIPE_MTE2, event_t(k_blocks0_buffer));
            TADD(total, total, total_1);
        }
        // y: reshape(cast(total, bf16), [t, n_blocks, block])
        VecB16_64x128 y_1(t0_valid); TASSIGN(y_1, 0x10040 + n_blocks0_buffer * 0x04000);  // UB 0x10040..0x18040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n_blocks0_buffer));  // free again
        TCVT(y_1, total, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n_blocks0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n_blocks0_buffer));
        YGm y_out(y + int64_t(t0) * 768 + int64_t(n_blocks0) * 128, {t0_valid});
        TSTORE(y_out, y_1);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n_blocks0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_to_out_vec(
    __gm__ bfloat16_t *y, __gm__ float *x_scale, __gm__ float *w_scale, __gm__ float *part, int32_t t_begin,
    int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(y, x_scale, w_scale, part, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
