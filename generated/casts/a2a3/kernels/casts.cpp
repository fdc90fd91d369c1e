// casts: vector kernel of `casts` for a2a3. Made by pyptogen; change the spec, not this file.
// stages casts; tiles rows 16; memory UB 180224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF16_16x256 = Tile<TileType::Vec, half, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecB16_16x256 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI32_16x256 = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI16_16x256 = Tile<TileType::Vec, int16_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI8_16x256 = Tile<TileType::Vec, int8_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using AsFp16Gm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using AsBf16Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using NearestGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using BelowGm = GlobalTensor<int16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using LevelGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ half *as_fp16,
    __gm__ bfloat16_t *as_bf16,
    __gm__ int32_t *nearest,
    __gm__ int16_t *below,
    __gm__ int8_t *level,
    __gm__ float *back,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 16; rows0 < rows_end; rows0 += nblk * 16, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 16 ? rows_end - rows0 : 16;
        // as_fp16: cast(x, fp16)
        VecF32_16x256 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 256, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecF16_16x256 as_fp16_tile(rows0_valid); TASSIGN(as_fp16_tile, 0x08000 + rows0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));  // free again
        TCVT(as_fp16_tile, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        // as_bf16: cast(x, bf16)
        VecB16_16x256 as_bf16_tile(rows0_valid); TASSIGN(as_bf16_tile, 0x0c000 + rows0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
        TCVT(as_bf16_tile, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // nearest: cast(x, int32, mode=rint)
        VecI32_16x256 nearest_tile(rows0_valid); TASSIGN(nearest_tile, 0x10000 + rows0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));  // free again
        TCVT(nearest_tile, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        // below: cast(x, int16, mode=floor)
        VecI16_16x256 below_tile(rows0_valid); TASSIGN(below_tile, 0x18000 + rows0_buffer * 0x02000);  // UB 0x18000..0x1c000, 2 copies
        TCVT(below_tile, x_tile, RoundMode::CAST_FLOOR, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        // level: cast(x, int8, mode=trunc)
        VecI32_16x256 level_tile_int32(rows0_valid); TASSIGN<0x26000>(level_tile_int32);  // UB 0x26000..0x2a000
        pipe_barrier(PIPE_V);
        TCVT(level_tile_int32, x_tile, RoundMode::CAST_TRUNC, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF16_16x256 level_tile_fp16(rows0_valid); TASSIGN<0x2a000>(level_tile_fp16);  // UB 0x2a000..0x2c000
        pipe_barrier(PIPE_V);
        TCVT(level_tile_fp16, level_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_16x256 level_tile(rows0_valid); TASSIGN(level_tile, 0x1c000 + rows0_buffer * 0x01000);  // UB 0x1c000..0x1e000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TCVT(level_tile, level_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // back: cast(level, fp32)
        VecF16_16x256 back_tile_fp16(rows0_valid); TASSIGN<0x26000>(back_tile_fp16);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TCVT(back_tile_fp16, level_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x256 back_tile(rows0_valid); TASSIGN(back_tile, 0x1e000 + rows0_buffer * 0x04000);  // UB 0x1e000..0x26000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TCVT(back_tile, back_tile_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // as_fp16: cast(x, fp16)
        AsFp16Gm as_fp16_out(as_fp16 + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(as_fp16_out, as_fp16_tile);
        // as_bf16: cast(x, bf16)
        AsBf16Gm as_bf16_out(as_bf16 + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(as_bf16_out, as_bf16_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        // nearest: cast(x, int32, mode=rint)
        NearestGm nearest_out(nearest + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(nearest_out, nearest_tile);
        // below: cast(x, int16, mode=floor)
        BelowGm below_out(below + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(below_out, below_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // level: cast(x, int8, mode=trunc)
        LevelGm level_out(level + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(level_out, level_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // back: cast(level, fp32)
        XGm back_out(back + int64_t(rows0) * 256, {rows0_valid});
        TSTORE(back_out, back_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void casts(
    __gm__ half *as_fp16, __gm__ bfloat16_t *as_bf16, __gm__ int32_t *nearest, __gm__ int16_t *below,
    __gm__ int8_t *level, __gm__ float *back, __gm__ float *x, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(
        as_fp16, as_bf16, nearest, below, level, back, x, rows_begin, rows_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
