// look_up_vec1: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages look_up; tiles bag 16, t 128; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_128x16 = Tile<TileType::Vec, int32_t, 128, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void look_up_vec1(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *token,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t bag0_slot = 0;  // which of 2 buffers this round of bag0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 16, bag0_slot ^= 1) {
            const int32_t bag0_valid = bag - bag0 < 16 ? bag - bag0 : 16;
            // rows: index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
            VecI32_128x16 token_tile(t0_valid, bag0_valid); TASSIGN(token_tile, 0x00000 + bag0_slot * 0x02000);  // UB 0x00000..0x04000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));  // free again
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            VecI32_128x16 rows_1_tile(t0_valid, bag0_valid); TASSIGN(rows_1_tile, 0x04000 + bag0_slot * 0x02000);  // UB 0x04000..0x08000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));  // free again
            TMAXS(rows_1_tile, token_tile, 0);
            set_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            TokenGm rows_1_out(rows_1 + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TSTORE(rows_1_out, rows_1_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
