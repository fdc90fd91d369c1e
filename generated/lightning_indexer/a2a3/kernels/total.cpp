// total: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages total; tiles i1 1, i2 96; memory UB 13440 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x96 = Tile<TileType::Vec, float, 16, 96, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using AllScores1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void total(
    __gm__ float *all_scores_1,
    __gm__ float *s,
    int32_t kv,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        for (int32_t i2 = 0; i2 < kv; i2 += 96, i2_slot ^= 1) {
            const int32_t i2_valid = kv - i2 < 96 ? kv - i2 : 96;
            // all_scores: sum(s, axis=1)  [lightning_indexer.yaml:24]
            VecF32_16x96 part(i2_valid); TASSIGN(part, 0x00300 + i2_slot * 0x01800);  // UB 0x00300..0x03300, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));  // free again
            SGm s_in(s + int64_t(i1) * kv * 16 + int64_t(i2), {i2_valid}, {int64_t(kv)});
            TLOAD(part, s_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
            VecF32_1x96 total(i2_valid); TASSIGN(total, 0x00000 + i2_slot * 0x00180);  // UB 0x00000..0x00300, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));  // free again
            TEXPANDS(total, 0.0f);
            VecF32_1x96 found(i2_valid); TASSIGN(found, 0x03300);  // UB 0x03300..0x03480
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
            TCOLSUM(found, part);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));
            pipe_barrier(PIPE_V);
            TADD(total, total, found);
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
            AllScores1Gm all_scores_1_out(all_scores_1 + int64_t(i1) * kv + int64_t(i2), {i2_valid});
            TSTORE(all_scores_1_out, total);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
