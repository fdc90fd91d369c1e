// inverse_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles copy_1_columns 768; memory UB 6144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x768 = Tile<TileType::Vec, int32_t, 1, 768, BLayout::RowMajor, 1, DYNAMIC>;
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
    int32_t copy_1_columns0_buffer = 0;  // which of 2 buffers this iteration of copy_1_columns0 uses
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t copy_1_columns0 = block * 768; copy_1_columns0 < t * 8; copy_1_columns0 += nblk * 768, copy_1_columns0_buffer ^= 1) {
        const int32_t copy_1_columns0_valid = t * 8 - copy_1_columns0 < 768 ? t * 8 - copy_1_columns0 : 768;
        // copy:   reshape(arange(t * k), [t * k, 1])
        VecI32_1x768 copy_1_view(copy_1_columns0_valid); TASSIGN(copy_1_view, 0x00000 + copy_1_columns0_buffer * 0x00c00);  // UB 0x00000..0x01800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_S, event_t(copy_1_columns0_buffer));  // free again
        TCI<VecI32_1x768, int32_t, 0>(copy_1_view, copy_1_columns0);
        set_flag(PIPE_S, PIPE_MTE3, event_t(copy_1_columns0_buffer));
        wait_flag(PIPE_S, PIPE_MTE3, event_t(copy_1_columns0_buffer));
        CopyGm copy_out(copy + int64_t(copy_1_columns0), {copy_1_columns0_valid});
        TSTORE(copy_out, copy_1_view);
        set_flag(PIPE_MTE3, PIPE_S, event_t(copy_1_columns0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec2(__gm__ int32_t *copy, int32_t t, int32_t nblk)
{
    run_block(copy, t, nblk, static_cast<int32_t>(get_block_idx()));
}
