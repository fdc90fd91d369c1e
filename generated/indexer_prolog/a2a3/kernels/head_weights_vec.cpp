// head_weights_vec: vector kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages head_weights; tiles heads 16, t 32; memory UB 10240 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x16 = Tile<TileType::Vec, bfloat16_t, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF32_32x16 = Tile<TileType::Vec, float, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_32x16 = Tile<TileType::Vec, half, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using WBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 16>, Stride<1, 1, 1, 64, 1>>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 16>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ half *weights,
    __gm__ bfloat16_t *w_b,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t heads0_buffer = 0;  // which of 4 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 4;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer = (heads0_buffer + 1) % 4) {
        const int32_t t0 = t_begin + tile / 4 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t heads0 = tile % 4 * 16;
        // weights: cast(cast(w_b, fp32) * (heads ** -0.5 * d ** -0.5), fp16)
        VecB16_32x16 w_b_tile(t0_valid); TASSIGN(w_b_tile, 0x00000 + heads0_buffer * 0x00400);  // UB 0x00000..0x01000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        WBGm w_b_in(w_b + int64_t(t0) * 64 + int64_t(heads0), {t0_valid});
        TLOAD(w_b_tile, w_b_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        VecF32_32x16 weights_1(t0_valid); TASSIGN<0x02000>(weights_1);  // UB 0x02000..0x02800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TCVT(weights_1, w_b_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        pipe_barrier(PIPE_V);
        TMULS(weights_1, weights_1, 0.011048543f);
        VecF16_32x16 weights_tile(t0_valid); TASSIGN(weights_tile, 0x01000 + heads0_buffer * 0x00400);  // UB 0x01000..0x02000, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TCVT(weights_tile, weights_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        WeightsGm weights_out(weights + int64_t(t0) * 64 + int64_t(heads0), {t0_valid});
        TSTORE(weights_out, weights_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void head_weights_vec(
    __gm__ half *weights, __gm__ bfloat16_t *w_b, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(weights, w_b, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
