// share: vector kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 8; memory UB 3104 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x16_c10 = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, 10>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 10>, Stride<1, 1, 1, 10, 1>>;

AICORE inline void run_block(
    __gm__ float *weight,
    __gm__ float *top,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // weight: softmax(top)
        VecF32_8x16_c10 top_tile(t0_valid); TASSIGN(top_tile, 0x00000 + t0_buffer * 0x00200);  // UB 0x00000..0x00400, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        TopGm top_in(top + int64_t(t0) * 10, {t0_valid});
        TLOAD(top_tile, top_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x1 weight_max(t0_valid); TASSIGN<0x00800>(weight_max);  // UB 0x00800..0x00820
        VecF32_8x16_c10 weight_max_tmp(t0_valid); TASSIGN<0x00820>(weight_max_tmp);  // UB 0x00820..0x00a20
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWMAX(weight_max, top_tile, weight_max_tmp);
        VecF32_8x16_c10 weight_c(t0_valid); TASSIGN<0x00820>(weight_c);  // UB 0x00820..0x00a20
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(weight_c, top_tile, weight_max);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x16_c10 weight_e(t0_valid); TASSIGN<0x00820>(weight_e);  // UB 0x00820..0x00a20
        pipe_barrier(PIPE_V);
        TEXP(weight_e, weight_c);
        VecF32_8x1 weight_sum(t0_valid); TASSIGN<0x00800>(weight_sum);  // UB 0x00800..0x00820
        VecF32_8x16_c10 weight_sum_tmp(t0_valid); TASSIGN<0x00a20>(weight_sum_tmp);  // UB 0x00a20..0x00c20
        pipe_barrier(PIPE_V);
        TROWSUM(weight_sum, weight_e, weight_sum_tmp);
        VecF32_8x16_c10 weight_tile(t0_valid); TASSIGN(weight_tile, 0x00400 + t0_buffer * 0x00200);  // UB 0x00400..0x00800, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPANDDIV(weight_tile, weight_e, weight_sum);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        TopGm weight_out(weight + int64_t(t0) * 10, {t0_valid});
        TSTORE(weight_out, weight_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void share(
    __gm__ float *weight, __gm__ float *top, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(weight, top, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
