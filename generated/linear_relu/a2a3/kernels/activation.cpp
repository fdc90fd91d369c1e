// activation: vector kernel of `linear_relu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activation; tiles n 512, t 16; memory UB 135168 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF16_16x512 = Tile<TileType::Vec, half, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using PGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1024, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ half *y,
    __gm__ float *p,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 15) / 16 * 2;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2 * 16;
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        const int32_t n0 = tile % 2 * 512;
        // y: cast(relu(p + bias), fp16)
        VecF32_16x512 p_tile(t0_valid); TASSIGN(p_tile, 0x00000 + n0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
        PGm p_in(p + int64_t(t0) * 1024 + int64_t(n0), {t0_valid});
        TLOAD(p_tile, p_in);
        VecF32_1x512 bias_tile; TASSIGN(bias_tile, 0x10000 + n0_buffer * 0x00800);  // UB 0x10000..0x11000, 2 copies
        BiasGm bias_in(bias + int64_t(n0));
        TLOAD(bias_tile, bias_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        VecF32_16x512 y_1(t0_valid); TASSIGN<0x19000>(y_1);  // UB 0x19000..0x21000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        TCOLEXPANDADD(y_1, p_tile, bias_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
        pipe_barrier(PIPE_V);
        TRELU(y_1, y_1);
        VecF16_16x512 y_tile(t0_valid); TASSIGN(y_tile, 0x11000 + n0_buffer * 0x04000);  // UB 0x11000..0x19000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        YGm y_out(y + int64_t(t0) * 1024 + int64_t(n0), {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void activation(
    __gm__ half *y, __gm__ float *p, __gm__ float *bias, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, p, bias, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
