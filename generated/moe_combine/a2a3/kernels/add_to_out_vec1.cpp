// add_to_out_vec1: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles t 8; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x1024 = Tile<TileType::Vec, bfloat16_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using TotalStartGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *total_start,
    __gm__ bfloat16_t *shared,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 3 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 3 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // 3 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer = (t0_buffer + 1) % 3) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // total: cast(shared, fp32)
        VecB16_8x1024 shared_tile(t0_valid); TASSIGN(shared_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x0c000, 3 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        SharedGm shared_in(shared + int64_t(t0) * 1024, {t0_valid});
        TLOAD(shared_tile, shared_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x1024 total_start_tile(t0_valid); TASSIGN(total_start_tile, 0x0c000 + t0_buffer * 0x08000);  // UB 0x0c000..0x24000, 3 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(total_start_tile, shared_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        TotalStartGm total_start_out(total_start + int64_t(t0) * 1024, {t0_valid});
        TSTORE(total_start_out, total_start_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 3 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // drain: the last use of each of 3 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void add_to_out_vec1(
    __gm__ float *total_start, __gm__ bfloat16_t *shared, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(total_start, shared, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
