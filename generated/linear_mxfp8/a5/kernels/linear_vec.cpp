// linear_vec: vector kernel of `linear_mxfp8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles t 16; memory UB 200704 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecB16_16x1024 = Tile<TileType::Vec, bfloat16_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;
using AccGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_vec(
    __gm__ bfloat16_t *y,
    __gm__ float *acc,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    // y:   cast(acc + bias, bf16)  [linear_mxfp8.yaml:26]
    VecF32_1x1024 bias_tile; TASSIGN(bias_tile, 0x30000);  // UB 0x30000..0x31000
    BiasGm bias_in(bias);
    TLOAD(bias_tile, bias_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_slot ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        VecF32_16x1024 acc_tile(t0_valid); TASSIGN(acc_tile, 0x00000 + t0_slot * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        AccGm acc_in(acc + int64_t(t0) * 1024, {t0_valid});
        TLOAD(acc_tile, acc_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_16x1024 y_1(t0_valid); TASSIGN(y_1, 0x00000 + t0_slot * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TCOLEXPANDADD(y_1, acc_tile, bias_tile);
        VecB16_16x1024 y_tile(t0_valid); TASSIGN(y_tile, 0x20000 + t0_slot * 0x08000);  // UB 0x20000..0x30000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
