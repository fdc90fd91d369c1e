// Products along rows and columns, and sums of neighbouring elements.
#pragma once

#include <pto/cpu/vector/reduce.hpp>

namespace pto {

namespace cpu {

/// Lanes 0, 2, 4, ... (Odd: 1, 3, 5, ...) of two vectors side by side.
template <bool Odd, typename C>
PTO_INLINE vec<C> every_other(vec<C> low, vec<C> high)
{
    constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(C));
    constexpr int o = Odd ? 1 : 0;
    if constexpr (kCount == 16) {
        return __builtin_shufflevector(
            low, high, o, 2 + o, 4 + o, 6 + o, 8 + o, 10 + o, 12 + o, 14 + o, 16 + o, 18 + o, 20 + o, 22 + o, 24 + o,
            26 + o, 28 + o, 30 + o);
    } else if constexpr (kCount == 4) {
        return __builtin_shufflevector(low, high, o, 2 + o, 4 + o, 6 + o);
    } else {
        vec<C> v = low;
        for (int i = 0; i < kCount; ++i) {
            v[i] = 2 * i < kCount ? low[2 * i + o] : high[2 * i + o - kCount];
        }
        return v;
    }
}

/// to[k] = from[2k] + from[2k + 1] for the pairs of n elements; an odd last one stays alone, the rest of to is 0.
template <typename T>
PTO_INLINE void add_pairs(T* to, const T* from, int64_t n)
{
    using C = compute_t<T>;
    constexpr int kStep = kLanes<T>;
    const int64_t pairs = n / 2;
    int64_t k = 0;
    for (; k + kStep <= pairs; k += kStep) {
        const vec<C> low = load(from + 2 * k, Full{}), high = load(from + 2 * k + kStep, Full{});
        store(to + k, Add::apply<C>(every_other<false, C>(low, high), every_other<true, C>(low, high)), Full{});
    }
    for (; k < pairs; ++k) {
        const vec<C> sum = Add::apply<C>(load(from + 2 * k, Part{1}), load(from + 2 * k + 1, Part{1}));
        store(to + k, sum, Part{1});
    }
    if (n % 2 != 0) {
        to[k] = from[2 * k];
        ++k;
    }
    sweep<kStep, 1>(
        n - k, [&](int64_t i, auto extent) __attribute__((always_inline)) { store(to + k + i, vec<C>{}, extent); });
}

}  // namespace cpu

/// dst[r, 0] = product of src[r, :]. The scratch tile is not needed here.
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWPROD(Dst& dst, Src& src, const Rest&...)
{
    PTO_OPERANDS(TROWPROD, dst, src);
    cpu::reduce_rows<cpu::Mul>(dst, src);
    return {};
}

/// dst[0, c] = product of src[:, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLPROD(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TCOLPROD, dst, src);
    cpu::reduce_cols<cpu::Mul>(dst, src);
    return {};
}

/// dst[r, k] = src[r, 2k] + src[r, 2k + 1] in the left half of the valid columns, 0 in the right half
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TPAIRREDUCESUM(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TPAIRREDUCESUM, dst, src);
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        cpu::add_pairs(dst.data() + r * Dst::RowStride, src.data() + r * Src::RowStride, dst.GetValidCol());
    }
    return {};
}

}  // namespace pto
