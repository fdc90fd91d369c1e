// TFILLPAD: a copy of a tile in which everything outside the source's valid region is the pad value. TEXPANDS of Mat tiles.
#pragma once

#include <pto/common/conv_tile.hpp>
#include <pto/common/event.hpp>
#include <pto/cpu/layout/pad.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

namespace cpu {

/// Fills dst outside the first `rows` x `cols` elements with a value; Mat tiles too.
template <typename Dst>
PTO_INLINE void fill_outside(Dst& dst, int64_t rows, int64_t cols, typename Dst::DType value)
{
    fill_region(dst, 0, cols, rows, Dst::Cols - cols, value);
    fill_region(dst, rows, 0, Dst::Rows - rows, Dst::Cols, value);
}

template <PadValue Pad, typename Dst, typename Src>
PTO_INLINE void fill_pad(Dst& dst, Src& src)
{
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    const bool same_place = static_cast<const void*>(dst.data()) == static_cast<const void*>(src.data());
    if (!same_place || Dst::Rows != Src::Rows || Dst::Cols != Src::Cols) {
        extract_part(dst, src, 0, 0, rows, cols);
    }
    fill_outside(dst, rows, cols, pad_value<typename Dst::DType>(Pad));
}

/// Every element of a Mat tile, valid or not, and of a ConvTile as far as its shape goes.
template <typename Dst>
PTO_INLINE void fill_all(Dst& dst, typename Dst::DType value)
{
    if constexpr (is_conv_tile_v<Dst>) {
        int64_t elements = 1;
        for (int axis = 0; axis < Dst::totalDimCount; ++axis) {
            elements *= dst.GetShape(axis);
        }
        typename Dst::DType* to = dst.data();
        for (int64_t i = 0; i < elements; ++i) {
            to[i] = value;
        }
    } else {
        fill_region(dst, 0, 0, Dst::Rows, Dst::Cols, value);
    }
}

}  // namespace cpu

/// dst = scalar in the whole of a Mat tile or ConvTile; see also the one of Vec tiles.
template <typename Dst, typename... Events>
    requires(Dst::Loc == TileType::Mat)
PTO_INST RecordEvent TEXPANDS(Dst& dst, typename Dst::DType scalar, const Events&... events)
{
    TSYNC(events...);
    cpu::fill_all(dst, scalar);
    return {};
}

/// dst = src in src's valid region, dst's pad value in the rest of the whole tile. Normal and InPlace need the same
/// static shape on both sides; with Expand dst may be larger. InPlace tiles share their bytes.
template <TFillPadMode mode = TFillPadMode::Normal, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TFILLPAD(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TFILLPAD, dst, src);
    constexpr bool kExpand = mode == TFillPadMode::Expand;
    static_assert(
        kExpand ? Dst::Rows >= Src::Rows && Dst::Cols >= Src::Cols : Dst::Rows == Src::Rows && Dst::Cols == Src::Cols,
        "TFILLPAD needs tiles of the same static shape (TFILLPAD_EXPAND: dst at least as large)");
    static_assert(
        Dst::PadVal != PadValue::Null || Dst::Loc == TileType::Mat, "TFILLPAD needs a pad value in dst's type");
    cpu::fill_pad<Dst::PadVal>(dst, src);
    return {};
}

/// The form with the tile type and the pad value as template arguments.
template <typename TileData, PadValue PadVal = PadValue::Zero, typename... Events>
    requires(is_tile_data_v<TileData>)
PTO_INST RecordEvent TFILLPAD(TileData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TFILLPAD, dst, src);
    constexpr PadValue kPad =
        TileData::Loc == TileType::Vec && TileData::PadVal != PadValue::Null && PadVal == PadValue::Zero
            ? TileData::PadVal
            : PadVal;
    cpu::fill_pad<kPad>(dst, src);
    return {};
}

template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TFILLPAD_INPLACE(Dst& dst, Src& src, const Events&... events)
{
    PTO_OPERANDS(TFILLPAD_INPLACE, dst, src);
    return TFILLPAD<TFillPadMode::InPlace>(dst, src, events...);
}

template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TFILLPAD_EXPAND(Dst& dst, Src& src, const Events&... events)
{
    PTO_OPERANDS(TFILLPAD_EXPAND, dst, src);
    return TFILLPAD<TFillPadMode::Expand>(dst, src, events...);
}

}  // namespace pto
