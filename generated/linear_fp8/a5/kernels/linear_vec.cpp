// linear_vec: vector kernel of `linear_fp8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles t 16; memory UB 200832 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_16x1024 = Tile<TileType::Vec, bfloat16_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1, 1>>;
using AccGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_vec(
    __gm__ bfloat16_t *y,
    __gm__ float *acc,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    // y:   cast(acc * x_scale * w_scale, bf16)  [linear_fp8.yaml:27]
    VecF32_1x1024 w_scale_tile; TASSIGN(w_scale_tile, 0x30080);  // UB 0x30080..0x31080
    WScaleGm w_scale_in(w_scale);
    TLOAD(w_scale_tile, w_scale_in);
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
        VecF32_1x16 x_scale_tile_row(t0_valid); TASSIGN(x_scale_tile_row, 0x20000 + t0_slot * 0x00040);  // as a row, same bytes as x_scale_tile
        XScaleGm x_scale_in(x_scale + int64_t(t0), {t0_valid});
        TLOAD(x_scale_tile_row, x_scale_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_16x1024 y_1(t0_valid); TASSIGN(y_1, 0x00000 + t0_slot * 0x10000);  // UB 0x00000..0x20000, 2 copies
        VecF32_16x1 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x20000 + t0_slot * 0x00040);  // UB 0x20000..0x20080, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TROWEXPANDMUL(y_1, acc_tile, x_scale_tile);
        VecF32_16x1024 y_2(t0_valid); TASSIGN(y_2, 0x00000 + t0_slot * 0x10000);  // UB 0x00000..0x20000, 2 copies
        TCOLEXPANDMUL(y_2, y_1, w_scale_tile);
        VecB16_16x1024 y_tile(t0_valid); TASSIGN(y_tile, 0x20080 + t0_slot * 0x08000);  // UB 0x20080..0x30080, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_tile, y_2, RoundMode::CAST_RINT);
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
