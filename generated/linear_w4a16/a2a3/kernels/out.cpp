// out: vector kernel of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages out; tiles t 8; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using TotalEndGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *total_end,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // y: cast(total, bf16)
        VecF32_8x2048 total_end_tile(t0_valid); TASSIGN(total_end_tile, 0x00000 + t0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        TotalEndGm total_end_in(total_end + int64_t(t0) * 2048, {t0_valid});
        TLOAD(total_end_tile, total_end_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecB16_8x2048 y_tile(t0_valid); TASSIGN<0x20000>(y_tile);  // UB 0x20000..0x28000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_tile, total_end_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(t0) * 2048, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void out(
    __gm__ bfloat16_t *y, __gm__ float *total_end, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, total_end, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
