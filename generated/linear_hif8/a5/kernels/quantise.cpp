// quantise: vector kernel of `linear_hif8` for a5. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 8; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecHif8_8x2048 = Tile<TileType::Vec, hifloat8_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using XQGm = GlobalTensor<hifloat8_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ hifloat8_t *x_q,
    __gm__ bfloat16_t *x,
    float x_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // x_q: cast(cast(x, fp32) / x_scale, hif8)
        VecB16_8x2048 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + t0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 2048, {t0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x2048 x_q_1(t0_valid); TASSIGN<0x18000>(x_q_1);  // UB 0x18000..0x28000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(x_q_1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        TDIVS(x_q_1, x_q_1, x_scale);
        VecHif8_8x2048 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x10000 + t0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(x_q_tile, x_q_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XQGm x_q_out(x_q + int64_t(t0) * 2048, {t0_valid});
        TSTORE(x_q_out, x_q_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise(
    __gm__ hifloat8_t *x_q, __gm__ bfloat16_t *x, float x_scale, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(x_q, x, x_scale, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
