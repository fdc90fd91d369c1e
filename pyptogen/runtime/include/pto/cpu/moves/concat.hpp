// TCONCAT, TINTERLEAVE and TDEINTERLEAVE: columns of two tiles in one.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/layout/slabs.hpp>
#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

template <typename T>
PTO_INLINE void copy_row_part(T* to, const T* from, int64_t n)
{
    copy_bytes(to, from, n * static_cast<int64_t>(sizeof(T)));
}

/// Row by row: the columns that `count` says of the first tile, then those of the second.
template <typename Dst, typename A, typename B, typename Count>
PTO_INLINE void concat_rows(Dst& dst, A& a, B& b, Count count)
{
    const int64_t rows = dst.GetValidRow();
    for (int64_t r = 0; r < rows; ++r) {
        int64_t n_a = 0, n_b = 0;
        count(r, n_a, n_b);
        auto* to = dst.data() + r * Dst::RowStride;
        copy_row_part(to, a.data() + r * A::RowStride, n_a);
        copy_row_part(to + n_a, b.data() + r * B::RowStride, n_b);
    }
}

/// The count of one row in a tile of byte counts: one per row, or a row of them.
template <typename Tile>
PTO_INLINE int64_t row_count(Tile& counts, int64_t row)
{
    return static_cast<int64_t>(*element_address(counts, row, 0));
}

}  // namespace cpu

/// dst = the valid columns of src0, then those of src1
template <typename Dst, typename A, typename B, typename... Events>
    requires((... && !is_tile_data_v<Events>))
PTO_INST RecordEvent TCONCAT(Dst& dst, A& src0, B& src1, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TCONCAT, dst, src0, src1);
    cpu::concat_rows(dst, src0, src1, [&](int64_t, int64_t& a, int64_t& b) {
        a = src0.GetValidCol();
        b = src1.GetValidCol();
    });
    return {};
}

/// As above, with the columns of each row given in index tiles, times the size of the index type; dst's valid columns
/// bound what is written.
template <typename Dst, typename A, typename B, typename IndexA, typename IndexB, typename... Events>
    requires(is_tile_data_v<IndexA> && is_tile_data_v<IndexB> && (... && !is_tile_data_v<Events>))
PTO_INST RecordEvent TCONCAT(Dst& dst, A& src0, B& src1, IndexA& src0Idx, IndexB& src1Idx, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TCONCAT, dst, src0, src1, src0Idx, src1Idx);
    constexpr int64_t kUnit = sizeof(typename IndexA::DType);
    cpu::concat_rows(dst, src0, src1, [&](int64_t row, int64_t& a, int64_t& b) {
        a = cpu::least(cpu::row_count(src0Idx, row) / kUnit, dst.GetValidCol());
        b = cpu::least(cpu::row_count(src1Idx, row) / kUnit, dst.GetValidCol() - a);
    });
    return {};
}

/// As above; dstIdx becomes the sum of the two counts, at most dst's valid columns, in the same units.
template <typename Dst, typename A, typename B, typename IndexD, typename IndexA, typename IndexB, typename... Events>
    requires(is_tile_data_v<IndexD> && is_tile_data_v<IndexA> && is_tile_data_v<IndexB>)
PTO_INST RecordEvent
TCONCAT(Dst& dst, A& src0, B& src1, IndexD& dstIdx, IndexA& src0Idx, IndexB& src1Idx, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TCONCAT, dst, src0, src1, dstIdx, src0Idx, src1Idx);
    constexpr int64_t kUnit = sizeof(typename IndexA::DType);
    cpu::concat_rows(dst, src0, src1, [&](int64_t row, int64_t& a, int64_t& b) {
        a = cpu::least(cpu::row_count(src0Idx, row) / kUnit, dst.GetValidCol());
        b = cpu::least(cpu::row_count(src1Idx, row) / kUnit, dst.GetValidCol() - a);
        const int64_t sum = cpu::row_count(src0Idx, row) + cpu::row_count(src1Idx, row);
        const int64_t most = dst.GetValidCol() * kUnit;
        *cpu::element_address(dstIdx, row, 0) = static_cast<typename IndexD::DType>(cpu::least(sum, most));
    });
    return {};
}

/// The name under which tests of the public library reach TCONCAT.
template <typename... Tiles>
PTO_INTERNAL void TCONCAT_IMPL(Tiles&... tiles)
{
    TCONCAT(tiles...);
}

/// dst0, then dst1, hold the elements of src0 and src1 in turn: src0[0], src1[0], src0[1], src1[1] …
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TINTERLEAVE(Dst& dst1, Dst& dst0, Src& src1, Src& src0, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TINTERLEAVE, dst1, dst0, src1, src0);
    const int64_t rows = dst0.GetValidRow(), half = dst0.GetValidCol() / 2;
    for (int64_t r = 0; r < rows; ++r) {
        const auto* a = src0.data() + r * Src::RowStride;
        const auto* b = src1.data() + r * Src::RowStride;
        auto* low = dst0.data() + r * Dst::RowStride;
        auto* high = dst1.data() + r * Dst::RowStride;
        for (int64_t c = 0; c < half; ++c) {
            low[2 * c] = a[c];
            low[2 * c + 1] = b[c];
            high[2 * c] = a[half + c];
            high[2 * c + 1] = b[half + c];
        }
    }
    return {};
}

/// dst0 = the even elements of src0 followed by src1, dst1 = the odd ones
template <typename Dst, typename Src, typename... Events>
    requires((... && !is_tile_data_v<Events>))
PTO_INST RecordEvent TDEINTERLEAVE(Dst& dst1, Dst& dst0, Src& src1, Src& src0, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TDEINTERLEAVE, dst1, dst0, src1, src0);
    const int64_t rows = dst0.GetValidRow(), half = dst0.GetValidCol() / 2;
    for (int64_t r = 0; r < rows; ++r) {
        const auto* a = src0.data() + r * Src::RowStride;
        const auto* b = src1.data() + r * Src::RowStride;
        auto* even = dst0.data() + r * Dst::RowStride;
        auto* odd = dst1.data() + r * Dst::RowStride;
        for (int64_t c = 0; c < half; ++c) {
            even[c] = a[2 * c];
            odd[c] = a[2 * c + 1];
            even[half + c] = b[2 * c];
            odd[half + c] = b[2 * c + 1];
        }
    }
    return {};
}

/// dst0 = the even elements of src, dst1 = the odd ones
template <typename Dst, typename Src, typename... Events>
    requires((... && !is_tile_data_v<Events>))
PTO_INST RecordEvent TDEINTERLEAVE(Dst& dst1, Dst& dst0, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TDEINTERLEAVE, dst1, dst0, src);
    const int64_t rows = src.GetValidRow(), half = src.GetValidCol() / 2;
    for (int64_t r = 0; r < rows; ++r) {
        const auto* from = src.data() + r * Src::RowStride;
        auto* even = dst0.data() + r * Dst::RowStride;
        auto* odd = dst1.data() + r * Dst::RowStride;
        for (int64_t c = 0; c < half; ++c) {
            even[c] = from[2 * c];
            odd[c] = from[2 * c + 1];
        }
    }
    return {};
}

}  // namespace pto
