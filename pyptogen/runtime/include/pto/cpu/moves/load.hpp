// TLOAD: global memory to a tile.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/cpu/cube/held_operands.hpp>
#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/layout/every.hpp>
#include <pto/cpu/layout/global_slabs.hpp>
#include <pto/cpu/layout/pack.hpp>
#include <pto/cpu/layout/pad.hpp>
#include <pto/cpu/moves/conv.hpp>

namespace pto {

namespace cpu {

/// Loads global memory in any layout into the elements of any tile.
template <typename Tile, typename Global>
PTO_INLINE void load_slabs(Tile& dst, Global& src)
{
    using T = typename Tile::DType;
    if constexpr (is_packed4_v<T>) {
        for_each_nibble(src, dst.GetValidRow(), dst.GetValidCol(), [&](int64_t r, int64_t c, int64_t place) {
            dst.SetElement(r, c, load_element(reinterpret_cast<const T*>(src.data()), place));
        });
        return;
    }
    if constexpr (has_panels<Tile> && Global::layout == Layout::ND && Global::Stride::staticStride[4] == 1) {
        if constexpr (is_held_type<T> && Tile::Loc == TileType::Mat) {
            const auto [rows, cols] = covered(src, dst.GetValidRow(), dst.GetValidCol());
            if (rows == Tile::Rows && cols == Tile::Cols && src.GetShape(0) == 1 && src.GetShape(1) == 1 &&
                src.GetShape(2) == 1 &&
                hold_mat(
                    mat_shape(dst), reinterpret_cast<const char*>(src.data()), src.GetStride(3) * int64_t(sizeof(T)))) {
                return;
            }
        }
        for_each_plain_slab(
            src, dst.GetValidRow(), dst.GetValidCol(),
            [&](const auto& from) __attribute__((always_inline)) { put_rows(dst, from.row, 0, from); });
        return;
    }
    for_each_global_slab(
        src, dst.GetValidRow(), dst.GetValidCol(), [&](const auto& from) __attribute__((always_inline)) {
            T* at = reinterpret_cast<T*>(from.at);
            if constexpr (SlabShape<Tile>::kPlain && Tile::isRowMajor) {
                T* to = dst.data() + from.row * Tile::RowStride + from.col;
                if constexpr (takes_every<T, Global::Stride::staticStride[4]>) {
                    for (int64_t r = 0; r < from.rows; ++r) {
                        take_every<Global::Stride::staticStride[4]>(
                            to + r * Tile::RowStride, at + r * from.row_stride, from.cols);
                    }
                    return;
                }
                if (load_lines(to, Tile::RowStride, 1, at, from.row_stride, from.col_stride, from.rows, from.cols)) {
                    return;
                }
            }
            put_slab(
                dst, from.row, from.col,
                Slab<T>{at, from.row, from.col, from.rows, from.cols, from.row_stride, from.col_stride});
        });
}

/// A Vec tile with a pad value: fills each valid line up to the next 32 bytes, as the transfer on a device does.
template <typename Tile>
PTO_INLINE void pad_lines(Tile& dst)
{
    using T = typename Tile::DType;
    constexpr int64_t kBlock = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    const T pad = pad_value<T>(Tile::PadVal);
    if constexpr (Tile::isRowMajor) {
        fill_region(dst, 0, cols, rows, round_up(cols, kBlock) - cols, pad);
    } else {
        fill_region(dst, rows, 0, round_up(rows, kBlock) - rows, cols, pad);
    }
}

/// TLOAD straight to the A operand (an extension of the API).
template <typename Tile, typename Global>
PTO_INLINE void load_left(Tile& dst, Global& src)
{
    using T = typename Tile::DType;
    if (!is_packed4_v<T> && Global::layout == Layout::ND && src.GetStride(4) == 1) {
        const T* from = reinterpret_cast<const T*>(src.data());
        const auto [rows, cols] = covered(src, dst.GetValidRow(), dst.GetValidCol());
        fill_left(dst, from, src.GetStride(3), rows, cols);
    } else if (!is_packed4_v<T> && Global::layout == Layout::DN && src.GetStride(3) == 1) {
        const auto [rows, cols] = covered(src, dst.GetValidRow(), dst.GetValidCol());
        fill_left_columns(
            reinterpret_cast<char*>(dst.data()), left_panel_bytes<Tile>, reinterpret_cast<const T*>(src.data()),
            src.GetStride(4), rows, cols);
    } else {
        load_slabs(dst, src);
        pad_operand(dst, dst.GetValidRow(), dst.GetValidCol());
    }
}

/// TLOAD straight to the B operand (an extension of the API). CPU_PACKED memory is bound, not copied: it must not
/// change before the multiplications that read the tile are done.
template <typename Tile, typename Global>
PTO_INLINE void load_right(Tile& dst, Global& src)
{
    using T = typename Tile::DType;
    if constexpr (Global::layout == Layout::CPU_PACKED) {
        dst.operand = reinterpret_cast<const char*>(src.data());
        dst.operandPanelBytes = src.GetStride(3) * static_cast<int64_t>(sizeof(T));
        return;
    } else {
        char* to = reinterpret_cast<char*>(dst.data());
        constexpr int64_t kPanel = right_panel_bytes<Tile>;
        dst.operand = to;
        dst.operandPanelBytes = kPanel;
        const T* from = reinterpret_cast<const T*>(src.data());
        const auto [k, n] = covered(src, dst.GetValidRow(), dst.GetValidCol());
        if constexpr (is_packed4_v<T>) {
            load_slabs(dst, src);
            pad_operand(dst, k, n);
        } else if constexpr (Global::layout == Layout::ND) {
            pack_row_major(to, kPanel, from, src.GetStride(3), k, n);
        } else if constexpr (Global::layout == Layout::DN) {
            pack_column_major(to, kPanel, from, src.GetStride(4), k, n);
        } else if constexpr (Global::layout != Layout::NZ) {
            load_slabs(dst, src);
            pad_operand(dst, k, n);
        } else {
            pack_fractal(to, kPanel, from, src.GetStride(1), src.GetStride(2), src.GetStride(3), k, n);
        }
    }
}

}  // namespace cpu

/// Loads the valid region of dst from global memory.
///
/// Vec, Mat and Acc tiles in any layout take memory in any layout; element types of the same size are copied as bits.
/// A ConvTile takes its own. As extensions of the API a Left tile loads directly, and so does a Right tile, from
/// CPU_PACKED memory by reference. Only the part of the valid region that lies in the extents of src is written; a Vec
/// tile with a pad value also fills each valid line up to the next 32 bytes.
template <typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TLOAD(TileData& dst, GlobalData& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TLOAD, dst, src);
    if constexpr (is_conv_tile_v<TileData>) {
        cpu::load_conv(dst, src);
    } else if constexpr (TileData::Loc == TileType::Left) {
        cpu::load_left(dst, src);
    } else if constexpr (TileData::Loc == TileType::Right) {
        cpu::load_right(dst, src);
    } else {
        cpu::load_slabs(dst, src);
        if constexpr (
            TileData::Loc == TileType::Vec && !TileData::isBoxedLayout && TileData::PadVal != PadValue::Null) {
            cpu::pad_lines(dst);
        }
    }
    return {};
}

/// The name under which tests of the public library reach TLOAD.
template <typename TileData, typename GlobalData>
PTO_INTERNAL void TLOAD_IMPL(TileData& dst, GlobalData& src)
{
    TLOAD(dst, src);
}

}  // namespace pto
