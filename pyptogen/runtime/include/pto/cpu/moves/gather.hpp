// TGATHER, TGATHERB and TSCATTER: elements of vector tiles by index, by block or by pattern.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/modes.hpp>
#include <pto/cpu/moves/move_region.hpp>
#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

/// True where a pattern selects element (or row) i.
PTO_INLINE constexpr bool selects(MaskPattern pattern, int64_t i)
{
    switch (pattern) {
        case MaskPattern::P0101: return i % 2 == 0;
        case MaskPattern::P1010: return i % 2 == 1;
        case MaskPattern::P0001: return i % 4 == 0;
        case MaskPattern::P0010: return i % 4 == 1;
        case MaskPattern::P0100: return i % 4 == 2;
        case MaskPattern::P1000: return i % 4 == 3;
        default: return true;
    }
}

constexpr int64_t pattern_period(MaskPattern pattern)
{
    return pattern == MaskPattern::P1111 ? 1 : pattern == MaskPattern::P0101 || pattern == MaskPattern::P1010 ? 2 : 4;
}
constexpr int64_t pattern_first(MaskPattern pattern)
{
    return pattern == MaskPattern::P1010 || pattern == MaskPattern::P0010 ? 1
           : pattern == MaskPattern::P0100                                ? 2
           : pattern == MaskPattern::P1000                                ? 3
                                                                          : 0;
}

/// Offset in elements of the element that stands at flat position `index` of a tile's static rows.
template <typename Tile>
PTO_INLINE int64_t flat_offset(int64_t index)
{
    return Tile::isRowMajor ? index : public_offset<Tile>(index / Tile::Cols, index % Tile::Cols);
}

/// dst(r, c) = src at flat position index(r, c); 0 for a position outside src.
template <typename Dst, typename Src, typename Index>
PTO_INLINE void gather_by_index(Dst& dst, Src& src, Index& index)
{
    using T = typename Dst::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            const auto at = static_cast<int64_t>(index.data()[public_offset<Index>(r, c)]);
            const bool inside = static_cast<uint64_t>(at) < static_cast<uint64_t>(Src::Numel);
            dst.data()[public_offset<Dst>(r, c)] = inside ? src.data()[flat_offset<Src>(at)] : T{};
        }
    }
}

/// The elements of each row of src that compare with the row's value (converted to src's type): `offset` plus their
/// flat positions in src go into dst's row, how many there are into counts.
template <CmpMode Mode, typename Dst, typename Src, typename Value, typename Counts>
inline void gather_matches(Dst& dst, Src& src, Value& value, Counts& counts, int64_t offset)
{
    using T = typename Src::DType;
    static_assert(Mode == CmpMode::GT || Mode == CmpMode::EQ, "TGATHER compares with GT or EQ");
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        const T wanted = static_cast<T>(value.data()[r]);
        int64_t found = 0;
        for (int64_t c = 0; c < cols; ++c) {
            const T v = src.data()[r * Src::RowStride + c];
            if (Mode == CmpMode::GT ? v > wanted : v == wanted) {
                const int64_t position = offset + r * Src::RowStride + c;
                dst.data()[r * Dst::RowStride + found++] = static_cast<typename Dst::DType>(position);
            }
        }
        counts.data()[r] = static_cast<typename Counts::DType>(found);
    }
}

/// The selected columns of every row, one after the other and row after row; or the selected rows.
template <MaskPattern Pattern, bool Columns, typename Dst, typename Src>
PTO_INLINE void gather_by_pattern(Dst& dst, Src& src)
{
    using T = typename Dst::DType;
    constexpr int64_t kPeriod = pattern_period(Pattern), kFirst = pattern_first(Pattern);
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    const T* from = reinterpret_cast<const T*>(src.data());
    if constexpr (Columns) {
        T* to = dst.data();
        for (int64_t r = 0; r < rows; ++r, from += Src::RowStride) {
            for (int64_t c = kFirst; c < cols; c += kPeriod) {
                *to++ = from[c];
            }
        }
    } else {
        T* to = dst.data();
        for (int64_t r = kFirst; r < rows; r += kPeriod, to += Dst::RowStride) {
            copy_bytes(to, from + r * Src::RowStride, cols * static_cast<int64_t>(sizeof(T)));
        }
    }
}

/// The reverse: src's columns (or rows) to the selected ones of dst, zero to the others.
template <MaskPattern Pattern, bool Columns, typename Dst, typename Src>
PTO_INLINE void scatter_by_pattern(Dst& dst, Src& src)
{
    using T = typename Dst::DType;
    constexpr int64_t kPeriod = pattern_period(Pattern), kFirst = pattern_first(Pattern);
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    fill_region(dst, 0, 0, dst.GetValidRow(), dst.GetValidCol(), T{});
    const T* from = reinterpret_cast<const T*>(src.data());
    for (int64_t r = 0; r < rows; ++r, from += Src::RowStride) {
        T* to = dst.data() + (Columns ? r : r * kPeriod + kFirst) * Dst::RowStride;
        for (int64_t c = 0; c < cols; ++c) {
            to[Columns ? c * kPeriod + kFirst : c] = from[c];
        }
    }
}

}  // namespace cpu

/// dst(i, j) = src0 at the flat position src1(i, j) of its rows
template <typename Dst, typename Src, typename Index, typename Tmp, typename... Events>
    requires(is_tile_data_v<Index> && is_tile_data_v<Tmp>)
PTO_INST RecordEvent TGATHER(Dst& dst, Src& src0, Index& src1, Tmp&, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TGATHER, dst, src0, src1);
    cpu::gather_by_index(dst, src0, src1);
    return {};
}

/// The positions where a row compares with its k_value, and their number in cdst.
template <
    typename Dst, typename Src, typename Value, typename Counts, typename Tmp, CmpMode cmpMode, typename... Events>
PTO_INST RecordEvent
TGATHER(Dst& dst, Src& src0, Value& k_value, Counts& cdst, Tmp&, uint32_t offset, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TGATHER, dst, src0, k_value, cdst);
    cpu::gather_matches<cmpMode>(dst, src0, k_value, cdst, offset);
    return {};
}

/// The elements that a pattern selects: of each row (dst is filled without gaps), or whole rows.
template <
    typename Dst, typename Src, MaskPattern maskPattern = MaskPattern::P1111, auto gatherType = GatherAxis::GATHER_ROW,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TGATHER(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TGATHER, dst, src);
    cpu::gather_by_pattern<maskPattern, gatherType == GatherAxis::GATHER_ROW>(dst, src);
    return {};
}

/// Each 32-byte block of dst = the block at a byte offset from src's start; blocks that leave src are not written.
template <typename Dst, typename Src, typename Offset, typename... Events>
PTO_INST RecordEvent TGATHERB(Dst& dst, Src& src, Offset& offset, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TGATHERB, dst, src, offset);
    constexpr int64_t kBlock = BLOCK_BYTE_SIZE / static_cast<int64_t>(sizeof(typename Dst::DType));
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; c += kBlock) {
            const auto at = static_cast<uint32_t>(offset.data()[r * Offset::RowStride + c / kBlock]);
            if (at + size_t(BLOCK_BYTE_SIZE) <= Src::GetSizeInBytes()) {
                __builtin_memcpy(
                    static_cast<void*>(dst.data() + r * Dst::RowStride + c),
                    reinterpret_cast<const char*>(src.data()) + at,
                    cpu::least(kBlock, cols - c) * sizeof(typename Dst::DType));
            }
        }
    }
    return {};
}

/// Zeros dst's valid region; then dst at the flat position indexes(i, j) = src(i, j), in row-major order, so that the
/// last of several wins. Positions outside dst are not written.
template <typename Dst, typename Src, typename Index, typename... Events>
    requires(is_tile_data_v<Index>)
PTO_INST RecordEvent TSCATTER(Dst& dst, Src& src, Index& indexes, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TSCATTER, dst, src, indexes);
    using T = typename Dst::DType;
    cpu::fill_region(dst, 0, 0, dst.GetValidRow(), dst.GetValidCol(), T{});
    const int64_t rows = indexes.GetValidRow(), cols = indexes.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            const auto at = static_cast<int64_t>(indexes.data()[cpu::public_offset<Index>(r, c)]);
            if (static_cast<uint64_t>(at) < static_cast<uint64_t>(Dst::Numel)) {
                dst.data()[cpu::flat_offset<Dst>(at)] = src.data()[cpu::public_offset<Src>(r, c)];
            }
        }
    }
    return {};
}

/// src's columns (or rows) to those that a pattern selects in dst, zero to the others of dst's valid region.
template <
    MaskPattern maskPattern = MaskPattern::P1111, auto ScatterType = ScatterAxis::SCATTER_ROW, typename Dst,
    typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TSCATTER(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TSCATTER, dst, src);
    cpu::scatter_by_pattern<maskPattern, ScatterType == ScatterAxis::SCATTER_ROW>(dst, src);
    return {};
}

}  // namespace pto
