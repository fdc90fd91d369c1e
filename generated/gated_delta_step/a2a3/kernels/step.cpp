// step: vector kernel of `gated_delta_step` for a2a3. Made by pyptogen; change the spec, not this file.
// stages step; tiles b 1, dv 64, group 1, heads 1; memory UB 134016 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x128_r1 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x16_c1 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 1>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_16x1_r1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 1, 1>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecB16_16x64_r1 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 1, 64>;
using KNGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using DecayGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *state,
    __gm__ bfloat16_t *o,
    __gm__ float *decay,
    __gm__ float *k_n,
    __gm__ bfloat16_t *v,
    __gm__ float *beta,
    __gm__ float *q_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t group0_buffer = 0;  // which of 2 buffers this iteration of group0 uses
    int32_t dv0_buffer = 0;  // which of 2 buffers this iteration of dv0 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (b_end - b_begin) * 32;  // of b0, heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk, group0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / 32;
        const int32_t heads0 = tile / 2 % 16;
        const int32_t group0 = tile % 2;
        // seen: sum(kept * k_n[:, :, None, None, :], axis=-1, keepdim=true)
        VecF32_16x128_r1 k_n_tile; TASSIGN(k_n_tile, 0x10040 + group0_buffer * 0x00200);  // UB 0x10040..0x10440, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + group0_buffer));  // free again
        KNGm k_n_in(k_n + int64_t(b0) * 2048 + int64_t(heads0) * 128);
        TLOAD(k_n_tile, k_n_in);
        // read: sum(state * q_n[:, :, None, None, :], axis=-1, keepdim=true)
        VecF32_16x128_r1 q_n_tile; TASSIGN(q_n_tile, 0x10580 + group0_buffer * 0x00200);  // UB 0x10580..0x10980, 2 copies
        KNGm q_n_in(q_n + int64_t(b0) * 2048 + int64_t(heads0) * 128);
        TLOAD(q_n_tile, q_n_in);
        // kept: state * decay[:, :, :, None, None]
        VecF32_1x16_c1 decay_tile_row; TASSIGN(decay_tile_row, 0x10000 + group0_buffer * 0x00020);  // as a row, same bytes as decay_tile
        DecayGm decay_in(decay + int64_t(b0) * 32 + int64_t(heads0) * 2 + int64_t(group0));
        TLOAD(decay_tile_row, decay_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + group0_buffer));
        // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
        VecF32_1x16_c1 beta_tile_row; TASSIGN(beta_tile_row, 0x10540 + group0_buffer * 0x00020);  // as a row, same bytes as beta_tile
        DecayGm beta_in(beta + int64_t(b0) * 32 + int64_t(heads0) * 2 + int64_t(group0));
        TLOAD(beta_tile_row, beta_in);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + group0_buffer));
        for (int32_t dv0 = 0; dv0 < 128; dv0 += 64, dv0_buffer ^= 1) {
            // kept: state * decay[:, :, :, None, None]
            VecF32_64x128 state_tile; TASSIGN(state_tile, 0x00000 + dv0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(dv0_buffer));  // free again
            wait_flag(PIPE_V, PIPE_MTE2, event_t(dv0_buffer));  // free again
            StateGm state_in(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dv0) * 128);
            TLOAD(state_tile, state_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + dv0_buffer));
            // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
            VecB16_1x64 v_tile_row; TASSIGN(v_tile_row, 0x10440 + dv0_buffer * 0x00080);  // as a row, same bytes as v_tile
            VGm v_in(v + int64_t(b0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128 + int64_t(dv0));
            TLOAD(v_tile_row, v_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(dv0_buffer));
            // kept: state * decay[:, :, :, None, None]
            VecF32_1x128 decay_tile_wide; TASSIGN<0x10a80>(decay_tile_wide);  // UB 0x10a80..0x10c80
            VecF32_16x1_r1 decay_tile; TASSIGN(decay_tile, 0x10000 + group0_buffer * 0x00020);  // UB 0x10000..0x10040, 2 copies
            TROWEXPAND(decay_tile_wide, decay_tile);
            VecF32_64x128 kept; TASSIGN(kept, 0x00000 + dv0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + dv0_buffer));
            TCOLEXPANDMUL(kept, state_tile, decay_tile_wide);
            // seen: sum(kept * k_n[:, :, None, None, :], axis=-1, keepdim=true)
            VecF32_64x128 seen_2; TASSIGN<0x10a80>(seen_2);  // UB 0x10a80..0x18a80
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(seen_2, kept, k_n_tile);
            VecF32_64x1 seen; TASSIGN<0x18a80>(seen);  // UB 0x18a80..0x18b80
            VecF32_64x128 seen_tmp; TASSIGN<0x18b80>(seen_tmp);  // UB 0x18b80..0x20b80
            pipe_barrier(PIPE_V);
            TROWSUM(seen, seen_2, seen_tmp);
            // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
            VecF32_1x64 change_2_row; TASSIGN<0x10a80>(change_2_row);  // as a row, same bytes as change_2
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(dv0_buffer));
            TCVT(change_2_row, v_tile_row, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_1x64 change_3_row; TASSIGN<0x10a80>(change_3_row);  // as a row, same bytes as change_3
            VecF32_1x64 seen_row; TASSIGN<0x18a80>(seen_row);  // as a row, same bytes as seen
            pipe_barrier(PIPE_V);
            TSUB(change_3_row, change_2_row, seen_row);
            VecF32_1x64 beta_tile_wide_row; TASSIGN<0x10b80>(beta_tile_wide_row);  // as a row, same bytes as beta_tile_wide
            VecF32_16x1_r1 beta_tile; TASSIGN(beta_tile, 0x10540 + group0_buffer * 0x00020);  // UB 0x10540..0x10580, 2 copies
            TROWEXPAND(beta_tile_wide_row, beta_tile);
            VecF32_1x64 change_row; TASSIGN<0x10a80>(change_row);  // as a row, same bytes as change
            pipe_barrier(PIPE_V);
            TMUL(change_row, change_3_row, beta_tile_wide_row);
            // state: kept + change * k_n[:, :, None, None, :]
            VecF32_64x128 state_1_wide_ones; TASSIGN<0x10b80>(state_1_wide_ones);  // UB 0x10b80..0x18b80
            pipe_barrier(PIPE_V);
            TEXPANDS(state_1_wide_ones, 1.0f);
            VecF32_64x128 state_1_wide; TASSIGN<0x10b80>(state_1_wide);  // UB 0x10b80..0x18b80
            VecF32_64x1 change; TASSIGN<0x10a80>(change);  // UB 0x10a80..0x10b80
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(state_1_wide, state_1_wide_ones, change);
            VecF32_64x128 state_1; TASSIGN<0x10b80>(state_1);  // UB 0x10b80..0x18b80
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(state_1, state_1_wide, k_n_tile);
            VecF32_64x128 state_out; TASSIGN(state_out, 0x00000 + dv0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
            pipe_barrier(PIPE_V);
            TADD(state_out, kept, state_1);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + dv0_buffer));
            // read: sum(state * q_n[:, :, None, None, :], axis=-1, keepdim=true)
            VecF32_64x128 read_2; TASSIGN<0x10a80>(read_2);  // UB 0x10a80..0x18a80
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(read_2, state_out, q_n_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(dv0_buffer));
            VecF32_64x1 read; TASSIGN<0x18a80>(read);  // UB 0x18a80..0x18b80
            VecF32_64x128 read_tmp; TASSIGN<0x18b80>(read_tmp);  // UB 0x18b80..0x20b80
            pipe_barrier(PIPE_V);
            TROWSUM(read, read_2, read_tmp);
            // o: cast(reshape(read, [b, heads, group, dv]), bf16)
            VecB16_16x64_r1 o_tile; TASSIGN(o_tile, 0x10980 + dv0_buffer * 0x00080);  // UB 0x10980..0x10a80, 2 copies
            VecF32_1x64 read_row; TASSIGN<0x18a80>(read_row);  // as a row, same bytes as read
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(dv0_buffer));  // free again
            TCVT(o_tile, read_row, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(dv0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + dv0_buffer));
            // state: kept + change * k_n[:, :, None, None, :]
            StateGm state_out_2(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dv0) * 128);
            TSTORE(state_out_2, state_out);
            set_flag(PIPE_MTE3, PIPE_MTE2, event_t(dv0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(dv0_buffer));
            // o: cast(reshape(read, [b, heads, group, dv]), bf16)
            OGm o_out(o + int64_t(b0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128 + int64_t(dv0));
            TSTORE(o_out, o_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(dv0_buffer));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + group0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void step(
    __gm__ float *state, __gm__ bfloat16_t *o, __gm__ float *decay, __gm__ float *k_n, __gm__ bfloat16_t *v,
    __gm__ float *beta, __gm__ float *q_n, int32_t b_begin, int32_t b_end, int32_t nblk)
{
    run_block(state, o, decay, k_n, v, beta, q_n, b_begin, b_end, nblk, static_cast<int32_t>(get_block_idx()));
}
