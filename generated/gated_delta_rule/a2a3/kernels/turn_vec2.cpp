// turn_vec2: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles i2 96, i3 1, i4 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_96x128 = Tile<TileType::Vec, bfloat16_t, 96, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 4096, 1>>;
using VHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec2(
    __gm__ bfloat16_t *v_h,
    __gm__ bfloat16_t *v,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    for (int32_t i3 = block; i3 < b; i3 += nblk) {
        for (int32_t i4 = 0; i4 < 32; ++i4) {
            for (int32_t i2 = 0; i2 < s; i2 += 96, i2_slot ^= 1) {
                const int32_t i2_valid = s - i2 < 96 ? s - i2 : 96;
                // v_h: permute(v, [0, 2, 3, 1, 4])  [gated_delta_rule.yaml:48]
                VecB16_96x128 part(i2_valid); TASSIGN(part, 0x00000 + i2_slot * 0x06000);  // UB 0x00000..0x0c000, 2 copies
                wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
                VGm v_in(v + int64_t(i2) * 4096 + int64_t(i3) * s * 4096 + int64_t(i4) * 128, {i2_valid});
                TLOAD(part, v_in);
                set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
                wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
                VHGm v_h_out(v_h + int64_t(i3) * s * 4096 + int64_t(i2) * 128 + int64_t(i4) * s * 128, {i2_valid});
                TSTORE(v_h_out, part);
                set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
#endif
}
