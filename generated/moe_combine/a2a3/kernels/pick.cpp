// pick: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages pick; tiles i1 1, i2 1; memory UB 4096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void pick(
    __gm__ bfloat16_t *picked,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = 0; i1 < 8; ++i1) {
        for (int32_t i2 = block; i2 < t; i2 += nblk, i2_slot ^= 1) {
            const int64_t place_2 = place[int64_t(i2) * 8 + int64_t(i1)];
            // picked: reshape(index_select(rows, 0, reshape(permute(place, [1, 0]), [k * t])), [k, t, h])  [moe_combine.yaml:23]
            VecB16_1x1024 part; TASSIGN(part, 0x00000 + i2_slot * 0x00800);  // UB 0x00000..0x01000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));  // free again
            RowsGm rows_in(rows + int64_t(place_2) * 1024);
            TLOAD(part, rows_in);
            set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_slot));
            RowsGm picked_out(picked + int64_t(i1) * t * 1024 + int64_t(i2) * 1024);
            TSTORE(picked_out, part);
            set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
