// layer_norm_channels: vector kernel of `layer_norm_channels` for a2a3. Made by pyptogen; change the spec, not this file.
// stages layer_norm_channels; tiles c 16, hw 512, n 1; memory UB 182528 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, 16, DYNAMIC>;
using VecB16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_8x512 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, 8, DYNAMIC>;
using VecF32_8x512_r1 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t n_begin,
    int32_t n_end,
    int32_t hw,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t c0_buffer = 0;  // which of 2 buffers this iteration of c0 uses
    int32_t c0_buffer_2 = 0;  // which of 2 buffers this iteration of c0 uses
    int32_t c0_buffer_3 = 0;  // which of 2 buffers this iteration of c0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // 2 buffers are free at first
    const int32_t hw0_tiles = (hw + 511) / 512;
    const int32_t tiles = (n_end - n_begin) * hw0_tiles;  // of n0 and hw0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t n0 = n_begin + tile / hw0_tiles;
        const int32_t hw0 = tile % hw0_tiles * 512;
        const int32_t hw0_valid = hw - hw0 < 512 ? hw - hw0 : 512;
        // centred: wide - mean(wide, axis=1, keepdim=true)
        VecF32_16x512 centred_2_rows(hw0_valid); TASSIGN<0x1c100>(centred_2_rows);  // UB 0x1c100..0x24100
        pipe_barrier(PIPE_V);
        TEXPANDS(centred_2_rows, 0.0f);
        for (int32_t c0 = 0; c0 < 192; c0 += 16, c0_buffer ^= 1) {
            // wide: cast(x, fp32)
            VecB16_16x512 x_tile(hw0_valid); TASSIGN(x_tile, 0x00000 + c0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + c0_buffer));  // free again
            XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + c0_buffer));
            VecF32_16x512 wide(hw0_valid); TASSIGN<0x24100>(wide);  // UB 0x24100..0x2c100
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + c0_buffer));
            TCVT(wide, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + c0_buffer));
            // centred: wide - mean(wide, axis=1, keepdim=true)
            VecF32_16x512 centred_1(hw0_valid); TASSIGN<0x24100>(centred_1);  // UB 0x24100..0x2c100
            pipe_barrier(PIPE_V);
            TMULS(centred_1, wide, 0.0052083335f);
            pipe_barrier(PIPE_V);
            TADD(centred_2_rows, centred_2_rows, centred_1);
        }
        VecF32_8x512 centred_2_folded(hw0_valid); TASSIGN<0x24100>(centred_2_folded);  // UB 0x24100..0x28100
        VecF32_8x512 centred_2_rows_8(hw0_valid); TASSIGN<0x1c100>(centred_2_rows_8);  // rows 0.. of centred_2_rows
        VecF32_8x512 centred_2_rows_from_8(hw0_valid); TASSIGN<0x20100>(centred_2_rows_from_8);  // rows 8.. of centred_2_rows
        pipe_barrier(PIPE_V);
        TADD(centred_2_folded, centred_2_rows_8, centred_2_rows_from_8);
        VecF32_8x512_r1 centred_2(hw0_valid); TASSIGN<0x1c100>(centred_2);  // UB 0x1c100..0x1c900
        pipe_barrier(PIPE_V);
        TCOLSUM(centred_2, centred_2_folded);
        // scale: rsqrt(mean(centred * centred, axis=1, keepdim=true) + eps)
        VecF32_16x512 scale_3_rows(hw0_valid); TASSIGN<0x1c900>(scale_3_rows);  // UB 0x1c900..0x24900
        pipe_barrier(PIPE_V);
        TEXPANDS(scale_3_rows, 0.0f);
        for (int32_t c0 = 0; c0 < 192; c0 += 16, c0_buffer_2 ^= 1) {
            // wide: cast(x, fp32)
            VecB16_16x512 x_tile_2(hw0_valid); TASSIGN(x_tile_2, 0x08000 + c0_buffer_2 * 0x04000);  // UB 0x08000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + c0_buffer_2));  // free again
            XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
            TLOAD(x_tile_2, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + c0_buffer_2));
            VecF32_16x512 wide_again(hw0_valid); TASSIGN<0x24900>(wide_again);  // UB 0x24900..0x2c900
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + c0_buffer_2));
            TCVT(wide_again, x_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(6 + c0_buffer_2));
            // centred: wide - mean(wide, axis=1, keepdim=true)
            VecF32_16x512 centred(hw0_valid); TASSIGN<0x24900>(centred);  // UB 0x24900..0x2c900
            pipe_barrier(PIPE_V);
            TCOLEXPANDSUB(centred, wide_again, centred_2);
            // scale: rsqrt(mean(centred * centred, axis=1, keepdim=true) + eps)
            VecF32_16x512 scale_1(hw0_valid); TASSIGN<0x24900>(scale_1);  // UB 0x24900..0x2c900
            pipe_barrier(PIPE_V);
            TMUL(scale_1, centred, centred);
            pipe_barrier(PIPE_V);
            TMULS(scale_1, scale_1, 0.0052083335f);
            pipe_barrier(PIPE_V);
            TADD(scale_3_rows, scale_3_rows, scale_1);
        }
        VecF32_8x512 scale_3_folded(hw0_valid); TASSIGN<0x24900>(scale_3_folded);  // UB 0x24900..0x28900
        VecF32_8x512 scale_3_rows_8(hw0_valid); TASSIGN<0x1c900>(scale_3_rows_8);  // rows 0.. of scale_3_rows
        VecF32_8x512 scale_3_rows_from_8(hw0_valid); TASSIGN<0x20900>(scale_3_rows_from_8);  // rows 8.. of scale_3_rows
        pipe_barrier(PIPE_V);
        TADD(scale_3_folded, scale_3_rows_8, scale_3_rows_from_8);
        VecF32_8x512_r1 scale(hw0_valid); TASSIGN<0x1c900>(scale);  // UB 0x1c900..0x1d100
        pipe_barrier(PIPE_V);
        TCOLSUM(scale, scale_3_folded);
        pipe_barrier(PIPE_V);
        TADDS(scale, scale, eps);
        pipe_barrier(PIPE_V);
        TRSQRT(scale, scale);
        for (int32_t c0 = 0; c0 < 192; c0 += 16, c0_buffer_3 ^= 1) {
            // wide: cast(x, fp32)
            VecB16_16x512 x_tile_3(hw0_valid); TASSIGN(x_tile_3, 0x10000 + c0_buffer_3 * 0x04000);  // UB 0x10000..0x18000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + c0_buffer_3));  // free again
            XGm x_in(x + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
            TLOAD(x_tile_3, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + c0_buffer_3));
            // y: cast(centred * scale * gamma[:, None] + beta[:, None], bf16)
            VecF32_1x16 gamma_tile_row; TASSIGN(gamma_tile_row, 0x1c080 + c0_buffer_3 * 0x00040);  // as a row, same bytes as gamma_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(c0_buffer_3));  // free again
            GammaGm gamma_in(gamma + int64_t(c0));
            TLOAD(gamma_tile_row, gamma_in);
            VecF32_1x16 beta_tile_row; TASSIGN(beta_tile_row, 0x1c000 + c0_buffer_3 * 0x00040);  // as a row, same bytes as beta_tile
            GammaGm beta_in(beta + int64_t(c0));
            TLOAD(beta_tile_row, beta_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(c0_buffer_3));
            // wide: cast(x, fp32)
            VecF32_16x512 wide_again_2(hw0_valid); TASSIGN<0x1d100>(wide_again_2);  // UB 0x1d100..0x25100
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + c0_buffer_3));
            TCVT(wide_again_2, x_tile_3, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + c0_buffer_3));
            // centred: wide - mean(wide, axis=1, keepdim=true)
            VecF32_16x512 centred_again(hw0_valid); TASSIGN<0x1d100>(centred_again);  // UB 0x1d100..0x25100
            pipe_barrier(PIPE_V);
            TCOLEXPANDSUB(centred_again, wide_again_2, centred_2);
            // y: cast(centred * scale * gamma[:, None] + beta[:, None], bf16)
            VecF32_16x512 y_1(hw0_valid); TASSIGN<0x1d100>(y_1);  // UB 0x1d100..0x25100
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(y_1, centred_again, scale);
            VecF32_16x1 gamma_tile; TASSIGN(gamma_tile, 0x1c080 + c0_buffer_3 * 0x00040);  // UB 0x1c080..0x1c100, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(c0_buffer_3));
            TROWEXPANDMUL(y_1, y_1, gamma_tile);
            VecF32_16x1 beta_tile; TASSIGN(beta_tile, 0x1c000 + c0_buffer_3 * 0x00040);  // UB 0x1c000..0x1c080, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDADD(y_1, y_1, beta_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(c0_buffer_3));
            VecB16_16x512 y_tile(hw0_valid); TASSIGN<0x18000>(y_tile);  // UB 0x18000..0x1c000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            XGm y_out(y + int64_t(hw) * n0 * 192 + int64_t(c0) * hw + int64_t(hw0), {hw0_valid}, {int64_t(hw)});
            TSTORE(y_out, y_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void layer_norm_channels(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *x, __gm__ float *gamma, __gm__ float *beta, float eps, int32_t n_begin,
    int32_t n_end, int32_t hw, int32_t nblk)
{
    run_block(y, x, gamma, beta, eps, n_begin, n_end, hw, nblk, static_cast<int32_t>(get_block_idx()));
}
