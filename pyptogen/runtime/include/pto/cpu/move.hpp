// TMOV, TEXTRACT, TRESHAPE and TSUBVIEW: between and within the memories of a core.
#pragma once

#include <pto/cpu/accumulator.hpp>
#include <pto/cpu/elementwise.hpp>
#include <pto/cpu/load.hpp>

namespace pto {

namespace cpu {

template <typename Dst, typename Src>
PTO_INLINE void extract_mat_to_left(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    if constexpr (mat_is_column_major<Src>) {
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < round_up(cols, kStepK<T>); ++c) {
                *element_address(dst, r, c) = c < cols ? *element_address(src, row + r, col + c) : T{};
            }
        }
    } else {
        const T* from = src.data() + row * mat_pitch<Src> + col;
        fill_left(dst, from, mat_pitch<Src>, rows, cols);
    }
}

template <typename Dst, typename Src>
PTO_INLINE void extract_mat_to_right(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    char* to = reinterpret_cast<char*>(dst.data());
    constexpr int64_t kPanel = right_panel_bytes<Dst>;
    dst.operand = to;
    dst.operandPanelBytes = kPanel;
    const int64_t k = dst.GetValidRow(), n = dst.GetValidCol();
    const T* from = element_address(src, row, col);
    if constexpr (mat_is_column_major<Src>) {
        pack_column_major(to, kPanel, from, mat_pitch<Src>, k, n);
    } else {
        pack_row_major(to, kPanel, from, mat_pitch<Src>, k, n);
    }
}

template <typename Dst, typename Src>
PTO_INLINE void extract_acc_to_vec(Dst& dst, Src& src, int64_t row, int64_t col)
{
    check_vec_tile<Dst>();
    static_assert(Dst::isRowMajor, "an accumulator is moved to a row-major Vec tile");
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        copy_acc_row(dst.data() + r * Dst::RowStride, src, row + r, col, cols);
    }
}

/// Copies the region of src at (row, col) that dst's valid region covers.
template <typename Dst, typename Src>
PTO_INLINE void extract(Dst& dst, Src& src, int64_t row, int64_t col)
{
    static_assert(is_tile_data_v<Dst> && is_tile_data_v<Src>, "TMOV and TEXTRACT take tiles");
    if constexpr (Dst::Loc == TileType::Vec && Src::Loc == TileType::Acc) {
        extract_acc_to_vec(dst, src, row, col);
    } else {
        static_assert(
            is_same<typename Dst::DType, typename Src::DType>, "both tiles need the same element type (Acc to Vec excepted)");
        if constexpr (Dst::Loc == TileType::Left && Src::Loc == TileType::Mat) {
            extract_mat_to_left(dst, src, row, col);
        } else if constexpr (Dst::Loc == TileType::Right && Src::Loc == TileType::Mat) {
            extract_mat_to_right(dst, src, row, col);
        } else if constexpr (Dst::Loc == TileType::Left && Src::Loc == TileType::Vec) {
            check_vec_tile<Src>();
            static_assert(Src::isRowMajor, "Vec to Left needs a row-major source");
            const typename Src::DType* from = src.data() + row * Src::RowStride + col;
            fill_left(dst, from, Src::RowStride, dst.GetValidRow(), dst.GetValidCol());
        } else {
            static_assert(
                Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec,
                "supported moves: Mat to Left or Right, Acc to Vec, Vec to Left, Vec to Vec");
            check_same_shape_tiles<Dst, Src>();
            const auto* from = src.data() + row * Src::RowStride + col * Src::ColStride;
            constexpr int64_t kTo = Dst::isRowMajor ? Dst::RowStride : Dst::ColStride;
            constexpr int64_t kFrom = Src::isRowMajor ? Src::RowStride : Src::ColStride;
            using T = typename Src::DType;
            copy_lines(
                dst.data(), kTo, 1, static_cast<const T*>(from), kFrom, 1, line_count(dst), line_length(dst));
        }
    }
}

}  // namespace cpu

/// Moves a tile to another memory: Mat to Left or Right, Acc to Vec (with conversion), Vec to Left, Vec to Vec.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&...)
{
    cpu::extract(dst, src, 0, 0);
    return {};
}

/// As TMOV, from row indexRow and column indexCol of the source on; dst's valid region decides the extent.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TEXTRACT(Dst& dst, Src& src, uint16_t indexRow = 0, uint16_t indexCol = 0, const Events&...)
{
    cpu::extract(dst, src, indexRow, indexCol);
    return {};
}

/// As TEXTRACT; this implementation's form of an accumulator block moved to vector memory.
template <typename Dst, typename Src>
    requires(is_tile_data_v<Src> && Src::Loc == TileType::Acc)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol)
{
    cpu::extract(dst, src, indexRow, indexCol);
    return {};
}

/// Gives the bytes of src another shape or element type of the same size; no data moves.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TRESHAPE(Dst& dst, Src& src, const Events&...)
{
    static_assert(Dst::Loc == Src::Loc && Dst::Loc == TileType::Vec, "TRESHAPE takes two Vec tiles");
    static_assert(
        sizeof(typename Dst::DType) * Dst::Numel == sizeof(typename Src::DType) * Src::Numel,
        "TRESHAPE needs tiles of the same number of bytes");
    static_assert(Dst::isBoxedLayout == Src::isBoxedLayout, "TRESHAPE cannot add or remove fractal boxes");
    dst.data() = reinterpret_cast<typename Dst::DType*>(src.data());
    return {};
}

/// Makes dst a view into src that starts at (rowIdx, colIdx); no data moves.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TSUBVIEW(Dst& dst, Src& src, uint16_t rowIdx, uint16_t colIdx, const Events&...)
{
    cpu::check_same_shape_tiles<Dst, Src>();
    static_assert(
        Dst::isRowMajor ? Dst::RowStride == Src::RowStride : Dst::ColStride == Src::ColStride,
        "TSUBVIEW needs tiles of the same pitch");
    dst.data() = src.data() + rowIdx * Src::RowStride + colIdx * Src::ColStride;
    return {};
}

}  // namespace pto
