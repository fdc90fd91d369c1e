// Elementwise instructions whose sources may be valid in a part of dst only: where one source is valid its element is
// copied, where none is the result is 0.
#pragma once

#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

/// Valid columns of a source in a row of dst.
template <typename Src>
PTO_INLINE int64_t columns_in_row(const Src& src, int64_t row, int64_t cols)
{
    const int64_t own = row < static_cast<int64_t>(src.GetValidRow()) ? src.GetValidCol() : 0;
    return own < cols ? own : cols;
}

/// n elements from one line to another; from nullptr: zeros.
template <typename T>
PTO_INLINE void copy_line(T* to, const T* from, int64_t n)
{
    if (n > 0 && from != nullptr) {
        __builtin_memmove(to, from, static_cast<size_t>(n) * sizeof(T));
    } else if (n > 0) {
        __builtin_memset(static_cast<void*>(to), 0, static_cast<size_t>(n) * sizeof(T));
    }
}

template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void partial_tiles(Dst& dst, Src0& src0, Src1& src1)
{
    using T = typename Dst::DType;
    using C = compute_t<T>;
    const int64_t cols = dst.GetValidCol();
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        const int64_t n0 = columns_in_row(src0, r, cols), n1 = columns_in_row(src1, r, cols);
        const int64_t both = n0 < n1 ? n0 : n1, either = n0 < n1 ? n1 : n0;
        T* to = dst.data() + r * Dst::RowStride;
        T* a = src0.data() + r * Src0::RowStride;
        T* b = src1.data() + r * Src1::RowStride;
        map_lines<4>(
            1, both, [](vec<C> x, vec<C> y) __attribute__((always_inline)) { return Op::template apply<C>(x, y); },
            Lines<T>{to, cols}, Lines<T>{a, cols}, Lines<T>{b, cols});
        copy_line(to + both, (n0 < n1 ? b : a) + both, either - both);
        copy_line<T>(to + either, nullptr, cols - either);
    }
}

/// One line of a partial argument selection: the element and the index of src0 where Wins, else those of src1.
template <typename Wins, typename T, typename I>
PTO_INLINE void select_with_index(
    T* to, I* to_index, const T* a, const I* a_index, const T* b, const I* b_index, int64_t n)
{
    if constexpr (is_float<T> && (is_integer<I> && sizeof(I) <= 4)) {
        sweep<kF32Lanes, 1>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            const f32v x = load(a + i, extent), y = load(b + i, extent);
            const i32v first = Wins::template apply<f32v>(x, y);
            const i32v xi = load_int(a_index + i, extent), yi = load_int(b_index + i, extent);
            store(to + i, first ? x : y, extent);
            store_int(to_index + i, first ? xi : yi, extent);
        });
    } else {
        for (int64_t i = 0; i < n; ++i) {
            const bool first = Wins::template apply<T>(a[i], b[i]);
            const I index = first ? a_index[i] : b_index[i];
            to[i] = first ? a[i] : b[i];
            to_index[i] = index;
        }
    }
}

struct Larger {
    template <typename V>
    PTO_INLINE static auto apply(V a, V b)
    {
        return a > b;
    }
};

struct Smaller {
    template <typename V>
    PTO_INLINE static auto apply(V a, V b)
    {
        return a < b;
    }
};

template <
    typename Wins, typename Dst, typename Src0, typename Src1, typename DstIndex, typename Index0, typename Index1>
PTO_INLINE void partial_arg_tiles(Dst& dst, Src0& src0, Src1& src1, DstIndex& dst_index, Index0& index0, Index1& index1)
{
    using T = typename Dst::DType;
    using I = typename DstIndex::DType;
    const int64_t cols = dst.GetValidCol();
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        const int64_t n0 = columns_in_row(src0, r, cols), n1 = columns_in_row(src1, r, cols);
        const int64_t both = n0 < n1 ? n0 : n1, either = n0 < n1 ? n1 : n0;
        T* to = dst.data() + r * Dst::RowStride;
        I* to_index = dst_index.data() + r * DstIndex::RowStride;
        const T *a = src0.data() + r * Src0::RowStride, *b = src1.data() + r * Src1::RowStride;
        const I *ai = index0.data() + r * Index0::RowStride, *bi = index1.data() + r * Index1::RowStride;
        select_with_index<Wins>(to, to_index, a, ai, b, bi, both);
        copy_line(to + both, (n0 < n1 ? b : a) + both, either - both);
        copy_line(to_index + both, (n0 < n1 ? bi : ai) + both, either - both);
        copy_line<T>(to + either, nullptr, cols - either);
        copy_line<I>(to_index + either, nullptr, cols - either);
    }
}

}  // namespace cpu

// TPARTxxx(dst, src0, src1): dst = src0 op src1 where both are valid.
#define PTO_CPU_PARTIAL(NAME, OP) \
    template <typename Dst, typename Src0, typename Src1, typename... Events> \
    PTO_INST RecordEvent TPART##NAME(Dst& dst, Src0& src0, Src1& src1, const Events&...) \
    { \
        PTO_OPERANDS(TPART##NAME, dst, src0, src1); \
        cpu::partial_tiles<cpu::OP>(dst, src0, src1); \
        return {}; \
    }

PTO_CPU_PARTIAL(ADD, Add)
PTO_CPU_PARTIAL(MUL, Mul)
PTO_CPU_PARTIAL(MAX, Max)
PTO_CPU_PARTIAL(MIN, Min)
#undef PTO_CPU_PARTIAL

// TPARTARGxxx(dst, src0, src1, dstIdx, src0Idx, src1Idx): the element that wins, and its index. src0 wins only if it is
// strictly larger (smaller); so of equal elements, and beside a NaN, src1 is taken.
#define PTO_CPU_PARTIAL_ARG(NAME, WINS) \
    template < \
        typename Dst, typename Src0, typename Src1, typename DstIdx, typename Src0Idx, typename Src1Idx, \
        typename... Events> \
    PTO_INST RecordEvent TPARTARG##NAME( \
        Dst& dst, Src0& src0, Src1& src1, DstIdx& dstIdx, Src0Idx& src0Idx, Src1Idx& src1Idx, const Events&...) \
    { \
        PTO_OPERANDS(TPARTARG##NAME, dst, src0, src1, dstIdx, src0Idx, src1Idx); \
        cpu::partial_arg_tiles<cpu::WINS>(dst, src0, src1, dstIdx, src0Idx, src1Idx); \
        return {}; \
    }

PTO_CPU_PARTIAL_ARG(MAX, Larger)
PTO_CPU_PARTIAL_ARG(MIN, Smaller)
#undef PTO_CPU_PARTIAL_ARG

}  // namespace pto
