// Regions between any two tiles, with and without conversion: what TMOV, TEXTRACT and TINSERT are made of.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/moves/accumulator.hpp>
#include <pto/cpu/moves/operands.hpp>
#include <pto/cpu/moves/requantise.hpp>

namespace pto::cpu {

/// True for what an instruction may be told to wait for: events and the results of other instructions.
template <typename... Ts>
inline constexpr bool are_waits = ((is_event<Ts>::value || is_same<Ts, RecordEvent>) && ...);

/// dst(dst_row + i, dst_col + j) = convert(src(src_row + i, src_col + j), src_col + j).
template <typename Dst, typename Src, typename Convert>
PTO_INLINE void convert_region(
    Dst& dst, int64_t dst_row, int64_t dst_col, Src& src, int64_t src_row, int64_t src_col, int64_t rows, int64_t cols,
    Convert convert)
{
    using To = typename Dst::DType;
    using From = typename Src::DType;
    for_each_slab(src, src_row, src_col, rows, cols, [&](const Slab<From>& from) {
        const int64_t row = dst_row + from.row - src_row, col = dst_col + from.col - src_col;
        for_each_slab(dst, row, col, from.rows, from.cols, [&](const Slab<To>& to) {
            const From* source = from.at + (to.row - row) * from.row_stride + (to.col - col) * from.col_stride;
            for (int64_t r = 0; r < to.rows; ++r) {
                for (int64_t c = 0; c < to.cols; ++c) {
                    to.at[r * to.row_stride + c * to.col_stride] =
                        convert(source[r * from.row_stride + c * from.col_stride], from.col + to.col - col + c);
                }
            }
        });
    });
}

template <typename Dst>
PTO_INLINE void bind_operand(Dst& dst)
{
    if constexpr (Dst::Loc == TileType::Right) {
        dst.operand = reinterpret_cast<const char*>(dst.data());
        dst.operandPanelBytes = right_panel_bytes<Dst>;
    }
}

/// Accumulator rows to a row-major Vec tile, vectorised.
template <typename Dst, typename Src>
PTO_INLINE void extract_acc_rows(Dst& dst, Src& src, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    (void)src.data();
    for (int64_t r = 0; r < rows; ++r) {
        copy_acc_row(dst.data() + r * Dst::RowStride, src, row + r, col, cols);
    }
}

/// True where a move keeps the element type or casts an accumulator as the fixpipe does, vectorised.
template <typename Dst, typename Src>
inline constexpr bool has_acc_rows =
    Src::Loc == TileType::Acc && Src::isBoxedLayout && Dst::Loc == TileType::Vec && !Dst::isBoxedLayout &&
    Dst::isRowMajor && isa::casts_sum<typename Src::DType, typename Dst::DType>;

/// Copies `rows` x `cols` elements at (row, col) of src to the upper left of dst; another element type is a cast.
template <typename Dst, typename Src>
PTO_INLINE void extract_part(Dst& dst, Src& src, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    using To = typename Dst::DType;
    using From = typename Src::DType;
    if constexpr (has_acc_rows<Dst, Src>) {
        extract_acc_rows(dst, src, row, col, rows, cols);
    } else {
        bind_operand(dst);
        if constexpr (is_same<To, From>) {
            copy_region(dst, 0, 0, src, row, col, rows, cols);
        } else {
            convert_region(dst, 0, 0, src, row, col, rows, cols, CastValue<To, false>{});
        }
        pad_operand(dst, rows, cols);
    }
}

/// Vec to Vec: the common part of the valid regions, bits unchanged where the elements have the same size.
template <typename Dst, typename Src>
PTO_INLINE void move_vec(Dst& dst, Src& src)
{
    using To = typename Dst::DType;
    const int64_t rows = least(dst.GetValidRow(), src.GetValidRow());
    const int64_t cols = least(dst.GetValidCol(), src.GetValidCol());
    if constexpr (!is_same<To, typename Src::DType> && sizeof(To) == sizeof(typename Src::DType)) {
        convert_region(dst, 0, 0, src, 0, 0, rows, cols, [](typename Src::DType value, int64_t) {
            return __builtin_bit_cast(To, value);
        });
    } else {
        extract_part(dst, src, 0, 0, rows, cols);
    }
}

/// Copies the region of src at (row, col) that dst's valid region covers.
template <typename Dst, typename Src>
PTO_INLINE void extract(Dst& dst, Src& src, int64_t row, int64_t col)
{
    if constexpr (is_conv_tile_v<Src>) {
        extract_filter(dst, src, row, col);
    } else {
        constexpr bool kSame = is_same<typename Dst::DType, typename Src::DType> && !is_packed4_v<typename Dst::DType>;
        constexpr bool kPlainSource =
            Src::Loc == TileType::Mat || (Src::Loc == TileType::Vec && !Src::isBoxedLayout && Src::isRowMajor);
        if constexpr (Dst::Loc == TileType::Left && kPlainSource && kSame) {
            extract_to_left(dst, src, row, col);
        } else if constexpr (Dst::Loc == TileType::Right && kPlainSource && kSame) {
            extract_to_right(dst, src, row, col);
        } else {
            extract_part(dst, src, row, col, dst.GetValidRow(), dst.GetValidCol());
        }
    }
}

/// As extract, with a converter of (value, column of src).
template <typename Dst, typename Src, typename Convert>
PTO_INLINE void extract_converted(Dst& dst, Src& src, int64_t row, int64_t col, Convert convert)
{
    convert_region(dst, 0, 0, src, row, col, dst.GetValidRow(), dst.GetValidCol(), convert);
}

/// Puts src's valid region into dst at (row, col); another element type is a cast.
template <typename Dst, typename Src>
PTO_INLINE void insert(Dst& dst, Src& src, int64_t row, int64_t col)
{
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    if constexpr (is_same<typename Dst::DType, typename Src::DType>) {
        copy_region(dst, row, col, src, 0, 0, rows, cols);
    } else {
        convert_region(dst, row, col, src, 0, 0, rows, cols, CastValue<typename Dst::DType, false>{});
    }
}

/// As insert, with a converter of (value, column of src).
template <typename Dst, typename Src, typename Convert>
PTO_INLINE void insert_converted(Dst& dst, Src& src, int64_t row, int64_t col, Convert convert)
{
    convert_region(dst, row, col, src, 0, 0, src.GetValidRow(), src.GetValidCol(), convert);
}

/// First row and column of the accumulator's part that goes to the calling vector core.
template <AccToVecMode Mode, typename Dst>
PTO_INLINE int64_t split_row(const Dst& dst)
{
    return Mode == AccToVecMode::DualModeSplitM ? core_state().subblock_id * int64_t(dst.GetValidRow()) : 0;
}
template <AccToVecMode Mode, typename Dst>
PTO_INLINE int64_t split_col(const Dst& dst)
{
    return Mode == AccToVecMode::DualModeSplitN ? core_state().subblock_id * int64_t(dst.GetValidCol()) : 0;
}

}  // namespace pto::cpu
