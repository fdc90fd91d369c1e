// Reductions along the rows or the columns of a tile.
//
// The order of a sum depends only on the number of elements that are summed, never on the height of the tile. Narrow
// floats are accumulated in fp32 and rounded once.
#pragma once

#include <pto/cpu/vector/line_reduction.hpp>

namespace pto {

namespace cpu {

/// dst[r, 0] = Op over src[r, :]
template <typename Op, typename Dst, typename Src>
PTO_INLINE void reduce_rows(Dst& dst, Src& src)
{
    using T = typename Src::DType;
    const int64_t rows = src.GetValidRow();
    const int64_t cols = src.GetValidCol();
    for (int64_t r = 0; r < rows; r += 4) {
        T results[4];
        const int count = static_cast<int>(rows - r < 4 ? rows - r : 4);
        reduce_lines<Op>(src.data() + r * Src::RowStride, Src::RowStride, cols, count, results);
        for (int i = 0; i < count; ++i) {
            dst.data()[(r + i) * Dst::RowStride] = results[i];
        }
    }
}

/// to[c] = Op over from[:, c], a vector of columns at a time. Sums of narrow floats stay in fp32 until the end.
template <typename Op, typename T>
PTO_INLINE void reduce_cols_of(T* to, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    if constexpr (is_extreme<Op> && on_words<Op, T>()) {
        const uint16_t* words = reinterpret_cast<const uint16_t*>(from);
        sweep<kLanes<uint16_t>, 2>(cols, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            u16v extreme = load(words + i, extent);
            for (int64_t r = 1; r < rows; ++r) {
                extreme = apply_words<Op, T>(extreme, load(words + r * stride + i, extent));
            }
            store(reinterpret_cast<uint16_t*>(to) + i, extreme, extent);
        });
    } else {
        using C = compute_t<T>;
        sweep<kLanes<T>, 4>(cols, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            vec<C> sum = load(from + i, extent);
            for (int64_t r = 1; r < rows; ++r) {
                sum = Op::template apply<C>(sum, load(from + r * stride + i, extent));
            }
            store(to + i, sum, extent);
        });
    }
}

/// Max or Min over four vectors of columns of fp32, or of narrow floats as words; of AVX-512.
template <typename Op, typename T>
class OrderedExtremes;

#if defined(PTO_CPU_AVX512)

/// As ManyWords, of fp32.
template <typename Op>
struct ManyFloats {
    using State = __m512i;
    using Look = __mmask16;

    static constexpr Look kNothingSeen = 0xffff;
    PTO_INLINE static State begin(__m512i v) { return v; }
    PTO_INLINE static State meet(State so_far, __m512i v) { return (__m512i)Op::ignoring_nan((f32v)so_far, (f32v)v); }
    PTO_INLINE static __m512i extremes(State state) { return state; }
    PTO_INLINE static Look look_at(Look so_far, __m512i x, __m512i y)
    {
        return still_ordered(so_far, (f32v)x, (f32v)y);
    }
    PTO_INLINE static bool ordered(Look seen) { return seen == kNothingSeen; }
};

/// What is not ordered is looked for beside the comparison.
template <typename Op, typename T>
class OrderedExtremes {
public:
    static constexpr int kVectors = 4, kLanesOf = 64 / static_cast<int>(sizeof(T)), kCols = kVectors * kLanesOf;

    PTO_INLINE explicit OrderedExtremes(const T* first)
    {
        PTO_CPU_UNROLL
        for (int u = 0; u < kVectors; ++u) {
            const __m512i v = load_bits<__m512i>(first + u * kLanesOf);
            state_[u] = Many::begin(v);
            seen_[u] = Many::look_at(Many::kNothingSeen, v, v);
        }
    }
    /// Two rows, which one look is for.
    PTO_INLINE void take(const T* row, const T* other)
    {
        PTO_CPU_UNROLL
        for (int u = 0; u < kVectors; ++u) {
            const __m512i v = load_bits<__m512i>(row + u * kLanesOf), w = load_bits<__m512i>(other + u * kLanesOf);
            state_[u] = Many::meet(Many::meet(state_[u], v), w);
            seen_[u] = Many::look_at(seen_[u], v, w);
        }
    }
    /// False, and nothing stored, when something was not ordered.
    PTO_INLINE bool store_ordered(T* to) const
    {
        bool ordered = true;
        PTO_CPU_UNROLL
        for (int u = 0; u < kVectors; ++u) {
            ordered = ordered && Many::ordered(seen_[u]);
        }
        if (!ordered) {
            return false;
        }
        PTO_CPU_UNROLL
        for (int u = 0; u < kVectors; ++u) {
            store_bits(to + u * kLanesOf, Many::extremes(state_[u]));
        }
        return true;
    }

private:
    using Many = typename Chosen<sizeof(T) == 4, ManyFloats<Op>, ManyWords<Op, T>>::type;

    typename Many::State state_[kVectors];
    typename Many::Look seen_[kVectors];
};

#endif

/// Whole groups of columns, four vectors (two of narrow floats) at a time, as far as a plain walk over them is not the best
/// that can be done. Returns the columns done.
template <typename Op, typename T>
PTO_INLINE int64_t reduce_col_groups(T* to, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    int64_t done = 0;
    if constexpr (kHasVectorUnit && is_half_width_float<T> && !is_extreme<Op>) {
        for (; done + 2 * kF32Lanes <= cols; done += 2 * kF32Lanes) {
            const T* at = from + done;
            f32v first = load_first(at), second = load_second(at);
            for (int64_t r = 1; r < rows; ++r) {
                at += stride;
                first = Op::template apply<float>(first, load_first(at));
                second = apply_beside<Op>(second, load_second(at));
            }
            store_pair(to + done, first, second);
        }
    } else if constexpr (kHasAvx512 && is_extreme<Op> && (is_same<T, float> || on_words<Op, T>())) {
        using Group = OrderedExtremes<Op, T>;
        for (; done + Group::kCols <= cols; done += Group::kCols) {
            Group group(from + done);
            for (int64_t r = 1; r < rows; r += 2) {
                const T* row = from + r * stride + done;
                group.take(row, r + 1 < rows ? row + stride : row);
            }
            if (__builtin_expect(!group.store_ordered(to + done), 0)) {
                reduce_cols_of<Op>(to + done, from + done, stride, rows, Group::kCols);
            }
        }
    }
    return done;
}

/// dst[0, c] = Op over src[:, c]
template <typename Op, typename Dst, typename Src>
PTO_INLINE void reduce_cols(Dst& dst, Src& src)
{
    using T = typename Src::DType;
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol(), stride = Src::RowStride;
    const T* from = src.data();
    T* to = dst.data();
    if (rows == 0) {
        return;
    }
    const int64_t done = reduce_col_groups<Op>(to, from, stride, rows, cols);
    reduce_cols_of<Op>(to + done, from + done, stride, rows, cols - done);
}

}  // namespace cpu

/// dst[r, 0] = sum over src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWSUM(Dst& dst, Src& src, const Rest&...)
{
    PTO_OPERANDS(TROWSUM, dst, src);
    cpu::reduce_rows<cpu::Add>(dst, src);
    return {};
}

/// dst[r, 0] = maximum of src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWMAX(Dst& dst, Src& src, const Rest&...)
{
    PTO_OPERANDS(TROWMAX, dst, src);
    cpu::reduce_rows<cpu::Max>(dst, src);
    return {};
}

/// dst[r, 0] = minimum of src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWMIN(Dst& dst, Src& src, const Rest&...)
{
    PTO_OPERANDS(TROWMIN, dst, src);
    cpu::reduce_rows<cpu::Min>(dst, src);
    return {};
}

/// dst[0, c] = sum over src[:, c]; a scratch tile and the pairwise flag may follow, and are not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TCOLSUM(Dst& dst, Src& src, const Rest&...)
{
    PTO_OPERANDS(TCOLSUM, dst, src);
    cpu::reduce_cols<cpu::Add>(dst, src);
    return {};
}

/// dst[0, c] = maximum of src[:, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLMAX(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TCOLMAX, dst, src);
    cpu::reduce_cols<cpu::Max>(dst, src);
    return {};
}

/// dst[0, c] = minimum of src[:, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLMIN(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TCOLMIN, dst, src);
    cpu::reduce_cols<cpu::Min>(dst, src);
    return {};
}

}  // namespace pto
