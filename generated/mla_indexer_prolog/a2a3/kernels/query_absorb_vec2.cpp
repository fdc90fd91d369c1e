// query_absorb_vec2: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles i2 24, i3 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_24x512 = Tile<TileType::Vec, bfloat16_t, 24, 512, BLayout::RowMajor, DYNAMIC, 512>;
using QNope1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, DYNAMIC, 1>>;
using QNopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void query_absorb_vec2(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_nope_1,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i3 = block; i3 < t; i3 += nblk) {
        for (int32_t i2 = 0; i2 < 32; i2 += 24, i2_slot ^= 1) {
            const int32_t i2_valid = 32 - i2 < 24 ? 32 - i2 : 24;
            // q_nope: permute(matmul(q_h, w_uk, dtype=bf16), [1, 0, 2])  [mla_indexer_prolog.yaml:76]
            VecB16_24x512 part(i2_valid); TASSIGN(part, 0x00000 + i2_slot * 0x06000);  // UB 0x00000..0x0c000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
            QNope1Gm q_nope_1_in(q_nope_1 + int64_t(i2) * t * 512 + int64_t(i3) * 512, {i2_valid}, {int64_t(t) * 512});
            TLOAD(part, q_nope_1_in);
            set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            QNopeGm q_nope_out(q_nope + int64_t(i3) * 16384 + int64_t(i2) * 512, {i2_valid});
            TSTORE(q_nope_out, part);
            set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
