// rope_interleaved_vec1: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:20]
        VecB16_1x64 y_1; TASSIGN(y_1, 0x00000);  // UB 0x00000..0x00080
        CosGm cos_in(cos + int64_t(t0) * 64);
        TLOAD(y_1, cos_in);
        VecF32_1x64 y_cos_tile; TASSIGN(y_cos_tile, 0x00080);  // UB 0x00080..0x00180
        TCVT(y_cos_tile, y_1, RoundMode::CAST_RINT);
        VecB16_1x64 y_2; TASSIGN(y_2, 0x00000);  // UB 0x00000..0x00080
        CosGm sin_in(sin + int64_t(t0) * 64);
        TLOAD(y_2, sin_in);
        VecF32_1x64 y_sin_tile; TASSIGN(y_sin_tile, 0x00180);  // UB 0x00180..0x00280
        TCVT(y_sin_tile, y_2, RoundMode::CAST_RINT);
        YCosGm y_cos_out(y_cos + int64_t(t0) * 64);
        TSTORE(y_cos_out, y_cos_tile);
        YCosGm y_sin_out(y_sin + int64_t(t0) * 64);
        TSTORE(y_sin_out, y_sin_tile);
        XGm x_in(x + int64_t(t0) * 1024);
        YXGm y_x_out(y_x + int64_t(t0) * 1024);
        TPASS(16, 64, [&](auto at) {
            const auto x_tile = at.load(x_in);
            at.store(y_x_out, x_tile);
        });
    }
#endif
}
