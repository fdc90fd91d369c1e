// look_up_vec2: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages look_up; tiles i1 1; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void look_up_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *rows_1,
    int32_t bag,
    int32_t t,
    int32_t vocabulary,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i1_slot = 0;  // which of 2 buffers this round of i1 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block; i1 < bag * t; i1 += nblk, i1_slot ^= 1) {
        const int64_t place = rows_1[int64_t(i1)];
        PTO_ASSERT(place >= 0 && place < int64_t(vocabulary), "an index in rows_1 is out of range");
        // rows:  index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
        VecB16_1x128 part; TASSIGN(part, 0x00000 + i1_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_slot));  // free again
        TableGm table_in(table + int64_t(place) * 128);
        TLOAD(part, table_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_slot));
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_slot));
        TableGm rows_out(rows + int64_t(i1) * 128);
        TSTORE(rows_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_slot));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
