// Broadcasts: a column over the rows of a tile (TROWEXPAND*), a row over its columns (TCOLEXPAND*).
#pragma once

#include <pto/cpu/lanes/invariant_divisor.hpp>
#include <pto/cpu/vector/words.hpp>

namespace pto {

namespace cpu {

/// An operand with one value (or one 32-byte block of values) per row, as opposed to a full tile of dst's shape.
template <typename Operand, typename Dst>
constexpr bool is_row_operand()
{
    constexpr bool block = Operand::Cols * sizeof(typename Operand::DType) == 32 && Operand::Cols != Dst::Cols;
    return !Operand::isRowMajor || block || Operand::ValidCol == 1;
}

/// A tile of one 32-byte block per row.
template <typename Operand>
constexpr bool is_one_block_wide()
{
    return Operand::isRowMajor && Operand::Cols * sizeof(typename Operand::DType) == 32;
}

/// Whether Column stands for one value or block per row beside Whole. Where dst is no wider than a block, its shape does
/// not tell: then the operand whose rows are not further apart does, and src1 of equal ones, as on A2/A3.
template <typename Column, typename Whole, typename Dst, bool kFirst>
constexpr bool is_column_beside()
{
    constexpr bool undecided = !is_row_operand<Column, Dst>() && !is_row_operand<Whole, Dst>();
    constexpr bool closer = kFirst ? Column::RowStride < Whole::RowStride : Column::RowStride <= Whole::RowStride;
    return is_row_operand<Column, Dst>() || (undecided && is_one_block_wide<Column>() && closer);
}

/// One vector with the 32-byte block at p repeated.
template <typename T>
PTO_INLINE compute_vec<T> repeated_block(const T* p)
{
    constexpr int kBlock = 32 / static_cast<int>(sizeof(T));
    constexpr int kCount = kLanes<T> > kBlock ? kLanes<T> : kBlock;
    T lanes[kCount];
    for (int i = 0; i < kCount; i += kBlock) {
        __builtin_memcpy(lanes + i, p, 32);
    }
    return load(static_cast<const T*>(lanes), Full{});
}

/// dst[r, c] = Op(full[r, c], column[r]), or with the operands exchanged.
template <typename Op, bool ColumnFirst, typename Dst, typename Whole, typename Column>
PTO_INLINE void expand_rows(Dst& dst, Whole& whole, Column& column)
{
    using T = typename Dst::DType;
    using C = compute_t<T>;
    constexpr bool kBlock = Column::isRowMajor && Column::ValidCol != 1;
    const int64_t rows = dst.GetValidRow();
    const int64_t cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        const T* value = column.data() + r * Column::RowStride;
        T* to = dst.data() + r * Dst::RowStride;
        const T* from = whole.data() + r * Whole::RowStride;
        const auto combine = [](vec<C> a, vec<C> b) __attribute__((always_inline)) {
            return ColumnFirst ? apply_to<Op, T>(b, a) : apply_to<Op, T>(a, b);
        };
        if constexpr (kBlock && kLanes<T> * sizeof(T) < 32) {  // a vector shorter than a block: element by element
            constexpr int kLength = 32 / static_cast<int>(sizeof(T));
            for (int64_t c = 0; c < cols; ++c) {
                const vec<C> a = load(from + c, Part{1});
                store(to + c, combine(a, load(value + c % kLength, Part{1})), Part{1});
            }
        } else if constexpr (kBlock) {
            const vec<C> b = repeated_block(value);
            sweep<kLanes<T>, 4>(cols, [&](int64_t i, auto extent) __attribute__((always_inline)) {
                store(to + i, combine(load(from + i, extent), b), extent);
            });
        } else if constexpr (on_words<Op, T>()) {
            const u16v b = splat_words<T>(*value);
            map_lines<4>(
                1, cols,
                [b](u16v a) __attribute__((always_inline)) {
                    return ColumnFirst ? apply_words<Op, T>(b, a) : apply_words<Op, T>(a, b);
                },
                words_of(Lines<T>{to, 0}), words_of(Lines<T>{const_cast<T*>(from), 0}));
        } else if constexpr (is_same<Op, Div> && !ColumnFirst && is_same<C, float>) {
            const InvariantDivisor by(static_cast<float>(*value));
            map_lines<4>(
                1, cols, [by](vec<C> a) __attribute__((always_inline)) { return by.quotient(a); }, Lines<T>{to, 0},
                Lines<T>{const_cast<T*>(from), 0});
        } else {
            const vec<C> b = splat<C>(static_cast<C>(*value));
            map_lines<4>(
                1, cols, [combine, b](vec<C> a) __attribute__((always_inline)) { return combine(a, b); },
                Lines<T>{to, 0}, Lines<T>{const_cast<T*>(from), 0});
        }
    }
}

/// Finds out which operand is the column.
template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void expand_rows_either(Dst& dst, Src0& src0, Src1& src1)
{
    if constexpr (is_column_beside<Src1, Src0, Dst, false>()) {
        expand_rows<Op, false>(dst, src0, src1);
    } else {
        expand_rows<Op, true>(dst, src1, src0);
    }
}

/// dst[r, c] = Op(full[r, c], row[c])
template <typename Op, typename Dst, typename Src, typename Row>
PTO_INLINE void expand_cols(Dst& dst, Src& src, Row& row)
{
    using T = typename Dst::DType;
    const Lines<T> repeated{row.data(), 0};
    if constexpr (on_words<Op, T>()) {
        map_lines<4>(
            dst.GetValidRow(), dst.GetValidCol(),
            [](u16v a, u16v b) __attribute__((always_inline)) { return apply_words<Op, T>(a, b); },
            words_of(lines_of(dst)), words_of(lines_of(src)), words_of(repeated));
    } else {
        using C = compute_t<T>;
        map_lines<4>(
            dst.GetValidRow(), dst.GetValidCol(),
            [](vec<C> a, vec<C> b) __attribute__((always_inline)) { return apply_to<Op, T>(a, b); }, lines_of(dst),
            lines_of(src), repeated);
    }
}

}  // namespace cpu

// What dst = src0 op src1 asks beside PTO_OPERANDS where one operand is a column.
#define PTO_EXPECT_COLUMN_OPERAND(NAME) \
    static_assert( \
        (cpu::is_column_beside<Src0, Src1, Dst, true>() || cpu::is_column_beside<Src1, Src0, Dst, false>()), \
        NAME ": src0 or src1 must have one value, or one block of 32 bytes, in a row"); \
    static_assert(Src0::isRowMajor || Src1::isRowMajor, NAME ": one of src0 and src1 must be row-major, as dst is")

/// dst[r, c] = src[r, 0]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TROWEXPAND(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TROWEXPAND, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        const cpu::vec<C> value = cpu::splat<C>(static_cast<C>(src.data()[r * Src::RowStride]));
        cpu::map_lines<4>(
            1, dst.GetValidCol(), [value]() __attribute__((always_inline)) { return value; },
            cpu::Lines<T>{dst.data() + r * Dst::RowStride, Dst::RowStride});
    }
    return {};
}

/// dst[r, c] = src[0, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLEXPAND(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TCOLEXPAND, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    cpu::map_lines<4>(
        dst.GetValidRow(), dst.GetValidCol(), [](cpu::vec<C> v) __attribute__((always_inline)) { return v; },
        cpu::lines_of(dst), cpu::Lines<T>{src.data(), 0});
    return {};
}

/// TCOLEXPAND by the name that it has inside of a device's headers.
template <typename Dst, typename Src>
PTO_INTERNAL void TCOLEXPAND_IMPL(Dst& dst, Src& src)
{
    TCOLEXPAND(dst, src);
}

// TROWEXPANDxxx(dst, src0, src1[, tmp]): dst = src0 op src1 where one operand is a column. The scratch tile of the
// four-operand form is not needed here. TCOLEXPANDxxx(dst, src0, src1): dst = src0 op src1 where src1 is a row.
#define PTO_CPU_BROADCAST(NAME, OP) \
    template <typename Dst, typename Src0, typename Src1, typename... Rest> \
    PTO_INST RecordEvent TROWEXPAND##NAME(Dst& dst, Src0& src0, Src1& src1, const Rest&...) \
    { \
        PTO_OPERANDS(TROWEXPAND##NAME, dst, src0, src1); \
        PTO_EXPECT_COLUMN_OPERAND("TROWEXPAND" #NAME); \
        cpu::expand_rows_either<cpu::OP>(dst, src0, src1); \
        return {}; \
    } \
    template <typename Dst, typename Src0, typename Src1, typename... Events> \
    PTO_INST RecordEvent TCOLEXPAND##NAME(Dst& dst, Src0& src0, Src1& src1, const Events&...) \
    { \
        PTO_OPERANDS(TCOLEXPAND##NAME, dst, src0, src1); \
        cpu::expand_cols<cpu::OP>(dst, src0, src1); \
        return {}; \
    }

PTO_CPU_BROADCAST(ADD, Add)
PTO_CPU_BROADCAST(SUB, Sub)
PTO_CPU_BROADCAST(MUL, Mul)
PTO_CPU_BROADCAST(MAX, Max)
PTO_CPU_BROADCAST(MIN, Min)
#undef PTO_CPU_BROADCAST

/// dst = src0 / src1 where one operand is a column
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TROWEXPANDDIV(Dst& dst, Src0& src0, Src1& src1, const Rest&...)
{
    PTO_OPERANDS(TROWEXPANDDIV, dst, src0, src1);
    PTO_EXPECT_COLUMN_OPERAND("TROWEXPANDDIV");
    cpu::expand_rows_either<cpu::Div>(dst, src0, src1);
    return {};
}

/// dst = src0 / src1 where src1 is a row
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TCOLEXPANDDIV(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TCOLEXPANDDIV, dst, src0, src1);
    cpu::expand_cols<cpu::Div>(dst, src0, src1);
    return {};
}

}  // namespace pto
