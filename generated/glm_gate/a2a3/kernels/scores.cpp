// scores: vector kernel of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles t 16; memory UB 72320 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x160 = Tile<TileType::Vec, float, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_16x160 = Tile<TileType::Vec, float, 16, 160, BLayout::RowMajor, DYNAMIC, 160>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;

AICORE inline void run_block(
    __gm__ float *score,
    __gm__ float *choice,
    __gm__ float *l,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // choice: score + bias
    VecF32_1x160 bias_tile; TASSIGN<0x0a000>(bias_tile);  // UB 0x0a000..0x0a280
    BiasGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // score:  1 / (1 + exp(-l))
        VecF32_16x160 l_tile(t0_valid); TASSIGN(l_tile, 0x00000 + t0_buffer * 0x02800);  // UB 0x00000..0x05000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        LGm l_in(l + int64_t(t0) * 160, {t0_valid});
        TLOAD(l_tile, l_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_16x160 score_1(t0_valid); TASSIGN<0x0f280>(score_1);  // UB 0x0f280..0x11a80
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TNEG(score_1, l_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TEXP(score_1, score_1);
        pipe_barrier(PIPE_V);
        TADDS(score_1, score_1, 1.0f);
        VecF32_16x160 score_tile(t0_valid); TASSIGN(score_tile, 0x05000 + t0_buffer * 0x02800);  // UB 0x05000..0x0a000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TDIVS(score_tile, 1.0f, score_1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // choice: score + bias
        VecF32_16x160 choice_tile(t0_valid); TASSIGN(choice_tile, 0x0a280 + t0_buffer * 0x02800);  // UB 0x0a280..0x0f280, 2 copies
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(choice_tile, score_tile, bias_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // score:  1 / (1 + exp(-l))
        LGm score_out(score + int64_t(t0) * 160, {t0_valid});
        TSTORE(score_out, score_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // choice: score + bias
        LGm choice_out(choice + int64_t(t0) * 160, {t0_valid});
        TSTORE(choice_out, choice_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores(
    __gm__ float *score, __gm__ float *choice, __gm__ float *l, __gm__ float *bias, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(score, choice, l, bias, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
