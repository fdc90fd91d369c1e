// absent: vector kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages absent; tiles t 4; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_4x2048 = Tile<TileType::Vec, int32_t, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_4x2048 = Tile<TileType::Vec, float, 4, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *bias,
    __gm__ int32_t *index,
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
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        // bias: reshape(minimum(cast(index, fp32) + 0.5, 0) * 2.0e30, [t, 1, selected])
        VecI32_4x2048 index_tile(t0_valid); TASSIGN(index_tile, 0x00000 + t0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        IndexGm index_in(index + int64_t(t0) * 2048, {t0_valid});
        TLOAD(index_tile, index_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_4x2048 bias_1(t0_valid); TASSIGN<0x20000>(bias_1);  // UB 0x20000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(bias_1, index_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TADDS(bias_1, bias_1, 0.5f);
        pipe_barrier(PIPE_V);
        TMINS(bias_1, bias_1, 0.0f);
        VecF32_4x2048 bias_4(t0_valid); TASSIGN(bias_4, 0x10000 + t0_buffer * 0x08000);  // UB 0x10000..0x20000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TMULS(bias_4, bias_1, 2e+30f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        BiasGm bias_out(bias + int64_t(t0) * 2048, {t0_valid});
        TSTORE(bias_out, bias_4);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void absent(
    __gm__ float *bias, __gm__ int32_t *index, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(bias, index, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
