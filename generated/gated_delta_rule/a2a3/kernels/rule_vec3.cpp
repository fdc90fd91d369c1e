// rule_vec3: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 34816 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_64x64m = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *o_gamma_block,
    __gm__ float *o_g,
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
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
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
        VecF32_8x64_r1 o_g_tile(s0_valid); TASSIGN(o_g_tile, 0x00200 + s0_buffer * 0x00100);  // UB 0x00200..0x00400, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        OGGm o_g_in(o_g + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TLOAD(o_g_tile, o_g_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecI32_1x64 o_column_row(s0_valid); TASSIGN<0x00000>(o_column_row);  // as a row, same bytes as o_column
        wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_column_row, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID1);
        VecF32_1x64 o_column_at_row(s0_valid); TASSIGN<0x00600>(o_column_at_row);  // as a row, same bytes as o_column_at
        wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
        TCVT(o_column_at_row, o_column_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_S, EVENT_ID1);
        VecI32_1x64 o_row(s0_valid); TASSIGN<0x00100>(o_row);  // UB 0x00100..0x00200
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_row, 0);
        set_flag(PIPE_S, PIPE_V, EVENT_ID0);
        VecF32_1x64 o_row_at(s0_valid); TASSIGN<0x00700>(o_row_at);  // UB 0x00700..0x00800
        wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
        TCVT(o_row_at, o_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_S, EVENT_ID0);
        VecF32_64x64 o_ahead_wide_ones(s0_valid, s0_valid); TASSIGN<0x00800>(o_ahead_wide_ones);  // UB 0x00800..0x04800
        pipe_barrier(PIPE_V);
        TEXPANDS(o_ahead_wide_ones, 1.0f);
        VecF32_64x64 o_ahead_wide(s0_valid, s0_valid); TASSIGN<0x00800>(o_ahead_wide);  // UB 0x00800..0x04800
        VecF32_64x1 o_column_at(s0_valid); TASSIGN<0x00600>(o_column_at);  // UB 0x00600..0x00700
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(o_ahead_wide, o_ahead_wide_ones, o_column_at);
        VecF32_64x64 o_ahead(s0_valid, s0_valid); TASSIGN<0x00800>(o_ahead);  // UB 0x00800..0x04800
        pipe_barrier(PIPE_V);
        TCOLEXPANDSUB(o_ahead, o_ahead_wide, o_row_at);
        pipe_barrier(PIPE_V);
        TADDS(o_ahead, o_ahead, 1.0f);
        VecF32_64x64 o_reached_least(s0_valid, s0_valid); TASSIGN<0x00800>(o_reached_least);  // UB 0x00800..0x04800
        pipe_barrier(PIPE_V);
        TMAXS(o_reached_least, o_ahead, 0.0f);
        VecF32_64x64 o_reached(s0_valid, s0_valid); TASSIGN<0x00800>(o_reached);  // UB 0x00800..0x04800
        pipe_barrier(PIPE_V);
        TMINS(o_reached, o_reached_least, 1.0f);
        VecF32_8x64_r1 o_g_least(s0_valid); TASSIGN<0x00600>(o_g_least);  // UB 0x00600..0x00700
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        TMAXS(o_g_least, o_g_tile, -104.0f);
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        VecF32_64x64 o_g_until(s0_valid, s0_valid); TASSIGN<0x00800>(o_g_until);  // UB 0x00800..0x04800
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(o_g_until, o_reached, o_g_least);
        VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN(o_gamma_block_tile, 0x00400 + s0_buffer * 0x00100);  // UB 0x00400..0x00600, 2 copies
        VecF32_64x64m o_gamma_block_tile_tmp(s0_valid); TASSIGN<0x04800>(o_gamma_block_tile_tmp);  // UB 0x04800..0x08800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TROWSUM(o_gamma_block_tile, o_g_until, o_gamma_block_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x00400 + s0_buffer * 0x00100);  // as a row, same bytes as o_gamma_block_tile
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        OGammaBlockGm o_gamma_block_out(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
        TSTORE(o_gamma_block_out, o_gamma_block_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec3(
    __gm__ float *o_gamma_block, __gm__ float *o_g, int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(o_gamma_block, o_g, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
