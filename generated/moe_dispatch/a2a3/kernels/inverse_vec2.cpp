// inverse_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles i1 6144; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x6144 = Tile<TileType::Vec, int32_t, 1, 6144, BLayout::RowMajor, 1, DYNAMIC>;
using CopyGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *copy,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 6144; i1 < t * 8; i1 += nblk * 6144, i1_buffer ^= 1) {
        const int32_t i1_valid = t * 8 - i1 < 6144 ? t * 8 - i1 : 6144;
        // copy:   reshape(arange(t * k), [t * k, 1])
        VecI32_1x6144 run(i1_valid); TASSIGN(run, 0x00000 + i1_buffer * 0x06000);  // UB 0x00000..0x0c000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(i1_buffer));  // free again
        TCI<VecI32_1x6144, int32_t, 0>(run, i1);
        set_flag(PIPE_S, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(i1_buffer));
        CopyGm copy_out(copy + int64_t(i1), {i1_valid});
        TSTORE(copy_out, run);
        set_flag(PIPE_MTE3, PIPE_S, event_t(i1_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec2(__gm__ int32_t *copy, int32_t t, int32_t nblk)
{
    run_block(copy, t, nblk, static_cast<int32_t>(get_block_idx()));
}
