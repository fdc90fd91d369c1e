// index_weights_vec: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_weights; tiles t 32; memory UB 57344 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF16_32x64 = Tile<TileType::Vec, half, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using Weights1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ half *weights,
    __gm__ float *weights_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // weights: cast(matmul(x_n, w_iw, dtype=fp32) * (index_heads ** -0.5 * d ** -0.5), fp16)
        VecF32_32x64 weights_1_tile(t0_valid); TASSIGN(weights_1_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        Weights1Gm weights_1_in(weights_1 + int64_t(t0) * 64, {t0_valid});
        TLOAD(weights_1_tile, weights_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_32x64 weights_2(t0_valid); TASSIGN<0x0c000>(weights_2);  // UB 0x0c000..0x0e000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TMULS(weights_2, weights_1_tile, 0.011048543f);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF16_32x64 weights_tile(t0_valid); TASSIGN(weights_tile, 0x08000 + t0_buffer * 0x01000);  // UB 0x08000..0x0c000, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(weights_tile, weights_2, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        WeightsGm weights_out(weights + int64_t(t0) * 64, {t0_valid});
        TSTORE(weights_out, weights_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_weights_vec(
    __gm__ half *weights, __gm__ float *weights_1, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(weights, weights_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
