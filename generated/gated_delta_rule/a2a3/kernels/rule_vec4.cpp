// rule_vec4: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 181504 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_64x1 = Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OGammaBlockGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OKkGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *o_inverse_2,
    __gm__ float *o_joint_4,
    __gm__ float *o_joint_8,
    __gm__ float *o_joint_16,
    __gm__ float *o_joint_32,
    __gm__ float *o_rest_32,
    __gm__ float *o_left,
    __gm__ float *o_gamma_block,
    __gm__ float *o_kk,
    __gm__ float *o_beta,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free at first
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN<0x00200>(o_gamma_block_tile_row);  // as a row, same bytes as o_gamma_block_tile
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        OGammaBlockGm o_gamma_block_in(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
        TLOAD(o_gamma_block_tile_row, o_gamma_block_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecF32_8x64_r1 o_gamma_block_tile_2(s0_valid); TASSIGN<0x00300>(o_gamma_block_tile_2);  // UB 0x00300..0x00400
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        OGammaBlockGm2 o_gamma_block_in_2(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TLOAD(o_gamma_block_tile_2, o_gamma_block_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_64x64 o_kk_tile(s0_valid, s0_valid); TASSIGN<0x00400>(o_kk_tile);  // UB 0x00400..0x04400
        OKkGm o_kk_in(o_kk + int64_t(b0) * s * 1024 + int64_t(heads0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_kk_tile, o_kk_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecF32_1x64 o_beta_tile_row(s0_valid); TASSIGN<0x04400>(o_beta_tile_row);  // as a row, same bytes as o_beta_tile
        OGammaBlockGm o_beta_in(o_beta + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
        TLOAD(o_beta_tile_row, o_beta_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecI32_1x64 o_column_2_row(s0_valid); TASSIGN<0x00000>(o_column_2_row);  // as a row, same bytes as o_column_2
        wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_column_2_row, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID1);
        VecF32_1x64 o_column_at_2_row(s0_valid); TASSIGN<0x1c500>(o_column_at_2_row);  // as a row, same bytes as o_column_at_2
        wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
        TCVT(o_column_at_2_row, o_column_2_row, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x64 o_row_3(s0_valid); TASSIGN<0x00100>(o_row_3);  // UB 0x00100..0x00200
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_row_3, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID0);
        VecF32_1x64 o_row_at_2(s0_valid); TASSIGN<0x1c600>(o_row_at_2);  // UB 0x1c600..0x1c700
        wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
        TCVT(o_row_at_2, o_row_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x64 o_column_own_row(s0_valid); TASSIGN<0x1c500>(o_column_own_row);  // as a row, same bytes as o_column_own
        pipe_barrier(PIPE_V);
        TADDS(o_column_own_row, o_column_at_2_row, -0.5f);
        VecF32_1x64 o_column_far_row(s0_valid); TASSIGN<0x1c500>(o_column_far_row);  // as a row, same bytes as o_column_far
        pipe_barrier(PIPE_V);
        TMULS(o_column_far_row, o_column_own_row, 1e+30f);
        VecF32_1x64 o_row_far(s0_valid); TASSIGN<0x1c600>(o_row_far);  // UB 0x1c600..0x1c700
        TMULS(o_row_far, o_row_at_2, 1e+30f);
        VecF32_64x64 o_4_wide_ones(s0_valid, s0_valid); TASSIGN<0x18500>(o_4_wide_ones);  // UB 0x18500..0x1c500
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(o_4_wide_ones, 1.0f);
        VecF32_64x64 o_4_wide(s0_valid, s0_valid); TASSIGN<0x18500>(o_4_wide);  // UB 0x18500..0x1c500
        VecF32_64x1 o_column_far(s0_valid); TASSIGN<0x1c500>(o_column_far);  // UB 0x1c500..0x1c600
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(o_4_wide, o_4_wide_ones, o_column_far);
        VecF32_64x64 o_4(s0_valid, s0_valid); TASSIGN<0x18500>(o_4);  // UB 0x18500..0x1c500
        pipe_barrier(PIPE_V);
        TCOLEXPANDSUB(o_4, o_4_wide, o_row_far);
        VecF32_64x64 o_passed_wide_ones(s0_valid, s0_valid); TASSIGN<0x1c500>(o_passed_wide_ones);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        TEXPANDS(o_passed_wide_ones, 1.0f);
        VecF32_64x64 o_passed_wide(s0_valid, s0_valid); TASSIGN<0x1c500>(o_passed_wide);  // UB 0x1c500..0x20500
        VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN<0x00200>(o_gamma_block_tile);  // UB 0x00200..0x00300
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        TROWEXPANDMUL(o_passed_wide, o_passed_wide_ones, o_gamma_block_tile);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_64x64 o_passed(s0_valid, s0_valid); TASSIGN<0x1c500>(o_passed);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TCOLEXPANDSUB(o_passed, o_passed_wide, o_gamma_block_tile_2);
        VecF32_64x64 o_passed_masked(s0_valid, s0_valid); TASSIGN<0x18500>(o_passed_masked);  // UB 0x18500..0x1c500
        pipe_barrier(PIPE_V);
        TMIN(o_passed_masked, o_passed, o_4);
        VecF32_64x64 o_since(s0_valid, s0_valid); TASSIGN<0x18500>(o_since);  // UB 0x18500..0x1c500
        pipe_barrier(PIPE_V);
        TEXP(o_since, o_passed_masked);
        VecF32_64x64 o_a_decayed(s0_valid, s0_valid); TASSIGN<0x18500>(o_a_decayed);  // UB 0x18500..0x1c500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TMUL(o_a_decayed, o_kk_tile, o_since);
        VecF32_64x64 o_a(s0_valid, s0_valid); TASSIGN<0x18500>(o_a);  // UB 0x18500..0x1c500
        VecF32_64x1 o_beta_tile(s0_valid); TASSIGN<0x04400>(o_beta_tile);  // UB 0x04400..0x04500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWEXPANDMUL(o_a, o_a_decayed, o_beta_tile);
        VecI32_64x64 o_column_2_wide_ones(s0_valid, s0_valid); TASSIGN<0x1c500>(o_column_2_wide_ones);  // UB 0x1c500..0x20500
        TEXPANDS(o_column_2_wide_ones, 1);
        VecI32_64x64 o_column_2_wide(s0_valid, s0_valid); TASSIGN<0x1c500>(o_column_2_wide);  // UB 0x1c500..0x20500
        VecI32_64x1 o_column_2(s0_valid); TASSIGN<0x00000>(o_column_2);  // UB 0x00000..0x00100
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(o_column_2_wide, o_column_2_wide_ones, o_column_2);
        set_flag(PIPE_V, PIPE_S, EVENT_ID1);
        VecI32_64x64 o_row_3_wide(s0_valid, s0_valid); TASSIGN<0x20500>(o_row_3_wide);  // UB 0x20500..0x24500
        TCOLEXPAND(o_row_3_wide, o_row_3);
        set_flag(PIPE_V, PIPE_S, EVENT_ID0);
        VecI32_64x64 o_apart_tmp(s0_valid, s0_valid); TASSIGN<0x28500>(o_apart_tmp);  // UB 0x28500..0x2c500
        VecI32_64x64 o_apart(s0_valid, s0_valid); TASSIGN<0x24500>(o_apart);  // UB 0x24500..0x28500
        pipe_barrier(PIPE_V);
        TXOR(o_apart, o_column_2_wide, o_row_3_wide, o_apart_tmp);
        VecF32_64x64 o_apart_number(s0_valid, s0_valid); TASSIGN<0x04500>(o_apart_number);  // UB 0x04500..0x08500
        pipe_barrier(PIPE_V);
        TCVT(o_apart_number, o_apart, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_64x64 o_near(s0_valid, s0_valid); TASSIGN<0x04500>(o_near);  // UB 0x04500..0x08500
        pipe_barrier(PIPE_V);
        TNEG(o_near, o_apart_number);
        VecF32_64x64 o_near_2(s0_valid, s0_valid); TASSIGN<0x1c500>(o_near_2);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        TADDS(o_near_2, o_near, 2.0f);
        VecF32_64x64 o_within_2_least(s0_valid, s0_valid); TASSIGN<0x1c500>(o_within_2_least);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_2_least, o_near_2, 0.0f);
        VecF32_64x64 o_within_2(s0_valid, s0_valid); TASSIGN<0x1c500>(o_within_2);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        TMINS(o_within_2, o_within_2_least, 1.0f);
        VecF32_64x64 o_joint_2(s0_valid, s0_valid); TASSIGN<0x1c500>(o_joint_2);  // UB 0x1c500..0x20500
        pipe_barrier(PIPE_V);
        TMUL(o_joint_2, o_a, o_within_2);
        VecF32_64x64 o_near_1(s0_valid, s0_valid); TASSIGN<0x08500>(o_near_1);  // UB 0x08500..0x0c500
        TADDS(o_near_1, o_near, 1.0f);
        VecF32_64x64 o_within_1_least(s0_valid, s0_valid); TASSIGN<0x08500>(o_within_1_least);  // UB 0x08500..0x0c500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_1_least, o_near_1, 0.0f);
        VecF32_64x64 o_within_1(s0_valid, s0_valid); TASSIGN<0x08500>(o_within_1);  // UB 0x08500..0x0c500
        pipe_barrier(PIPE_V);
        TMINS(o_within_1, o_within_1_least, 1.0f);
        VecF32_64x64 o_inverse_2_tile(s0_valid, s0_valid); TASSIGN<0x08500>(o_inverse_2_tile);  // UB 0x08500..0x0c500
        pipe_barrier(PIPE_V);
        TSUB(o_inverse_2_tile, o_within_1, o_joint_2);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID6);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID6);
        OKkGm o_inverse_2_out(o_inverse_2 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_inverse_2_out, o_inverse_2_tile);
        VecF32_64x64 o_rest_2(s0_valid, s0_valid); TASSIGN<0x18500>(o_rest_2);  // UB 0x18500..0x1c500
        TSUB(o_rest_2, o_a, o_joint_2);
        VecF32_64x64 o_near_4(s0_valid, s0_valid); TASSIGN<0x0c500>(o_near_4);  // UB 0x0c500..0x10500
        TADDS(o_near_4, o_near, 4.0f);
        VecF32_64x64 o_within_4_least(s0_valid, s0_valid); TASSIGN<0x0c500>(o_within_4_least);  // UB 0x0c500..0x10500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_4_least, o_near_4, 0.0f);
        VecF32_64x64 o_within_4(s0_valid, s0_valid); TASSIGN<0x0c500>(o_within_4);  // UB 0x0c500..0x10500
        pipe_barrier(PIPE_V);
        TMINS(o_within_4, o_within_4_least, 1.0f);
        VecF32_64x64 o_joint_4_tile(s0_valid, s0_valid); TASSIGN<0x0c500>(o_joint_4_tile);  // UB 0x0c500..0x10500
        pipe_barrier(PIPE_V);
        TMUL(o_joint_4_tile, o_rest_2, o_within_4);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
        OKkGm o_joint_4_out(o_joint_4 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_joint_4_out, o_joint_4_tile);
        pipe_barrier(PIPE_V);
        TSUB(o_rest_2, o_rest_2, o_joint_4_tile);
        VecF32_64x64 o_near_8(s0_valid, s0_valid); TASSIGN<0x10500>(o_near_8);  // UB 0x10500..0x14500
        TADDS(o_near_8, o_near, 8.0f);
        VecF32_64x64 o_within_8_least(s0_valid, s0_valid); TASSIGN<0x10500>(o_within_8_least);  // UB 0x10500..0x14500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_8_least, o_near_8, 0.0f);
        VecF32_64x64 o_within_8(s0_valid, s0_valid); TASSIGN<0x10500>(o_within_8);  // UB 0x10500..0x14500
        pipe_barrier(PIPE_V);
        TMINS(o_within_8, o_within_8_least, 1.0f);
        VecF32_64x64 o_joint_8_tile(s0_valid, s0_valid); TASSIGN<0x10500>(o_joint_8_tile);  // UB 0x10500..0x14500
        pipe_barrier(PIPE_V);
        TMUL(o_joint_8_tile, o_rest_2, o_within_8);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
        OKkGm o_joint_8_out(o_joint_8 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_joint_8_out, o_joint_8_tile);
        pipe_barrier(PIPE_V);
        TSUB(o_rest_2, o_rest_2, o_joint_8_tile);
        VecF32_64x64 o_near_16(s0_valid, s0_valid); TASSIGN<0x14500>(o_near_16);  // UB 0x14500..0x18500
        TADDS(o_near_16, o_near, 16.0f);
        VecF32_64x64 o_within_16_least(s0_valid, s0_valid); TASSIGN<0x14500>(o_within_16_least);  // UB 0x14500..0x18500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_16_least, o_near_16, 0.0f);
        VecF32_64x64 o_within_16(s0_valid, s0_valid); TASSIGN<0x14500>(o_within_16);  // UB 0x14500..0x18500
        pipe_barrier(PIPE_V);
        TMINS(o_within_16, o_within_16_least, 1.0f);
        VecF32_64x64 o_joint_16_tile(s0_valid, s0_valid); TASSIGN<0x14500>(o_joint_16_tile);  // UB 0x14500..0x18500
        pipe_barrier(PIPE_V);
        TMUL(o_joint_16_tile, o_rest_2, o_within_16);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        OKkGm o_joint_16_out(o_joint_16 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_joint_16_out, o_joint_16_tile);
        pipe_barrier(PIPE_V);
        TSUB(o_rest_2, o_rest_2, o_joint_16_tile);
        TADDS(o_near, o_near, 32.0f);
        VecF32_64x64 o_within_32_least(s0_valid, s0_valid); TASSIGN<0x04500>(o_within_32_least);  // UB 0x04500..0x08500
        pipe_barrier(PIPE_V);
        TMAXS(o_within_32_least, o_near, 0.0f);
        VecF32_64x64 o_within_32(s0_valid, s0_valid); TASSIGN<0x04500>(o_within_32);  // UB 0x04500..0x08500
        pipe_barrier(PIPE_V);
        TMINS(o_within_32, o_within_32_least, 1.0f);
        VecF32_64x64 o_joint_32_tile(s0_valid, s0_valid); TASSIGN<0x04500>(o_joint_32_tile);  // UB 0x04500..0x08500
        pipe_barrier(PIPE_V);
        TMUL(o_joint_32_tile, o_rest_2, o_within_32);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        OKkGm o_joint_32_out(o_joint_32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_joint_32_out, o_joint_32_tile);
        VecF32_64x64 o_rest_32_tile(s0_valid, s0_valid); TASSIGN<0x18500>(o_rest_32_tile);  // UB 0x18500..0x1c500
        pipe_barrier(PIPE_V);
        TSUB(o_rest_32_tile, o_rest_2, o_joint_32_tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        OKkGm o_rest_32_out(o_rest_32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_rest_32_out, o_rest_32_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        VecF32_8x64_r1 o_left_tile(s0_valid); TASSIGN<0x00300>(o_left_tile);  // UB 0x00300..0x00400
        TEXP(o_left_tile, o_gamma_block_tile_2);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        OGammaBlockGm2 o_left_out(o_left + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TSTORE(o_left_out, o_left_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec4(
    __gm__ float *o_inverse_2, __gm__ float *o_joint_4, __gm__ float *o_joint_8, __gm__ float *o_joint_16,
    __gm__ float *o_joint_32, __gm__ float *o_rest_32, __gm__ float *o_left, __gm__ float *o_gamma_block,
    __gm__ float *o_kk, __gm__ float *o_beta, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(
        o_inverse_2, o_joint_4, o_joint_8, o_joint_16, o_joint_32, o_rest_32, o_left, o_gamma_block, o_kk, o_beta,
        b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
