// MGATHER: rows or elements of global memory by index.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/modes.hpp>
#include <pto/cpu/checked/indexes.hpp>
#include <pto/cpu/lanes/raw.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

enum class GatherExec : uint8_t { Scalar = 0, Simt = 1 };

namespace cpu {

enum class Outside { Ignore, Clamp, Wrap, Drop };  // what becomes of an index outside the table

/// Whether an index may come out as one that is dropped: where there is no rule, one outside is a fault.
template <Outside Rule>
inline constexpr bool drops = Rule == Outside::Drop || Rule == Outside::Ignore;

/// An index made to fit a table of `capacity`; -1 for one that is dropped. Negative indices count as far outside. Where
/// there is no rule for those outside, the launch fails in the end.
template <Outside Rule, typename Index>
PTO_INLINE int64_t table_index(Index raw, int64_t capacity)
{
    const auto index = static_cast<uint64_t>(static_cast<int64_t>(raw));
    const auto limit = static_cast<uint64_t>(capacity);
    if constexpr (Rule == Outside::Ignore) {
        if (__builtin_expect(index < limit, 1)) {
            return static_cast<int64_t>(index);
        }
        if constexpr (checked::kOn) {
            (void)checked::index_holds(static_cast<int64_t>(raw), capacity);
        } else {
            note_index(static_cast<int64_t>(raw), capacity, 0);
        }
        return -1;
    } else if constexpr (Rule == Outside::Clamp) {
        return static_cast<int64_t>(index < limit ? index : limit - 1);
    } else if constexpr (Rule == Outside::Wrap) {
        return static_cast<int64_t>(static_cast<raw_t<Index>>(raw) % limit);
    } else {
        return index < limit ? static_cast<int64_t>(index) : -1;
    }
}

/// Rows and elements of a table in global memory.
template <typename Global>
struct Table {
    using T = typename Global::RawDType;
    static constexpr bool kNz = Global::layout == Layout::NZ;
    Global& global;

    PTO_INLINE int64_t rows() const
    {
        return kNz ? global.GetShape(2) * global.GetShape(3)
                   : global.GetShape(0) * global.GetShape(1) * global.GetShape(2) * global.GetShape(3);
    }
    PTO_INLINE int64_t columns() const
    {
        return kNz ? global.GetShape(0) * global.GetShape(1) * global.GetShape(4) : global.GetShape(4);
    }
    PTO_INLINE T* element(int64_t row, int64_t col) const
    {
        if constexpr (kNz) {
            const int64_t width = global.GetShape(4), panel = col / width, inner = global.GetShape(3);
            return global.data() + panel / global.GetShape(1) * global.GetStride(0) +
                   panel % global.GetShape(1) * global.GetStride(1) + row / inner * global.GetStride(2) +
                   row % inner * global.GetStride(3) + col % width * global.GetStride(4);
        } else {
            return global.data() + row * global.GetStride(3) + col * global.GetStride(4);
        }
    }
    /// The element at a flat position: a position in memory, except in NZ.
    PTO_INLINE T* flat(int64_t index) const
    {
        return kNz ? element(index / columns(), index % columns()) : global.data() + index;
    }
};

template <typename Indexes>
PTO_INLINE int64_t index_at(Indexes& indexes, int64_t row, int64_t col, int64_t flat)
{
    if constexpr (is_global_data_v<Indexes>) {
        (void)row;
        (void)col;
        return static_cast<int64_t>(indexes.data()[flat]);
    } else {
        (void)flat;
        return static_cast<int64_t>(indexes.data()[public_offset<Indexes>(row, col)]);
    }
}
/// The index of row r, from a row or a column of indices.
template <typename Indexes>
PTO_INLINE auto row_index(Indexes& indexes, int64_t r)
{
    if constexpr (is_global_data_v<Indexes>) {
        return indexes.data()[r];
    } else {
        static_assert(!Indexes::isBoxedLayout, "MGATHER and MSCATTER: indices of rows must be a plain tile");
        const bool column = indexes.GetValidCol() == 1 && Indexes::isRowMajor;
        return indexes.data()[column ? r * Indexes::RowStride : r];
    }
}

/// Asks for the lines of row r, which is needed soon: rows lie anywhere, so no prefetcher of the machine finds the
/// next.
template <Outside Rule, typename Global, typename Indexes>
PTO_INLINE void ask_for_indexed(
    [[maybe_unused]] const Table<Global>& table, [[maybe_unused]] Indexes& indexes, [[maybe_unused]] int64_t r,
    [[maybe_unused]] int64_t cols)
{
    if constexpr (!Table<Global>::kNz && !checked::kOn) {
        constexpr int64_t kLine = 64, kMost = 2048;  // what is behind that, the machine finds itself
        const int64_t row = row_index(indexes, r);
        if (row >= 0 && row < table.rows() && table.global.GetStride(4) == 1) {
            const char* at = reinterpret_cast<const char*>(table.element(row, 0));
            const int64_t bytes = cols * static_cast<int64_t>(sizeof(typename Table<Global>::T));
            for (int64_t i = 0; i < (bytes < kMost ? bytes : kMost); i += kLine) {
                __builtin_prefetch(at + i);
            }
        }
    }
}

template <Outside Rule, typename Dst, typename Global, typename Indexes>
inline void gather_rows(Dst& dst, Global& src, Indexes& indexes)
{
    using T = typename Dst::DType;
    const Table<Global> table{src};
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol(), capacity = table.rows();
    constexpr int64_t kAhead = 8;  // rows that are asked for before they are copied
    for (int64_t r = 0; r < rows && r < kAhead; ++r) {
        ask_for_indexed<Rule>(table, indexes, r, cols);
    }
    for (int64_t r = 0; r < rows; ++r) {
        if (r + kAhead < rows) {
            ask_for_indexed<Rule>(table, indexes, r + kAhead, cols);
        }
        const int64_t row = table_index<Rule>(row_index(indexes, r), capacity);
        if (row < 0 && drops<Rule>) {
            fill_region(dst, r, 0, 1, cols, T{});
        } else if constexpr (Table<Global>::kNz) {
            for (int64_t c = 0; c < cols; ++c) {
                *element_address(dst, r, c) = __builtin_bit_cast(T, *table.element(row, c));
            }
        } else {
            T* from = reinterpret_cast<T*>(table.element(row, 0));
            put_slab(dst, r, 0, Slab<T>{from, r, 0, 1, cols, 0, src.GetStride(4)});
        }
    }
}

/// Asks for all lines of a table of one row of which many are needed soon: one after the other they come faster than in
/// the order of the indices.
template <typename Global>
PTO_INLINE void ask_for_row([[maybe_unused]] const Table<Global>& table, [[maybe_unused]] int64_t picked)
{
    if constexpr (!Table<Global>::kNz) {
        constexpr int64_t kLine = 64, kLongest = 16 * 1024;  // half of the first-level cache
        const int64_t bytes = table.columns() * static_cast<int64_t>(sizeof(typename Table<Global>::T));
        const bool dense = bytes <= kLongest && picked * 2 >= bytes / kLine;
        if (dense && table.rows() == 1 && table.global.GetStride(4) == 1) {
            const char* row = reinterpret_cast<const char*>(table.flat(0));
            for (int64_t at = 0; at < bytes; at += kLine) {
                __builtin_prefetch(row + at);
            }
        }
    }
}

#if defined(PTO_CPU_AVX512)
/// The elements of four bytes at `count` indices, a vector at a time, as long as indices lie below `capacity`; how
/// many.
template <typename T, typename Index, typename From>
PTO_INLINE int64_t gather_words(T* to, const Index* indices, int64_t count, const From* from, int64_t capacity)
{
    const __m512i limit = _mm512_set1_epi32(static_cast<int>(capacity < INT32_MAX ? capacity : INT32_MAX));
    int64_t c = 0;
    for (; c + 16 <= count; c += 16) {
        const __m512i index = _mm512_loadu_si512(indices + c);
        if (_mm512_cmplt_epu32_mask(index, limit) != 0xFFFF) {
            break;
        }
        _mm512_storeu_si512(to + c, _mm512_i32gather_epi32(index, from, 4));
    }
    return c;
}
#endif

/// Whether rows of indices and of data are lines of 32 bits each, of a table whose elements follow each other.
template <typename Dst, typename Global, typename Indexes>
constexpr bool gathers_words()
{
    if constexpr (is_tile_data_v<Indexes> && is_tile_data_v<Dst>) {
        return sizeof(typename Dst::DType) == 4 && sizeof(typename Indexes::DType) == 4 &&
               static_cast<typename Indexes::DType>(-1) < 0 && !Table<Global>::kNz && Dst::isRowMajor &&
               !Dst::isBoxedLayout && Indexes::isRowMajor && !Indexes::isBoxedLayout;
    } else {
        return false;
    }
}

/// The first elements of row r, a vector at a time where the machine gathers such elements; how many they are. Stops
/// before a vector with an index outside the table.
template <Outside Rule, typename Dst, typename Global, typename Indexes>
PTO_INLINE int64_t gather_vectors(
    [[maybe_unused]] Dst& dst, [[maybe_unused]] const Table<Global>& table, [[maybe_unused]] Indexes& indexes,
    [[maybe_unused]] int64_t r, [[maybe_unused]] int64_t cols)
{
    if constexpr (kHasAvx512 && Rule == Outside::Ignore && !checked::kOn && gathers_words<Dst, Global, Indexes>()) {
        return gather_words(
            dst.data() + r * Dst::RowStride, indexes.data() + r * Indexes::RowStride, cols, table.flat(0),
            table.rows() * table.columns());
    } else {
        return 0;
    }
}

template <Outside Rule, typename Dst, typename Global, typename Indexes>
inline void gather_elements(Dst& dst, Global& src, Indexes& indexes)
{
    using T = typename Dst::DType;
    using Index = typename Indexes::DType;
    const Table<Global> table{src};
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol(), capacity = table.rows() * table.columns();
    ask_for_row(table, rows * cols);
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = gather_vectors<Rule>(dst, table, indexes, r, cols); c < cols; ++c) {
            const auto raw = static_cast<Index>(index_at(indexes, r, c, r * cols + c));
            const int64_t at = table_index<Rule>(raw, capacity);
            *element_address(dst, r, c) = at < 0 && drops<Rule> ? T{} : __builtin_bit_cast(T, *table.flat(at));
        }
    }
}

constexpr Outside outside(GatherOOB mode)
{
    return mode == GatherOOB::Clamp  ? Outside::Clamp
           : mode == GatherOOB::Wrap ? Outside::Wrap
           : mode == GatherOOB::Zero ? Outside::Drop
                                     : Outside::Ignore;
}

template <Coalesce Mode, GatherOOB Oob, typename Dst, typename Global, typename Indexes>
PTO_INLINE void gather_memory(Dst& dst, Global& src, Indexes& indexes)
{
    if constexpr (Mode == Coalesce::Row) {
        gather_rows<outside(Oob)>(dst, src, indexes);
    } else {
        gather_elements<outside(Oob)>(dst, src, indexes);
    }
}

/// Without a mode: one index per element where the indices have the data's shape, else one per row.
template <typename Data, typename Indexes>
PTO_INLINE bool has_index_per_element(const Data& data, const Indexes& indexes)
{
    if constexpr (is_tile_data_v<Indexes>) {
        return data.GetValidRow() == indexes.GetValidRow() && data.GetValidCol() == indexes.GetValidCol();
    } else {
        return false;
    }
}

}  // namespace cpu

/// dst(r, :) = row indexes(r) of src (Coalesce::Row), or dst(r, c) = element indexes(r, c) of src (Coalesce::Elem).
template <Coalesce CMode, GatherOOB Mode, typename Dst, typename Global, typename Indexes, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(MGATHER, dst, src, indexes);
    cpu::gather_memory<CMode, Mode>(dst, src, indexes);
    return {};
}
template <Coalesce CMode, typename Dst, typename Global, typename Indexes, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, const Events&... events)
{
    return MGATHER<CMode, GatherOOB::Undefined>(dst, src, indexes, events...);
}
template <typename Dst, typename Global, typename Indexes, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(MGATHER, dst, src, indexes);
    if (cpu::has_index_per_element(dst, indexes)) {
        cpu::gather_memory<Coalesce::Elem, GatherOOB::Undefined>(dst, src, indexes);
    } else {
        cpu::gather_memory<Coalesce::Row, GatherOOB::Undefined>(dst, src, indexes);
    }
    return {};
}

/// The forms with indices and scratch in global memory; the scratch is not used.
template <
    Coalesce CMode, GatherOOB Mode, GatherExec Exec, typename Dst, typename Global, typename Indexes, typename Scratch>
    requires(is_global_data_v<Scratch> || is_tile_data_v<Scratch>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, Scratch&)
{
    return MGATHER<CMode, Mode>(dst, src, indexes);
}
template <Coalesce CMode, GatherOOB Mode, typename Dst, typename Global, typename Indexes, typename Scratch>
    requires(is_global_data_v<Scratch> || is_tile_data_v<Scratch>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, Scratch&)
{
    return MGATHER<CMode, Mode>(dst, src, indexes);
}
template <Coalesce CMode, typename Dst, typename Global, typename Indexes, typename Scratch>
    requires(is_global_data_v<Scratch> || is_tile_data_v<Scratch>)
PTO_INST RecordEvent MGATHER(Dst& dst, Global& src, Indexes& indexes, Scratch&)
{
    return MGATHER<CMode, GatherOOB::Undefined>(dst, src, indexes);
}

}  // namespace pto
