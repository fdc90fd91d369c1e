// TLOAD: global memory to a tile.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/cpu/fragments.hpp>
#include <pto/cpu/pack.hpp>

namespace pto {

namespace cpu {

/// Calls f(pointer, first, count) for the two-dimensional parts of an ND or DN tensor: dimensions 0 to 2 repeat rows of a
/// row-major tile (Rows = true) or columns of a column-major one. `total` is the valid extent that is filled.
template <bool Rows, typename Global, typename F>
PTO_INLINE void for_each_part(Global& global, int64_t total, F f)
{
    const int64_t n0 = global.GetShape(0), n1 = global.GetShape(1), n2 = global.GetShape(2);
    if (n0 == 1 && n1 == 1 && n2 == 1) {
        f(global.data(), int64_t(0), total);
        return;
    }
    const int64_t part = global.GetShape(Rows ? 3 : 4);
    int64_t first = 0;
    for (int64_t i0 = 0; i0 < n0; ++i0) {
        for (int64_t i1 = 0; i1 < n1; ++i1) {
            for (int64_t i2 = 0; i2 < n2 && first < total; ++i2, first += part) {
                f(global.data() + i0 * global.GetStride(0) + i1 * global.GetStride(1) + i2 * global.GetStride(2), first,
                  part < total - first ? part : total - first);
            }
        }
    }
}

/// Copies `lines` lines of `length` elements between memories with any strides (in elements).
template <typename T>
PTO_INLINE void copy_lines(
    T* to, int64_t to_line, int64_t to_step, const T* from, int64_t from_line, int64_t from_step, int64_t lines,
    int64_t length)
{
    if (to_step == 1 && from_step == 1) {
        if (to_line == length && from_line == length) {
            length *= lines;
            lines = lines > 0 ? 1 : 0;
        }
        for (int64_t i = 0; i < lines; ++i) {
            copy_bytes(to + i * to_line, from + i * from_line, length * static_cast<int64_t>(sizeof(T)));
        }
        return;
    }
    for (int64_t i = 0; i < lines; ++i) {
        for (int64_t j = 0; j < length; ++j) {
            to[i * to_line + j * to_step] = from[i * from_line + j * from_step];
        }
    }
}

/// Loads ND or DN memory into lines of a tile: rows of pitch `pitch` if Rows, else columns.
template <bool Rows, typename Tile, typename Global>
PTO_INLINE void load_lines(Tile& dst, Global& src, int64_t pitch)
{
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for_each_part<Rows>(src, Rows ? rows : cols, [&](const auto* from, int64_t first, int64_t count) {
        copy_lines(
            dst.data() + first * pitch, pitch, 1, from, src.GetStride(Rows ? 3 : 4), src.GetStride(Rows ? 4 : 3), count,
            Rows ? cols : rows);
    });
}

/// Loads public NZ memory (32-byte boxes of 16 rows) into the lines of a Mat tile.
template <typename Tile, typename Global>
inline void load_fractal_lines(Tile& dst, Global& src)
{
    using T = typename Tile::DType;
    constexpr int kBox = C0_SIZE_BYTE / static_cast<int>(sizeof(T));
    constexpr bool kColumns = mat_is_column_major<Tile>;
    constexpr int64_t kPitch = mat_pitch<Tile>;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t c = 0; c < cols; c += kBox) {
        const T* panel = src.data() + c / kBox * src.GetStride(1);
        const int64_t width = cols - c < kBox ? cols - c : kBox;
        for (int64_t r = 0; r < rows; ++r) {
            const T* box = panel + r / 16 * src.GetStride(2) + r % 16 * src.GetStride(3);
            T* to = dst.data() + (kColumns ? c * kPitch + r : r * kPitch + c);
            copy_lines(to, int64_t(0), kColumns ? kPitch : 1, box, int64_t(0), int64_t(1), 1, width);
        }
    }
}

template <typename Tile, typename Global>
PTO_INLINE void load_mat(Tile& dst, Global& src)
{
    static_assert(
        Global::layout == Layout::ND || Global::layout == Layout::DN || Global::layout == Layout::NZ,
        "TLOAD to a Mat tile reads ND, DN or NZ memory");
    if constexpr (Global::layout == Layout::NZ) {
        load_fractal_lines(dst, src);
    } else {
        load_lines<!mat_is_column_major<Tile>>(dst, src, mat_pitch<Tile>);
    }
}

/// TLOAD straight to the A operand (an extension of the API).
template <typename Tile, typename Global>
PTO_INLINE void load_left(Tile& dst, Global& src)
{
    static_assert(Global::layout == Layout::ND, "TLOAD to a Left tile reads ND memory");
    using T = typename Tile::DType;
    const int64_t cols = dst.GetValidCol();
    const T* from = src.data();
    fill_left(dst, from, src.GetStride(3), dst.GetValidRow(), cols);
}

/// TLOAD straight to the B operand (an extension of the API). CPU_PACKED memory is bound, not copied: it must not change
/// before the multiplications that read the tile are done.
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
        const T* from = src.data();
        const int64_t k = dst.GetValidRow(), n = dst.GetValidCol();
        if constexpr (Global::layout == Layout::ND) {
            pack_row_major(to, kPanel, from, src.GetStride(3), k, n);
        } else if constexpr (Global::layout == Layout::DN) {
            pack_column_major(to, kPanel, from, src.GetStride(4), k, n);
        } else {
            static_assert(Global::layout == Layout::NZ, "TLOAD to a Right tile reads ND, DN, NZ or CPU_PACKED memory");
            pack_fractal(to, kPanel, from, src.GetStride(1), src.GetStride(2), src.GetStride(3), k, n);
        }
    }
}

}  // namespace cpu

/// Loads the valid region of dst from global memory.
///
/// Vec tiles take ND and DN memory with any strides; Mat tiles also NZ. As extensions of the API a Left tile loads ND
/// directly, and a Right tile ND, DN, NZ and (by reference) CPU_PACKED.
template <typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TLOAD(TileData& dst, GlobalData& src, const Events&...)
{
    static_assert(is_tile_data_v<TileData> && is_global_data_v<GlobalData>, "TLOAD takes a tile and a GlobalTensor");
    static_assert(
        cpu::is_same<typename TileData::DType, typename GlobalData::RawDType>,
        "TLOAD needs the same element type on both sides");
    if constexpr (TileData::Loc == TileType::Vec) {
        static_assert(!TileData::isBoxedLayout, "TLOAD to a Vec tile needs an unboxed (ND or DN) tile");
        static_assert(
            GlobalData::layout == Layout::ND || GlobalData::layout == Layout::DN,
            "TLOAD to a Vec tile reads ND or DN memory");
        cpu::load_lines<TileData::isRowMajor>(
            dst, src, TileData::isRowMajor ? TileData::RowStride : TileData::ColStride);
    } else if constexpr (TileData::Loc == TileType::Mat) {
        cpu::load_mat(dst, src);
    } else if constexpr (TileData::Loc == TileType::Left) {
        cpu::load_left(dst, src);
    } else {
        static_assert(TileData::Loc == TileType::Right, "TLOAD fills Vec, Mat, Left and Right tiles");
        cpu::load_right(dst, src);
    }
    return {};
}

}  // namespace pto
