// vector_add: vector kernel of `vector_add` for a2a3. Made by pyptogen; change the spec, not this file.
// stages vector_add; tiles n 4096; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *c,
    __gm__ float *a,
    __gm__ float *b,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t n0 = n_begin + block * 4096; n0 < n_end; n0 += nblk * 4096, n0_buffer ^= 1) {
        const int32_t n0_valid = n_end - n0 < 4096 ? n_end - n0 : 4096;
        // c: a + b
        VecF32_1x4096 a_tile(n0_valid); TASSIGN(a_tile, 0x00000 + n0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
        AGm a_in(a + int64_t(n0), {n0_valid});
        TLOAD(a_tile, a_in);
        VecF32_1x4096 b_tile(n0_valid); TASSIGN(b_tile, 0x08000 + n0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        AGm b_in(b + int64_t(n0), {n0_valid});
        TLOAD(b_tile, b_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        VecF32_1x4096 c_tile(n0_valid); TASSIGN(c_tile, 0x10000 + n0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));  // free again
        TADD(c_tile, a_tile, b_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        AGm c_out(c + int64_t(n0), {n0_valid});
        TSTORE(c_out, c_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void vector_add(
    __gm__ float *c, __gm__ float *a, __gm__ float *b, int32_t n_begin, int32_t n_end, int32_t nblk)
{
    run_block(c, a, b, n_begin, n_end, nblk, static_cast<int32_t>(get_block_idx()));
}
