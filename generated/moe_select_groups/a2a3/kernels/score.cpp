// score: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages score; tiles t 16; memory UB 115712 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *s,
    __gm__ float *c,
    __gm__ float *logits,
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
    // c: reshape(s + bias, [t, groups, each])
    VecF32_1x256 bias_tile; TASSIGN<0x10000>(bias_tile);  // UB 0x10000..0x10400
    BiasGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // s: sigmoid(logits)
        VecF32_16x256 logits_tile(t0_valid); TASSIGN(logits_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        LogitsGm logits_in(logits + int64_t(t0) * 256, {t0_valid});
        TLOAD(logits_tile, logits_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_16x256 s_neg(t0_valid); TASSIGN<0x18400>(s_neg);  // UB 0x18400..0x1c400
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TNEG(s_neg, logits_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_16x256 s_e(t0_valid); TASSIGN<0x18400>(s_e);  // UB 0x18400..0x1c400
        pipe_barrier(PIPE_V);
        TEXP(s_e, s_neg);
        VecF32_16x256 s_one_e(t0_valid); TASSIGN<0x18400>(s_one_e);  // UB 0x18400..0x1c400
        pipe_barrier(PIPE_V);
        TADDS(s_one_e, s_e, 1.0f);
        VecF32_16x256 s_tile(t0_valid); TASSIGN(s_tile, 0x08000 + t0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TDIVS(s_tile, 1.0f, s_one_e);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // c: reshape(s + bias, [t, groups, each])
        VecF32_16x256 c_1(t0_valid); TASSIGN(c_1, 0x10400 + t0_buffer * 0x04000);  // UB 0x10400..0x18400, 2 copies
        pipe_barrier(PIPE_V);
        TCOLEXPANDADD(c_1, s_tile, bias_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // s: sigmoid(logits)
        LogitsGm s_out(s + int64_t(t0) * 256, {t0_valid});
        TSTORE(s_out, s_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // c: reshape(s + bias, [t, groups, each])
        LogitsGm c_out(c + int64_t(t0) * 256, {t0_valid});
        TSTORE(c_out, c_1);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void score(
    __gm__ float *s, __gm__ float *c, __gm__ float *logits, __gm__ float *bias, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(s, c, logits, bias, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
