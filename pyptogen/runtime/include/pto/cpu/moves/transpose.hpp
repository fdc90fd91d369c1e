// TTRANS of two-dimensional tiles, and of ConvTiles between layouts of a feature map or a filter.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/layout/pack.hpp>
#include <pto/cpu/moves/transpose_conv.hpp>

namespace pto {

namespace cpu {

/// dst(c, r) = src(r, c) over src's valid region.
template <typename Dst, typename Src>
PTO_INLINE void transpose_tile(Dst& dst, Src& src)
{
    PTO_OPERANDS(TTRANS, dst, src);
    using T = typename Src::DType;
    static_assert(
        Src::ValidCol <= Dst::Rows && Src::ValidRow <= Dst::Cols,
        "TTRANS: dst needs as many rows as src has valid columns, and as many columns as it has valid rows");
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    if constexpr (!Src::isBoxedLayout && !Dst::isBoxedLayout && Src::isRowMajor && Dst::isRowMajor) {
        transpose_lines<T>(dst.data(), Dst::RowStride, src.data(), Src::RowStride, rows, cols);
    } else {
        for_each_slab(src, 0, 0, rows, cols, [&](const Slab<T>& from) {
            put_slab(
                dst, from.col, from.row,
                Slab<T>{from.at, from.col, from.row, from.cols, from.rows, from.col_stride, from.row_stride});
        });
    }
}

}  // namespace cpu

/// dst(j, i) = src(i, j) over src's valid region; ConvTiles change their layout. The scratch tile is not used.
template <typename Dst, typename Src, typename Tmp, typename... Events>
PTO_INST RecordEvent TTRANS(Dst& dst, Src& src, Tmp&, const Events&... events)
{
    TSYNC(events...);
    if constexpr (is_conv_tile_v<Src>) {
        cpu::transpose_conv(dst, src);
    } else {
        cpu::transpose_tile(dst, src);
    }
    return {};
}

}  // namespace pto
