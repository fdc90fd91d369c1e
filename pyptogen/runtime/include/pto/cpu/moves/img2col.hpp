// TIMG2COL: rows of the A operand of a convolution from a feature map, and the registers that go with it.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/moves/conv.hpp>

namespace pto {

namespace cpu {

/// A feature map and the convolution over it, in pixels; n, d, c1, h, w and c0 are the extents.
struct FeatureMap {
    int64_t n, d, c1, h, w, c0;
    int64_t stride_h, stride_w, dilation_h, dilation_w, filter_h, filter_w;
    int64_t pad_left, pad_top;
    int64_t out_h, out_w;
};

template <typename Conv>
inline FeatureMap feature_map(const Conv& src)
{
    constexpr bool kDeep = Conv::layout == Layout::NDC1HWC0;
    FeatureMap map{};
    map.n = src.GetShape(0);
    map.d = kDeep ? src.GetShape(1) : 1;
    map.c1 = src.GetShape(kDeep ? 2 : 1);
    map.h = src.GetShape(kDeep ? 3 : 2);
    map.w = src.GetShape(kDeep ? 4 : 3);
    map.c0 = src.GetShape(Conv::totalDimCount - 1);
    map.stride_h = src.GetStrideH();
    map.stride_w = src.GetStrideW();
    map.dilation_h = src.GetDilationH();
    map.dilation_w = src.GetDilationW();
    map.filter_h = src.GetFilterH();
    map.filter_w = src.GetFilterW();
    map.pad_left = src.GetPadList(0);
    map.pad_top = src.GetPadList(2);
    map.out_h = (map.h + map.pad_top + src.GetPadList(3) - map.dilation_h * (map.filter_h - 1) - 1) / map.stride_h + 1;
    map.out_w = (map.w + map.pad_left + src.GetPadList(1) - map.dilation_w * (map.filter_w - 1) - 1) / map.stride_w + 1;
    return map;
}

/// Where pixel values for row m and column k of the operand start in the feature map; negative in the padding. k is a
/// multiple of C0 plus a channel: K runs over (C1, filter h, filter w, C0), M over (N, D, out h, out w).
inline int64_t pixel_offset(const FeatureMap& map, int64_t m, int64_t k)
{
    const int64_t x = m % map.out_w, y = m / map.out_w % map.out_h;
    const int64_t plane = m / (map.out_w * map.out_h);  // (n, d)
    const int64_t tap = k / map.c0 % (map.filter_h * map.filter_w);
    const int64_t c1 = k / (map.c0 * map.filter_h * map.filter_w);
    const int64_t h = y * map.stride_h + tap / map.filter_w * map.dilation_h - map.pad_top;
    const int64_t w = x * map.stride_w + tap % map.filter_w * map.dilation_w - map.pad_left;
    if (plane >= map.n * map.d || c1 >= map.c1 || h < 0 || h >= map.h || w < 0 || w >= map.w) {
        return -1;
    }
    return (((plane * map.c1 + c1) * map.h + h) * map.w + w) * map.c0 + k % map.c0;
}

template <typename Dst, typename Conv>
inline void image_to_columns(Dst& dst, const Conv& src, int64_t first_m, int64_t first_k)
{
    using T = typename Dst::DType;
    const FeatureMap map = feature_map(src);
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    const T padding = src.GetPadValue();
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols;) {
            const int64_t k = first_k + c;
            const int64_t width = least(map.c0 - k % map.c0, cols - c);
            const int64_t at = pixel_offset(map, first_m + r, k);
            if (at < 0) {
                fill_region(dst, r, c, 1, width, padding);
            } else {
                put_slab(dst, r, c, Slab<T>{src.data() + at, r, c, 1, width, 0, 1});
            }
            c += width;
        }
    }
    pad_operand(dst, rows, cols);
}

}  // namespace cpu

/// dst = rows posM and on, columns posK and on, of the matrix that turns a convolution over src into a product. The
/// fmap, filter, stride, dilation and padding are those of src, in every FmatrixMode.
template <
    typename TileData, typename ConvTileData, SetFmatrixMode FmatrixMode = SetFmatrixMode::FMATRIX_A_MANUAL,
    typename... Events>
PTO_INST RecordEvent
TIMG2COL(TileData& dst, ConvTileData& src, uint16_t posM = 0, uint16_t posK = 0, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TIMG2COL, dst, src);
    static_assert(
        ConvTileData::layout == Layout::NC1HWC0 || ConvTileData::layout == Layout::NDC1HWC0,
        "TIMG2COL reads NC1HWC0 or NDC1HWC0");
    cpu::image_to_columns(dst, src, posM, posK);
    return {};
}

/// Registers of a device that TIMG2COL does not need here, because it takes everything from its source.
template <typename ConvTileData, SetFmatrixMode FmatrixMode = SetFmatrixMode::FMATRIX_A_MANUAL, typename... Events>
PTO_INST RecordEvent SETFMATRIX(ConvTileData& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(SETFMATRIX, src);
    return {};
}
template <typename ConvTileData, SetFmatrixMode FmatrixMode = SetFmatrixMode::FMATRIX_A_MANUAL, typename... Events>
PTO_INST RecordEvent SET_IMG2COL_RPT(ConvTileData& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(SET_IMG2COL_RPT, src);
    return {};
}
template <typename ConvTileData, SetFmatrixMode FmatrixMode = SetFmatrixMode::FMATRIX_A_MANUAL, typename... Events>
PTO_INST RecordEvent SET_IMG2COL_PADDING(ConvTileData& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(SET_IMG2COL_PADDING, src);
    return {};
}

}  // namespace pto
