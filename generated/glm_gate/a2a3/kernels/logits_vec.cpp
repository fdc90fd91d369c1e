// logits_vec: vector kernel of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
// stages logits; tiles i1 96; memory UB 9600 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_5x96 = Tile<TileType::Vec, float, 5, 96, BLayout::RowMajor, 5, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
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
    int32_t i1_buffer = 0;  // which of 4 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t i1 = block * 96; i1 < t * 160; i1 += nblk * 96, i1_buffer = (i1_buffer + 1) % 4) {
        const int32_t i1_valid = t * 160 - i1 < 96 ? t * 160 - i1 : 96;
        // l: matmul(x, w, dtype=fp32)
        VecF32_5x96 part(i1_valid); TASSIGN(part, 0x00000 + i1_buffer * 0x00780);  // UB 0x00000..0x01e00, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        LPartsGm l_parts_in(l_parts + int64_t(i1), {i1_valid}, {int64_t(t) * 160});
        TLOAD(part, l_parts_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecF32_1x96 total(i1_valid); TASSIGN(total, 0x01e00 + i1_buffer * 0x00180);  // UB 0x01e00..0x02400, 4 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TEXPANDS(total, 0.0f);
        VecF32_1x96 found(i1_valid); TASSIGN<0x02400>(found);  // UB 0x02400..0x02580
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TCOLSUM(found, part);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        pipe_barrier(PIPE_V);
        TADD(total, total, found);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        LGm l_out(l + int64_t(i1), {i1_valid});
        TSTORE(l_out, total);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
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
