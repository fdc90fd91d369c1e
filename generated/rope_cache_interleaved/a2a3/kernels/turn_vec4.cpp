// turn_vec4: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles i1 768, i2 768; memory UB 135168 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x768 = Tile<TileType::Vec, float, 1, 768, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_768x8_c1 = Tile<TileType::Vec, float, 768, 8, BLayout::RowMajor, DYNAMIC, 1>;
using KTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using KTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec4(
    __gm__ float *k_turned_roped,
    __gm__ float *k_turned_low,
    __gm__ float *k_turned_high,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i1_slot = 0;  // which of 2 buffers this round of i1 uses
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block * 768; i1 < t * 256; i1 += nblk * 768, i1_slot ^= 1) {
        const int32_t i1_valid = t * 256 - i1 < 768 ? t * 256 - i1 : 768;
        // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
        VecF32_1x768 part_row(i1_valid); TASSIGN(part_row, 0x00000 + i1_slot * 0x00c00);  // as a row, same bytes as part
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_slot));  // free again
        KTurnedLowGm k_turned_low_in(k_turned_low + int64_t(i1), {i1_valid});
        TLOAD(part_row, k_turned_low_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_slot));
        VecF32_768x8_c1 part_apart(i1_valid); TASSIGN(part_apart, 0x03000 + i1_slot * 0x06000);  // UB 0x03000..0x0f000, 2 copies
        VecF32_768x8_c1 part_apart_tmp(i1_valid); TASSIGN(part_apart_tmp, 0x1b000);  // UB 0x1b000..0x21000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_slot));  // free again
        TTRANS(part_apart, part_row, part_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_slot));
        KTurnedRopedGm k_turned_roped_out(k_turned_roped + int64_t(i1) * 2, {i1_valid});
        TSTORE(k_turned_roped_out, part_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    for (int32_t i2 = block * 768; i2 < t * 256; i2 += nblk * 768, i2_slot ^= 1) {
        const int32_t i2_valid = t * 256 - i2 < 768 ? t * 256 - i2 : 768;
        VecF32_1x768 part_2_row(i2_valid); TASSIGN(part_2_row, 0x01800 + i2_slot * 0x00c00);  // as a row, same bytes as part_2
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + i2_slot));  // free again
        KTurnedLowGm k_turned_high_in(k_turned_high + int64_t(i2), {i2_valid});
        TLOAD(part_2_row, k_turned_high_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + i2_slot));
        VecF32_768x8_c1 part_2_apart(i2_valid); TASSIGN(part_2_apart, 0x0f000 + i2_slot * 0x06000);  // UB 0x0f000..0x1b000, 2 copies
        VecF32_768x8_c1 part_2_apart_tmp(i2_valid); TASSIGN(part_2_apart_tmp, 0x1b000);  // UB 0x1b000..0x21000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + i2_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i2_slot));  // free again
        TTRANS(part_2_apart, part_2_row, part_2_apart_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i2_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + i2_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i2_slot));
        KTurnedRopedGm k_turned_roped_out(k_turned_roped + int64_t(i2) * 2 + 1, {i2_valid});
        TSTORE(k_turned_roped_out, part_2_apart);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i2_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
#endif
}
