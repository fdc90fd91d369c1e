// weight: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weight; tiles i1 1, i2 12288; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x12288 = Tile<TileType::Vec, bfloat16_t, 1, 12288, BLayout::RowMajor, 1, DYNAMIC>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void weight(
    __gm__ bfloat16_t *w_b,
    __gm__ bfloat16_t *w,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block; i1 < full + 16; i1 += nblk) {
        const int64_t place = group[int64_t(i1)];
        PTO_ASSERT(place >= 0 && place < 16, "an index in group is out of range");
        for (int32_t i2 = 0; i2 < 262144; i2 += 12288, i2_slot ^= 1) {
            const int32_t i2_valid = 262144 - i2 < 12288 ? 262144 - i2 : 12288;
            // w_b: index_select(w, 0, group)  [grouped_matmul.yaml:38]
            VecB16_1x12288 part(i2_valid); TASSIGN(part, 0x00000 + i2_slot * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
            WGm w_in(w + int64_t(place) * 262144 + int64_t(i2), {i2_valid});
            TLOAD(part, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            WGm w_b_out(w_b + int64_t(i1) * 262144 + int64_t(i2), {i2_valid});
            TSTORE(w_b_out, part);
            set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
