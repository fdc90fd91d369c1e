// add_vec4: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles t 32; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec4(
    __gm__ bfloat16_t *y,
    __gm__ float *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_slot ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // y: cast(sum(each, axis=1), bf16)  [embedding_bag.yaml:23]
        VecF32_32x128 y_1_tile(t0_valid); TASSIGN(y_1_tile, 0x00000 + t0_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        Y1Gm y_1_in(y_1 + int64_t(t0) * 128, {t0_valid});
        TLOAD(y_1_tile, y_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecB16_32x128 y_tile(t0_valid); TASSIGN(y_tile, 0x08000 + t0_slot * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_tile, y_1_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YGm y_out(y + int64_t(t0) * 128, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
