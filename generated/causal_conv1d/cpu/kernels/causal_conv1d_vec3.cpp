// causal_conv1d_vec3: vector kernel of `causal_conv1d` for cpu. Made by pyptogen; change the spec, not this file.
// stages causal_conv1d; tiles b 1, c 16, y_1_cols 256; memory UB 320 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using YTapWideGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using SeenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void causal_conv1d_vec3(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *seen,
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ float *bias,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(b_end - b_begin) * s * 512);  // y: around the cache if large
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t y_1_cols0 = 0; y_1_cols0 < s; y_1_cols0 += 256) {
            const int32_t y_1_cols0_valid = s - y_1_cols0 < 256 ? s - y_1_cols0 : 256;
            for (int32_t c0 = block * 16; c0 < 256; c0 += nblk * 16) {
                // y: cast(silu(conv(seen, w, groups=c, bias=bias, dtype=fp32)), bf16)
                VecF32_1x16 y_tap_wide_tile_row; TASSIGN(y_tap_wide_tile_row, 0x00000);  // as a row, same bytes as y_tap_wide_tile
                YTapWideGm y_tap_wide_in(y_tap_wide + int64_t(c0));
                TLOAD(y_tap_wide_tile_row, y_tap_wide_in);
                VecF32_1x16 y_tap_wide_2_tile_row; TASSIGN(y_tap_wide_2_tile_row, 0x00040);  // as a row, same bytes as y_tap_wide_2_tile
                YTapWideGm y_tap_wide_2_in(y_tap_wide_2 + int64_t(c0));
                TLOAD(y_tap_wide_2_tile_row, y_tap_wide_2_in);
                VecF32_1x16 y_tap_wide_3_tile_row; TASSIGN(y_tap_wide_3_tile_row, 0x00080);  // as a row, same bytes as y_tap_wide_3_tile
                YTapWideGm y_tap_wide_3_in(y_tap_wide_3 + int64_t(c0));
                TLOAD(y_tap_wide_3_tile_row, y_tap_wide_3_in);
                VecF32_1x16 y_tap_wide_4_tile_row; TASSIGN(y_tap_wide_4_tile_row, 0x000c0);  // as a row, same bytes as y_tap_wide_4_tile
                YTapWideGm y_tap_wide_4_in(y_tap_wide_4 + int64_t(c0));
                TLOAD(y_tap_wide_4_tile_row, y_tap_wide_4_in);
                VecF32_1x16 bias_tile_row; TASSIGN(bias_tile_row, 0x00100);  // as a row, same bytes as bias_tile
                YTapWideGm bias_in(bias + int64_t(c0));
                TLOAD(bias_tile_row, bias_in);
                VecF32_16x1 y_tap_wide_tile; TASSIGN(y_tap_wide_tile, 0x00000);  // UB 0x00000..0x00040
                VecF32_16x1 y_tap_wide_2_tile; TASSIGN(y_tap_wide_2_tile, 0x00040);  // UB 0x00040..0x00080
                VecF32_16x1 y_tap_wide_3_tile; TASSIGN(y_tap_wide_3_tile, 0x00080);  // UB 0x00080..0x000c0
                VecF32_16x1 y_tap_wide_4_tile; TASSIGN(y_tap_wide_4_tile, 0x000c0);  // UB 0x000c0..0x00100
                VecF32_16x1 bias_tile; TASSIGN(bias_tile, 0x00100);  // UB 0x00100..0x00140
                SeenGm seen_in(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0), {y_1_cols0_valid}, {int64_t(s) + 3});
                SeenGm seen_in_2(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 1, {y_1_cols0_valid}, {int64_t(s) + 3});
                SeenGm seen_in_3(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 2, {y_1_cols0_valid}, {int64_t(s) + 3});
                SeenGm seen_in_4(seen + int64_t(b0) * 768 + int64_t(b0) * s * 256 + int64_t(c0) * 3 + int64_t(c0) * s + int64_t(y_1_cols0) + 3, {y_1_cols0_valid}, {int64_t(s) + 3});
                SeenGm y_out(y + int64_t(b0) * s * 256 + int64_t(c0) * s + int64_t(y_1_cols0), {y_1_cols0_valid}, {int64_t(s)});
                TPASS<4>(16, y_1_cols0_valid, [&](auto at) {
                    const auto seen_tile = at.load(seen_in);
                    const auto y_part = seen_tile * at.column(y_tap_wide_tile);
                    const auto seen_tile_2 = at.load(seen_in_2);
                    const auto y_part_2 = seen_tile_2 * at.column(y_tap_wide_2_tile);
                    const auto y_total = y_part + y_part_2;
                    const auto seen_tile_3 = at.load(seen_in_3);
                    const auto y_part_3 = seen_tile_3 * at.column(y_tap_wide_3_tile);
                    const auto y_total_2 = y_total + y_part_3;
                    const auto seen_tile_4 = at.load(seen_in_4);
                    const auto y_part_4 = seen_tile_4 * at.column(y_tap_wide_4_tile);
                    const auto y_total_3 = y_total_2 + y_part_4;
                    const auto y_biased = y_total_3 + at.column(bias_tile);
                    const auto y_neg = -y_biased;
                    const auto y_e = at.exp(y_neg);
                    const auto y_one_e = y_e + 1.0f;
                    const auto y_5 = y_biased / y_one_e;
                    at.store(y_out, y_5, far);
                });
            }
        }
    }
#endif
}
