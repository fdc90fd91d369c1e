// casts: vector kernel of `casts` for cpu. Made by pyptogen; change the spec, not this file.
// stages casts; tiles rows 16; memory UB 28672 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI16_16x256 = Tile<TileType::Vec, int16_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecI8_16x256 = Tile<TileType::Vec, int8_t, 16, 256, BLayout::RowMajor, DYNAMIC, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using AsFp16Gm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using AsBf16Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using NearestGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using BelowGm = GlobalTensor<int16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using LevelGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void casts(
    __gm__ half *as_fp16,
    __gm__ bfloat16_t *as_bf16,
    __gm__ int32_t *nearest,
    __gm__ int16_t *below,
    __gm__ int8_t *level,
    __gm__ float *back,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 3840);  // as_fp16, as_bf16, nearest, below, level, back: around the cache if large
    for (int32_t rows0 = rows_begin + block * 16; rows0 < rows_end; rows0 += nblk * 16) {
        const int32_t rows0_valid = rows_end - rows0 < 16 ? rows_end - rows0 : 16;
        VecF32_16x256 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x04000
        XGm x_in(x + int64_t(rows0) * 256, {rows0_valid});
        AsFp16Gm as_fp16_out(as_fp16 + int64_t(rows0) * 256, {rows0_valid});
        AsBf16Gm as_bf16_out(as_bf16 + int64_t(rows0) * 256, {rows0_valid});
        NearestGm nearest_out(nearest + int64_t(rows0) * 256, {rows0_valid});
        TPASS(rows0_valid, 256, [&](auto at) {
            // as_fp16: cast(x, fp16)
            const auto x_tile_v = at.load(x_in);
            at.store(x_tile, x_tile_v);
            at.store(as_fp16_out, x_tile_v, far);
            // as_bf16: cast(x, bf16)
            at.store(as_bf16_out, x_tile_v, far);
            // nearest: cast(x, int32, mode=rint)
            at.store(nearest_out, x_tile_v, far);
        });
        // below: cast(x, int16, mode=floor)
        VecI16_16x256 below_tile(rows0_valid); TASSIGN(below_tile, 0x04000);  // UB 0x04000..0x06000
        TCVT(below_tile, x_tile, RoundMode::CAST_FLOOR, SaturationMode::ON);
        // level: cast(x, int8, mode=trunc)
        VecI8_16x256 level_tile(rows0_valid); TASSIGN(level_tile, 0x06000);  // UB 0x06000..0x07000
        TCVT(level_tile, x_tile, RoundMode::CAST_TRUNC);
        BelowGm below_out(below + int64_t(rows0) * 256, {rows0_valid});
        LevelGm level_out(level + int64_t(rows0) * 256, {rows0_valid});
        XGm back_out(back + int64_t(rows0) * 256, {rows0_valid});
        TPASS(rows0_valid, 256, [&](auto at) {
            // back: cast(level, fp32)
            const auto level_tile_v = at.load(level_tile);
            const auto back_tile = at.to_float(level_tile_v);
            // below: cast(x, int16, mode=floor)
            const auto below_tile_v = at.load(below_tile);
            at.store(below_out, below_tile_v, far);
            // level: cast(x, int8, mode=trunc)
            at.store(level_out, level_tile_v, far);
            // back: cast(level, fp32)
            at.store(back_out, back_tile, far);
        });
    }
#endif
}
