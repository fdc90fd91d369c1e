// sinkhorn_vec1: vector kernel of `sinkhorn` for a2a3. Made by pyptogen; change the spec, not this file.
// stages sinkhorn; tiles t 32; memory UB 25088 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x8_c4 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 4>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ float *first_r,
    __gm__ float *x,
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
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // e: exp(x - amax(x, axis=-1, keepdim=true))
        VecF32_128x8_c4 x_tile(t0_valid * 4); TASSIGN(x_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 16, {t0_valid * 4});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_128x1 e_1(t0_valid * 4); TASSIGN<0x04000>(e_1);  // UB 0x04000..0x04200
        VecF32_128x8_c4 e_1_tmp(t0_valid * 4); TASSIGN<0x04200>(e_1_tmp);  // UB 0x04200..0x05200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWMAX(e_1, x_tile, e_1_tmp);
        VecF32_128x8_c4 e(t0_valid * 4); TASSIGN<0x04200>(e);  // UB 0x04200..0x05200
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(e, x_tile, e_1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        pipe_barrier(PIPE_V);
        TEXP(e, e);
        // r: m / sum(m, axis=-1, keepdim=true)
        VecF32_128x1 first_r_1(t0_valid * 4); TASSIGN<0x04000>(first_r_1);  // UB 0x04000..0x04200
        VecF32_128x8_c4 first_r_1_tmp(t0_valid * 4); TASSIGN<0x05200>(first_r_1_tmp);  // UB 0x05200..0x06200
        pipe_barrier(PIPE_V);
        TROWSUM(first_r_1, e, first_r_1_tmp);
        VecF32_128x8_c4 first_r_tile(t0_valid * 4); TASSIGN(first_r_tile, 0x02000 + t0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPANDDIV(first_r_tile, e, first_r_1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XGm first_r_out(first_r + int64_t(t0) * 16, {t0_valid * 4});
        TSTORE(first_r_out, first_r_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void sinkhorn_vec1(
    __gm__ float *first_r, __gm__ float *x, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(first_r, x, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
