// gather_vec4: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages gather; tiles i2 96, i3 1, i4 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_96x128 = Tile<TileType::Vec, bfloat16_t, 96, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VRowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec4(
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *v_rows,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i3 = block; i3 < batch; i3 += nblk) {
        for (int32_t i4 = 0; i4 < 2; ++i4) {
            for (int32_t i2 = 0; i2 < pages * 32; i2 += 96, i2_slot ^= 1) {
                const int32_t i2_valid = pages * 32 - i2 < 96 ? pages * 32 - i2 : 96;
                // return: permute(reshape(rows, [batch, slots, kv_heads, d]), [0, 2, 1, 3])  [paged_attention.yaml:29]
                VecB16_96x128 part(i2_valid); TASSIGN(part, 0x00000 + i2_slot * 0x06000);  // UB 0x00000..0x0c000, 2 copies
                wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
                VRowsGm v_rows_in(v_rows + int64_t(i3) * pages * 8192 + int64_t(i2) * 256 + int64_t(i4) * 128, {i2_valid});
                TLOAD(part, v_rows_in);
                set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
                wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
                VGm v_out(v + int64_t(i3) * pages * 8192 + int64_t(i4) * pages * 4096 + int64_t(i2) * 128, {i2_valid});
                TSTORE(v_out, part);
                set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
