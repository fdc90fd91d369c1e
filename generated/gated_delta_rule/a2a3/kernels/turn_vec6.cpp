// turn_vec6: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles s 64; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using NumberGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using PlaceGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec6(
    __gm__ float *place,
    __gm__ int32_t *number,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    for (int32_t s0 = block * 64; s0 < s; s0 += nblk * 64, s0_slot ^= 1) {
        const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
        // place: cast(number, fp32)  [gated_delta_rule.yaml:53]
        VecI32_1x64 number_tile(s0_valid); TASSIGN(number_tile, 0x00000 + s0_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));  // free again
        NumberGm number_in(number + int64_t(s0), {s0_valid});
        TLOAD(number_tile, number_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
        VecF32_1x64 place_tile(s0_valid); TASSIGN(place_tile, 0x00200 + s0_slot * 0x00100);  // UB 0x00200..0x00400, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));  // free again
        TCVT(place_tile, number_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
        PlaceGm place_out(place + int64_t(s0), {s0_valid});
        TSTORE(place_out, place_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
#endif
}
