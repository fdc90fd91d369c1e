// Positions of the largest and the smallest element along rows and columns.
//
// Of equal elements the first counts. NaN counts as the extreme, as in TROWMAX: the position is that of the first NaN.
#pragma once

#include <pto/cpu/lanes/lane_bits.hpp>
#include <pto/cpu/vector/reduce.hpp>

namespace pto {

namespace cpu {

/// Lanes that hold `value`, or a NaN.
template <typename C>
PTO_INLINE auto lanes_of(vec<C> v, vec<C> value)
{
    if constexpr (is_same<C, float>) {
        return (v == value) | (v != v);
    } else {
        return v == value;
    }
}

/// First position of `value` (or of a NaN) among n contiguous elements.
template <typename T>
PTO_INLINE int64_t first_position(const T* p, int64_t n, compute_t<T> value)
{
    using C = compute_t<T>;
    const vec<C> wanted = splat<C>(value);
    for (int64_t i = 0; i < n; i += kLanes<T>) {
        uint64_t bits = 0;
        if (i + kLanes<T> <= n) {
            bits = lane_bits(lanes_of<C>(load(p + i, Full{}), wanted));
        } else {
            const Part part{static_cast<int>(n - i)};
            bits = lane_bits(lanes_of<C>(load(p + i, part), wanted)) & ((uint64_t(1) << part.n) - 1);
        }
        if (bits != 0) {
            return i + __builtin_ctzll(bits);
        }
    }
    return 0;
}

/// index[r, 0] = position of the extreme of src[r, :]; found(r, value) gets the element there: of two zeros, its own sign.
template <typename Op, typename Index, typename Src, typename Found>
PTO_INLINE void arg_reduce_rows(Index& index, Src& src, Found found)
{
    const int64_t cols = src.GetValidCol();
    for (int64_t r = 0; r < static_cast<int64_t>(src.GetValidRow()); ++r) {
        const typename Src::DType* row = src.data() + r * Src::RowStride;
        const auto value = reduce_line<Op>(row, cols);
        const int64_t at = first_position(row, cols, value);
        index.data()[r * Index::RowStride] = static_cast<typename Index::DType>(at);
        found(r, cols > 0 ? row[at] : static_cast<typename Src::DType>(value));
    }
}

/// Integers below 32 bits are widened, so that a lane can hold a row number.
template <typename T>
inline constexpr bool is_short_integer = is_integer<T> && sizeof(T) < 4;
template <typename T, bool = is_short_integer<T>>
struct ArgCompute {
    using type = compute_t<T>;
};
template <typename T>
struct ArgCompute<T, true> {
    using type = int32_t;
};

/// The signed integer of a width: what a comparison of such lanes gives.
template <int Bytes>
struct WidthOf {
    using type = int32_t;
};
template <>
struct WidthOf<8> {
    using type = int64_t;
};

/// Lanes in which v is more extreme than best: strictly, or a first NaN.
template <typename Op, typename C>
PTO_INLINE auto beats(vec<C> v, vec<C> best)
{
    if constexpr (!is_same<C, float>) {
        return is_same<Op, Max> ? v > best : v < best;
    } else if constexpr (is_same<Op, Max>) {
        return ~(v <= best) & (best == best);
    } else {
        return ~(v >= best) & (best == best);
    }
}

template <typename T, typename Extent>
PTO_INLINE auto load_for_arg(const T* p, Extent extent)
{
    if constexpr (is_short_integer<T>) {
        return load_int(p, extent);
    } else {
        return load(p, extent);
    }
}

/// index[0, c] = position of the extreme of src[:, c]; found(c, values, extent) gets the extremes themselves.
template <typename Op, typename Index, typename Src, typename Found>
PTO_INLINE void arg_reduce_cols(Index& index, Src& src, Found found)
{
    using C = typename ArgCompute<typename Src::DType>::type;
    using I = typename Index::DType;
    constexpr int kStep = kVectorBytes / static_cast<int>(sizeof(C));
    const int64_t rows = src.GetValidRow();
    if (rows == 0) {
        return;
    }
    sweep<kStep, 1>(src.GetValidCol(), [&](int64_t c, auto extent) __attribute__((always_inline)) {
        const typename Src::DType* p = src.data() + c;
        vec<C> best = load_for_arg(p, extent);
        using Row = typename WidthOf<sizeof(C)>::type;
        vec<Row> at{};
        for (int64_t r = 1; r < rows; ++r) {
            const vec<C> v = load_for_arg(p + r * Src::RowStride, extent);
            const auto better = beats<Op, C>(v, best);
            best = better ? v : best;
            at = better ? splat(static_cast<Row>(r)) : at;
        }
        int count = kStep;
        if constexpr (is_same<decltype(extent), Part>) {
            count = extent.n;
        }
        for (int i = 0; i < count; ++i) {
            index.data()[c + i] = static_cast<I>(at[i]);
        }
        found(c, best, extent);
    });
}

template <typename Op, typename Value, typename Index, typename Src>
PTO_INLINE void extreme_and_arg_of_rows(Value& value, Index& index, Src& src)
{
    using T = typename Src::DType;
    arg_reduce_rows<Op>(index, src, [&](int64_t r, T extreme) { value.data()[r * Value::RowStride] = extreme; });
}

template <typename Op, typename Value, typename Index, typename Src>
PTO_INLINE void extreme_and_arg_of_cols(Value& value, Index& index, Src& src)
{
    using T = typename Src::DType;
    arg_reduce_cols<Op>(index, src, [&](int64_t c, auto extremes, auto extent) __attribute__((always_inline)) {
        if constexpr (is_short_integer<T>) {
            store_int(value.data() + c, extremes, extent);
        } else {
            store(value.data() + c, extremes, extent);
        }
    });
}

}  // namespace cpu

// TxxxARGyyy(index, src, tmp): positions. TxxxARGyyy(value, index, src, tmp): the extremes, too. The scratch tile is
// not needed here.
#define PTO_CPU_ARG_REDUCE(NAME, OP) \
    template <typename Index, typename Src, typename Tmp, typename... Events> \
        requires(!(is_tile_data_v<Events> || ...)) \
    PTO_INST RecordEvent TROWARG##NAME(Index& index, Src& src, Tmp&, const Events&...) \
    { \
        PTO_OPERANDS(TROWARG##NAME, index, src); \
        cpu::arg_reduce_rows<cpu::OP>(index, src, [](int64_t, auto) {}); \
        return {}; \
    } \
    template <typename Value, typename Index, typename Src, typename Tmp, typename... Events> \
        requires(is_tile_data_v<Tmp>) \
    PTO_INST RecordEvent TROWARG##NAME(Value& value, Index& index, Src& src, Tmp&, const Events&...) \
    { \
        PTO_OPERANDS(TROWARG##NAME, value, index, src); \
        cpu::extreme_and_arg_of_rows<cpu::OP>(value, index, src); \
        return {}; \
    } \
    template <typename Index, typename Src, typename Tmp, typename... Events> \
        requires(!(is_tile_data_v<Events> || ...)) \
    PTO_INST RecordEvent TCOLARG##NAME(Index& index, Src& src, Tmp&, const Events&...) \
    { \
        PTO_OPERANDS(TCOLARG##NAME, index, src); \
        cpu::arg_reduce_cols<cpu::OP>(index, src, [](int64_t, auto, auto) {}); \
        return {}; \
    } \
    template <typename Value, typename Index, typename Src, typename Tmp, typename... Events> \
        requires(is_tile_data_v<Tmp>) \
    PTO_INST RecordEvent TCOLARG##NAME(Value& value, Index& index, Src& src, Tmp&, const Events&...) \
    { \
        PTO_OPERANDS(TCOLARG##NAME, value, index, src); \
        cpu::extreme_and_arg_of_cols<cpu::OP>(value, index, src); \
        return {}; \
    }

PTO_CPU_ARG_REDUCE(MAX, Max)
PTO_CPU_ARG_REDUCE(MIN, Min)
#undef PTO_CPU_ARG_REDUCE

}  // namespace pto
