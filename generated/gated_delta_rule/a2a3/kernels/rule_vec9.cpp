// rule_vec9: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 132096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using OInverse32Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using OBetaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OChangeLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o_change_low,
    __gm__ bfloat16_t *o_less_low,
    __gm__ float *o_inverse_32,
    __gm__ float *o_corner_64,
    __gm__ float *o_beta,
    __gm__ float *o_left,
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
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t s0_tiles = (s + 63) / 64;
    const int32_t tiles = (b_end - b_begin) * s0_tiles * 32;  // of b0, heads0, group0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / (s0_tiles * 32);
        const int32_t heads0 = tile / (s0_tiles * 2) % 16;
        const int32_t group0 = tile / s0_tiles % 2;
        const int32_t s0 = tile % s0_tiles * 64;
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
        VecF32_64x64 o_inverse_32_tile(s0_valid, s0_valid); TASSIGN(o_inverse_32_tile, 0x00000 + s0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
        OInverse32Gm o_inverse_32_in(o_inverse_32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_inverse_32_tile, o_inverse_32_in);
        VecF32_64x64 o_corner_64_tile(s0_valid, s0_valid); TASSIGN(o_corner_64_tile, 0x08000 + s0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        OInverse32Gm o_corner_64_in(o_corner_64 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TLOAD(o_corner_64_tile, o_corner_64_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
        VecF32_1x64 o_beta_tile(s0_valid); TASSIGN(o_beta_tile, 0x10000 + s0_buffer * 0x00100);  // UB 0x10000..0x10200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        OBetaGm o_beta_in(o_beta + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TLOAD(o_beta_tile, o_beta_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        VecF32_1x64 o_left_tile(s0_valid); TASSIGN(o_left_tile, 0x10200 + s0_buffer * 0x00100);  // UB 0x10200..0x10400, 2 copies
        OBetaGm o_left_in(o_left + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
        TLOAD(o_left_tile, o_left_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecF32_64x64 o_inverse_64(s0_valid, s0_valid); TASSIGN<0x18400>(o_inverse_64);  // UB 0x18400..0x1c400
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_buffer));
        TSUB(o_inverse_64, o_inverse_32_tile, o_corner_64_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));
        VecF32_64x64 o_change(s0_valid, s0_valid); TASSIGN<0x18400>(o_change);  // UB 0x18400..0x1c400
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        TCOLEXPANDMUL(o_change, o_inverse_64, o_beta_tile);
        VecF32_64x64 o_less(s0_valid, s0_valid); TASSIGN<0x1c400>(o_less);  // UB 0x1c400..0x20400
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        TCOLEXPANDMUL(o_less, o_change, o_left_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        VecB16_64x64 o_change_low_tile(s0_valid, s0_valid); TASSIGN(o_change_low_tile, 0x10400 + s0_buffer * 0x02000);  // UB 0x10400..0x14400, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));  // free again
        TCVT(o_change_low_tile, o_change, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        OChangeLowGm o_change_low_out(o_change_low + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_change_low_out, o_change_low_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));
        VecB16_64x64 o_less_low_tile(s0_valid, s0_valid); TASSIGN(o_less_low_tile, 0x14400 + s0_buffer * 0x02000);  // UB 0x14400..0x18400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TCVT(o_less_low_tile, o_less, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        OChangeLowGm o_less_low_out(o_less_low + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
        TSTORE(o_less_low_out, o_less_low_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void rule_vec9(
    __gm__ bfloat16_t *o_change_low, __gm__ bfloat16_t *o_less_low, __gm__ float *o_inverse_32,
    __gm__ float *o_corner_64, __gm__ float *o_beta, __gm__ float *o_left, int32_t b_begin, int32_t b_end,
    int32_t s, int32_t nblk)
{
    run_block(
        o_change_low, o_less_low, o_inverse_32, o_corner_64, o_beta, o_left, b_begin, b_end, s, nblk,
        static_cast<int32_t>(get_block_idx()));
}
