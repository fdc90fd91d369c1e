// sinkhorn_vec7: vector kernel of `sinkhorn` for a2a3. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 1; memory UB 1440 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x8_c4_r4 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 4, 4>;
using VecF32_8x8_c4_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 4>;
using VecF32_8x1_r4 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1>;
using ThirdRGm = GlobalTensor<float, Shape<1, 1, 1, 4, 4>, Stride<1, 1, 1, 4, 1>>;
using Third1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ float *y_r,
    __gm__ float *third_r,
    __gm__ float *third_1,
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
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        // return: r / sum(r, axis=-2, keepdim=true)
        VecF32_8x8_c4_r4 third_r_tile; TASSIGN(third_r_tile, 0x00000 + t0_buffer * 0x00080);  // UB 0x00000..0x00200, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ThirdRGm third_r_in(third_r + int64_t(t0) * 16);
        TLOAD(third_r_tile, third_r_in);
        VecF32_8x8_c4_r1 third_1_tile; TASSIGN(third_1_tile, 0x00200 + t0_buffer * 0x00020);  // UB 0x00200..0x00280, 4 copies
        Third1Gm third_1_in(third_1 + int64_t(t0) * 4);
        TLOAD(third_1_tile, third_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x8_c4_r4 third; TASSIGN<0x00480>(third);  // UB 0x00480..0x00500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCOLEXPANDDIV(third, third_r_tile, third_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        // r: m / sum(m, axis=-1, keepdim=true)
        VecF32_8x1_r4 y_r_1; TASSIGN<0x00500>(y_r_1);  // UB 0x00500..0x00520
        VecF32_8x8_c4_r4 y_r_1_tmp; TASSIGN<0x00520>(y_r_1_tmp);  // UB 0x00520..0x005a0
        pipe_barrier(PIPE_V);
        TROWSUM(y_r_1, third, y_r_1_tmp);
        VecF32_8x8_c4_r4 y_r_tile; TASSIGN(y_r_tile, 0x00280 + t0_buffer * 0x00080);  // UB 0x00280..0x00480, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPANDDIV(y_r_tile, third, y_r_1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ThirdRGm y_r_out(y_r + int64_t(t0) * 16);
        TSTORE(y_r_out, y_r_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec7(
    __gm__ float *y_r, __gm__ float *third_r, __gm__ float *third_1, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y_r, third_r, third_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
