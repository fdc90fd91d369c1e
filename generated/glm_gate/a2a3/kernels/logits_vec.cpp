// logits_vec: vector kernel of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
// stages logits; tiles l_sum_columns 1024; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_5x1024 = Tile<TileType::Vec, float, 5, 1024, BLayout::RowMajor, 5, DYNAMIC>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using LPartsGm = GlobalTensor<float, Shape<1, 1, 1, 5, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *l,
    __gm__ float *l_parts,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t l_sum_columns0_buffer = 0;  // which of 4 buffers this iteration of l_sum_columns0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t l_sum_columns0 = block * 1024; l_sum_columns0 < t * 160; l_sum_columns0 += nblk * 1024, l_sum_columns0_buffer = (l_sum_columns0_buffer + 1) % 4) {
        const int32_t l_sum_columns0_valid = t * 160 - l_sum_columns0 < 1024 ? t * 160 - l_sum_columns0 : 1024;
        // l: matmul(x, w, dtype=fp32)
        VecF32_5x1024 l_parts_tile(l_sum_columns0_valid); TASSIGN(l_parts_tile, 0x00000 + l_sum_columns0_buffer * 0x05000);  // UB 0x00000..0x14000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(l_sum_columns0_buffer));  // free again
        LPartsGm l_parts_in(l_parts + int64_t(l_sum_columns0), {l_sum_columns0_valid}, {int64_t(t) * 160});
        TLOAD(l_parts_tile, l_parts_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(l_sum_columns0_buffer));
        VecF32_1x1024 l_sum(l_sum_columns0_valid); TASSIGN(l_sum, 0x14000 + l_sum_columns0_buffer * 0x01000);  // UB 0x14000..0x18000, 4 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(l_sum_columns0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(l_sum_columns0_buffer));  // free again
        TCOLSUM(l_sum, l_parts_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(l_sum_columns0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(l_sum_columns0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(l_sum_columns0_buffer));
        LGm l_out(l + int64_t(l_sum_columns0), {l_sum_columns0_valid});
        TSTORE(l_out, l_sum);
        set_flag(PIPE_MTE3, PIPE_V, event_t(l_sum_columns0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void logits_vec(__gm__ float *l, __gm__ float *l_parts, int32_t t, int32_t nblk)
{
    run_block(l, l_parts, t, nblk, static_cast<int32_t>(get_block_idx()));
}
