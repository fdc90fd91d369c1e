// query_absorb_vec1: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles i2 96, i3 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_96x128 = Tile<TileType::Vec, bfloat16_t, 96, 128, BLayout::RowMajor, DYNAMIC, 128>;
using QB4Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 6144, 1>>;
using QHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_absorb_vec1(
    __gm__ bfloat16_t *q_h,
    __gm__ bfloat16_t *q_b_4,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i3 = 0; i3 < 32; ++i3) {
        for (int32_t i2 = block * 96; i2 < t; i2 += nblk * 96, i2_slot ^= 1) {
            const int32_t i2_valid = t - i2 < 96 ? t - i2 : 96;
            // q_h: permute(q_b[:, :, :nope], [1, 0, 2])  [mla_indexer_prolog.yaml:75]
            VecB16_96x128 part(i2_valid); TASSIGN(part, 0x00000 + i2_slot * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
            QB4Gm q_b_4_in(q_b_4 + int64_t(i2) * 6144 + int64_t(i3) * 192, {i2_valid});
            TLOAD(part, q_b_4_in);
            set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            QHGm q_h_out(q_h + int64_t(i2) * 128 + int64_t(i3) * t * 128, {i2_valid});
            TSTORE(q_h_out, part);
            set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
