// rule_vec11: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 148992 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OGammaBlockGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using ORecalledBlockGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_old,
    __gm__ float *o_gamma_block,
    __gm__ float *o_qk,
    __gm__ float *o_recalled_block,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free at first
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x00000 + s0_buffer * 0x00100);  // as a row, same bytes as o_gamma_block_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
        TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_buffer));
        VecF32_8x64_r1 o_gamma_block_tile_2(s0_valid); TASSIGN(o_gamma_block_tile_2, 0x00200 + s0_buffer * 0x00100);  // UB 0x00200..0x00400, 2 copies
        OGammaBlockGm2 o_gamma_block_in_2(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TLOAD(o_gamma_block_tile_2, o_gamma_block_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
        VecF32_64x64 o_qk_tile(s0_valid, s0_valid); TASSIGN(o_qk_tile, 0x00400 + s0_buffer * 0x04000);  // UB 0x00400..0x08400, 2 copies
        OQkGm o_qk_in(o_qk + int64_t(b0) * s * 1024 + int64_t(heads0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_qk_tile, o_qk_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        VecF32_64x128 o_recalled_block_tile(s0_valid); TASSIGN(o_recalled_block_tile, 0x0c400 + s0_buffer * 0x08000);  // UB 0x0c400..0x1c400, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));  // free again
        ORecalledBlockGm o_recalled_block_in(o_recalled_block + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TLOAD(o_recalled_block_tile, o_recalled_block_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecI32_1x64 o_column_6_row(s0_valid); TASSIGN<0x1c400>(o_column_6_row);  // as a row, same bytes as o_column_6
        wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_column_6_row, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID1);
        VecF32_1x64 o_column_at_3_row(s0_valid); TASSIGN<0x1c500>(o_column_at_3_row);  // as a row, same bytes as o_column_at_3
        wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
        TCVT(o_column_at_3_row, o_column_6_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_S, EVENT_ID0);
        VecI32_1x64 o_row_7(s0_valid); TASSIGN<0x1c400>(o_row_7);  // UB 0x1c400..0x1c500
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
        TCI<VecI32_1x64, int32_t, 0>(o_row_7, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID0);
        VecF32_1x64 o_row_at_3(s0_valid); TASSIGN<0x1c600>(o_row_at_3);  // UB 0x1c600..0x1c700
        wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
        TCVT(o_row_at_3, o_row_7, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x64 o_column_own_2_row(s0_valid); TASSIGN<0x1c400>(o_column_own_2_row);  // as a row, same bytes as o_column_own_2
        pipe_barrier(PIPE_V);
        TADDS(o_column_own_2_row, o_column_at_3_row, 0.5f);
        VecF32_1x64 o_column_far_2_row(s0_valid); TASSIGN<0x1c400>(o_column_far_2_row);  // as a row, same bytes as o_column_far_2
        pipe_barrier(PIPE_V);
        TMULS(o_column_far_2_row, o_column_own_2_row, 1e+30f);
        VecF32_1x64 o_row_far_2(s0_valid); TASSIGN<0x1c500>(o_row_far_2);  // UB 0x1c500..0x1c600
        TMULS(o_row_far_2, o_row_at_3, 1e+30f);
        VecF32_64x64 o_10_wide_ones(s0_valid, s0_valid); TASSIGN<0x1c600>(o_10_wide_ones);  // UB 0x1c600..0x20600
        pipe_barrier(PIPE_V);
        TEXPANDS(o_10_wide_ones, 1.0f);
        VecF32_64x64 o_10_wide(s0_valid, s0_valid); TASSIGN<0x1c600>(o_10_wide);  // UB 0x1c600..0x20600
        VecF32_64x1 o_column_far_2(s0_valid); TASSIGN<0x1c400>(o_column_far_2);  // UB 0x1c400..0x1c500
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(o_10_wide, o_10_wide_ones, o_column_far_2);
        set_flag(PIPE_V, PIPE_S, EVENT_ID1);
        VecF32_64x64 o_10(s0_valid, s0_valid); TASSIGN<0x1c600>(o_10);  // UB 0x1c600..0x20600
        pipe_barrier(PIPE_V);
        TCOLEXPANDSUB(o_10, o_10_wide, o_row_far_2);
        VecF32_64x64 o_passed_2_wide_ones(s0_valid, s0_valid); TASSIGN<0x20600>(o_passed_2_wide_ones);  // UB 0x20600..0x24600
        TEXPANDS(o_passed_2_wide_ones, 1.0f);
        VecF32_64x64 o_passed_2_wide(s0_valid, s0_valid); TASSIGN<0x20600>(o_passed_2_wide);  // UB 0x20600..0x24600
        VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN(o_gamma_block_tile, 0x00000 + s0_buffer * 0x00100);  // UB 0x00000..0x00200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + s0_buffer));
        TROWEXPANDMUL(o_passed_2_wide, o_passed_2_wide_ones, o_gamma_block_tile);
        VecF32_64x64 o_passed_2(s0_valid, s0_valid); TASSIGN<0x20600>(o_passed_2);  // UB 0x20600..0x24600
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
        TCOLEXPANDSUB(o_passed_2, o_passed_2_wide, o_gamma_block_tile_2);
        VecF32_64x64 o_passed_masked_2(s0_valid, s0_valid); TASSIGN<0x1c600>(o_passed_masked_2);  // UB 0x1c600..0x20600
        pipe_barrier(PIPE_V);
        TMIN(o_passed_masked_2, o_passed_2, o_10);
        VecF32_64x64 o_since_2(s0_valid, s0_valid); TASSIGN<0x1c600>(o_since_2);  // UB 0x1c600..0x20600
        pipe_barrier(PIPE_V);
        TEXP(o_since_2, o_passed_masked_2);
        VecF32_64x64 o_p(s0_valid, s0_valid); TASSIGN<0x1c600>(o_p);  // UB 0x1c600..0x20600
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        TMUL(o_p, o_qk_tile, o_since_2);
        VecB16_64x64 o_p_low_tile(s0_valid, s0_valid); TASSIGN(o_p_low_tile, 0x08400 + s0_buffer * 0x02000);  // UB 0x08400..0x0c400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TCVT(o_p_low_tile, o_p, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        OPLowGm o_p_low_out(o_p_low + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_p_low_out, o_p_low_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
        VecF32_1x64 o_left_3_row(s0_valid); TASSIGN(o_left_3_row, 0x00000 + s0_buffer * 0x00100);  // as a row, same bytes as o_left_3
        TEXP(o_left_3_row, o_gamma_block_tile_row);
        VecF32_64x128 o_old_tile(s0_valid); TASSIGN(o_old_tile, 0x0c400 + s0_buffer * 0x08000);  // UB 0x0c400..0x1c400, 2 copies
        VecF32_64x1 o_left_3(s0_valid); TASSIGN(o_left_3, 0x00000 + s0_buffer * 0x00100);  // UB 0x00000..0x00200, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        TROWEXPANDMUL(o_old_tile, o_recalled_block_tile, o_left_3);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        ORecalledBlockGm o_old_out(o_old + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
        TSTORE(o_old_out, o_old_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec11(
    __gm__ bfloat16_t *o_p_low, __gm__ float *o_old, __gm__ float *o_gamma_block, __gm__ float *o_qk,
    __gm__ float *o_recalled_block, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(
        o_p_low, o_old, o_gamma_block, o_qk, o_recalled_block, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()));
}
