// rope: vector kernel of `rope` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope; tiles heads 1, t 32; memory UB 106496 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // y: rope(x, cos[:, None, :], sin[:, None, :])  [rope.yaml:18]
        VecB16_32x128 y_1(t0_valid); TASSIGN(y_1, 0x00000);  // UB 0x00000..0x02000
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(y_1, cos_in);
        VecF32_32x128 y_cos(t0_valid); TASSIGN(y_cos, 0x02000);  // UB 0x02000..0x06000
        TCVT(y_cos, y_1, RoundMode::CAST_RINT);
        VecB16_32x128 y_2(t0_valid); TASSIGN(y_2, 0x00000);  // UB 0x00000..0x02000
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(y_2, sin_in);
        VecF32_32x128 y_sin(t0_valid); TASSIGN(y_sin, 0x06000);  // UB 0x06000..0x0a000
        TCVT(y_sin, y_2, RoundMode::CAST_RINT);
        for (int32_t heads0 = block; heads0 < 32; heads0 += nblk) {
            VecB16_32x128 x_tile(t0_valid); TASSIGN(x_tile, 0x00000);  // UB 0x00000..0x02000
            XGm x_in(x + int64_t(t0) * 4096 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(x_tile, x_in);
            VecF32_32x128 y_x(t0_valid); TASSIGN(y_x, 0x0a000);  // UB 0x0a000..0x0e000
            TCVT(y_x, x_tile, RoundMode::CAST_RINT);
            VecF32_32x128_c64 y_x1c1(t0_valid); TASSIGN(y_x1c1, 0x0e000);  // UB 0x0e000..0x12000
            VecF32_32x128_c64 y_x1(t0_valid); TASSIGN(y_x1, 0x0a000);  // columns 0.. of y_x
            VecF32_32x128_c64 y_cos1(t0_valid); TASSIGN(y_cos1, 0x02000);  // columns 0.. of y_cos
            TMUL(y_x1c1, y_x1, y_cos1);
            VecF32_32x128_c64 y_x2s1(t0_valid); TASSIGN(y_x2s1, 0x12000);  // UB 0x12000..0x16000
            VecF32_32x128_c64 y_x2(t0_valid); TASSIGN(y_x2, 0x0a100);  // columns 64.. of y_x
            VecF32_32x128_c64 y_sin1(t0_valid); TASSIGN(y_sin1, 0x06000);  // columns 0.. of y_sin
            TMUL(y_x2s1, y_x2, y_sin1);
            VecF32_32x128_c64 y_low(t0_valid); TASSIGN(y_low, 0x16000);  // columns 0.. of y_roped
            TSUB(y_low, y_x1c1, y_x2s1);
            VecF32_32x128_c64 y_x2c2(t0_valid); TASSIGN(y_x2c2, 0x0e000);  // UB 0x0e000..0x12000
            VecF32_32x128_c64 y_cos2(t0_valid); TASSIGN(y_cos2, 0x02100);  // columns 64.. of y_cos
            TMUL(y_x2c2, y_x2, y_cos2);
            VecF32_32x128_c64 y_x1s2(t0_valid); TASSIGN(y_x1s2, 0x0a000);  // UB 0x0a000..0x0e000
            VecF32_32x128_c64 y_sin2(t0_valid); TASSIGN(y_sin2, 0x06100);  // columns 64.. of y_sin
            TMUL(y_x1s2, y_x1, y_sin2);
            VecF32_32x128_c64 y_high(t0_valid); TASSIGN(y_high, 0x16100);  // columns 64.. of y_roped
            TADD(y_high, y_x2c2, y_x1s2);
            VecB16_32x128 y_tile(t0_valid); TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x02000
            VecF32_32x128 y_roped(t0_valid); TASSIGN(y_roped, 0x16000);  // UB 0x16000..0x1a000
            TCVT(y_tile, y_roped, RoundMode::CAST_RINT);
            XGm y_out(y + int64_t(t0) * 4096 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(y_out, y_tile);
        }
    }
#endif
}
