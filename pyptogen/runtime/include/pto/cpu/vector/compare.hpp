// Comparisons into packed predicates, and selection by them.
//
// A predicate tile holds one bit per element: bit c % 8 of byte c / 8 of row r belongs to element (r, c), and a row of
// the predicate tile is its own row, RowStride elements after the row before. So the element type of a predicate tile
// does not matter (little endian). NaN compares as IEEE 754 says: only NE is true.
#pragma once

#include <pto/cpu/lanes/lane_bits.hpp>
#include <pto/cpu/vector/words.hpp>

namespace pto {

namespace cpu {

/// What elements of T are loaded as to be compared: the type that they are computed in, but halves are compared as such
/// where the machine can.
template <typename T>
struct Compared {
    using type = T;
};

/// The comparison of each lane, as a vector.
template <typename V>
PTO_INLINE auto compared_lanes(V a, V b, CmpMode mode)
{
    switch (mode) {
        case CmpMode::NE: return a != b;
        case CmpMode::LT: return a < b;
        case CmpMode::LE: return a <= b;
        case CmpMode::GT: return a > b;
        case CmpMode::GE: return a >= b;
        default: return a == b;
    }
}

#if defined(PTO_CPU_AVX512)

#if defined(PTO_CPU_FP16)
template <>
struct Compared<half> {
    using type = uint16_t;
};
template <int Float>
PTO_INLINE uint64_t compared_halves(__m512i x, __m512i y)
{
    return _mm512_cmp_ph_mask((__m512h)x, (__m512h)y, Float);
}
#endif

/// One bit for each lane of the comparison of elements of T, by the machine's predicate for floats or for integers.
template <typename T, int Float, int Integer, typename V>
PTO_INLINE uint64_t predicate_bits(V a, V b)
{
    const __m512i x = (__m512i)a, y = (__m512i)b;
    if constexpr (is_float<T>) {
        if constexpr (is_same<typename Compared<T>::type, T>) {
            return _mm512_cmp_ps_mask((__m512)a, (__m512)b, Float);
        } else {
            return compared_halves<Float>(x, y);
        }
    } else if constexpr (T(-1) < T(0)) {
        return sizeof(T) == 1   ? _mm512_cmp_epi8_mask(x, y, Integer)
               : sizeof(T) == 2 ? _mm512_cmp_epi16_mask(x, y, Integer)
               : sizeof(T) == 4 ? _mm512_cmp_epi32_mask(x, y, Integer)
                                : _mm512_cmp_epi64_mask(x, y, Integer);
    } else {
        return sizeof(T) == 1   ? _mm512_cmp_epu8_mask(x, y, Integer)
               : sizeof(T) == 2 ? _mm512_cmp_epu16_mask(x, y, Integer)
               : sizeof(T) == 4 ? _mm512_cmp_epu32_mask(x, y, Integer)
                                : _mm512_cmp_epu64_mask(x, y, Integer);
    }
}

template <typename T, typename V>
PTO_INLINE uint64_t comparison_bits(V a, V b, CmpMode mode)
{
    switch (mode) {
        case CmpMode::NE: return predicate_bits<T, _CMP_NEQ_UQ, _MM_CMPINT_NE>(a, b);
        case CmpMode::LT: return predicate_bits<T, _CMP_LT_OQ, _MM_CMPINT_LT>(a, b);
        case CmpMode::LE: return predicate_bits<T, _CMP_LE_OQ, _MM_CMPINT_LE>(a, b);
        case CmpMode::GT: return predicate_bits<T, _CMP_GT_OQ, _MM_CMPINT_NLE>(a, b);
        case CmpMode::GE: return predicate_bits<T, _CMP_GE_OQ, _MM_CMPINT_NLT>(a, b);
        default: return predicate_bits<T, _CMP_EQ_OQ, _MM_CMPINT_EQ>(a, b);
    }
}

#else

/// One bit for each lane of the comparison of elements of T.
template <typename T, typename V>
PTO_INLINE uint64_t comparison_bits(V a, V b, CmpMode mode)
{
    return lane_bits(compared_lanes(a, b, mode));
}

#endif

/// A line of T as elements that load() takes for a comparison.
template <typename T>
PTO_INLINE const typename Compared<T>::type* to_compare(const T* p)
{
    return reinterpret_cast<const typename Compared<T>::type*>(p);
}

/// A scalar operand of a comparison of elements of T.
template <typename T>
PTO_INLINE auto splat_to_compare(T value)
{
    if constexpr (is_same<typename Compared<T>::type, T>) {
        return splat<compute_t<T>>(static_cast<compute_t<T>>(value));
    } else {
        return splat_words(value);
    }
}

/// The predicate bits of 64 elements from `start` on.
template <typename T, typename Other>
PTO_INLINE uint64_t compare_word(const typename Compared<T>::type* a, int64_t start, CmpMode mode, Other other)
{
    constexpr int kStep = kLanes<typename Compared<T>::type>;
    uint64_t bits = 0;
    if constexpr (kHasAvx2 && (kStep == 8 || kStep == 16)) {
        for (int half = 0; half < 64; half += 32) {
            decltype(compared_lanes(load(a, Full{}), other(0, Full{}), mode)) masks[32 / kStep];
            PTO_CPU_UNROLL
            for (int i = 0; i < 32 / kStep; ++i) {
                const int64_t at = start + half + i * kStep;
                masks[i] = compared_lanes(load(a + at, Full{}), other(at, Full{}), mode);
            }
            bits |= packed_lane_bits(masks) << half;
        }
    } else {
        PTO_CPU_UNROLL
        for (int i = 0; i < 64; i += kStep) {
            bits |= comparison_bits<T>(load(a + start + i, Full{}), other(start + i, Full{}), mode) << i;
        }
    }
    return bits;
}

/// The predicate bits of one row: whole elements of the predicate tile, the rest of its valid columns is 0.
template <typename T, typename Other>
PTO_INLINE void compare_row(char* to, int64_t limit, const T* row, int64_t cols, CmpMode mode, Other other)
{
    constexpr int kStep = kLanes<typename Compared<T>::type>;
    const auto* a = to_compare(row);
    int64_t byte = 0, start = 0;
    for (; start + 64 <= cols && byte + 8 <= limit; start += 64, byte += 8) {
        store_bits(to + byte, compare_word<T>(a, start, mode, other));
    }
    for (; start < cols && byte < limit; start += 64, byte += 8) {
        const int64_t end = cols - start < 64 ? cols : start + 64;
        uint64_t bits = 0;
        for (int64_t i = start; i < end; i += kStep) {
            if (i + kStep <= end) {
                bits |= comparison_bits<T>(load(a + i, Full{}), other(i, Full{}), mode) << (i - start);
            } else {
                const Part part{static_cast<int>(end - i)};
                const uint64_t inside = (uint64_t(1) << part.n) - 1;
                bits |= (comparison_bits<T>(load(a + i, part), other(i, part), mode) & inside) << (i - start);
            }
        }
        __builtin_memcpy(to + byte, &bits, static_cast<size_t>(limit - byte < 8 ? limit - byte : 8));
    }
    if (byte < limit) {
        __builtin_memset(to + byte, 0, static_cast<size_t>(limit - byte));
    }
}

/// dst = the comparison of src with what other(row, column, extent) gives, over the valid region of src.
template <typename Dst, typename Src, typename Other>
PTO_INLINE void compare_tile(Dst& dst, Src& src, CmpMode mode, Other other)
{
    using T = typename Src::DType;
    const int64_t limit = static_cast<int64_t>(dst.GetValidCol()) * static_cast<int64_t>(sizeof(typename Dst::DType));
    for (int64_t r = 0; r < static_cast<int64_t>(src.GetValidRow()); ++r) {
        char* to = reinterpret_cast<char*>(dst.data() + r * Dst::RowStride);
        const T* from = src.data() + r * Src::RowStride;
        compare_row(
            to, limit, from, src.GetValidCol(), mode,
            [&](int64_t i, auto extent) __attribute__((always_inline)) { return other(r, i, extent); });
    }
}

/// The first elements of a row of a selection, 32 at a time where one load of their bits serves several vectors; how many
/// they are.
template <typename R, typename Other>
PTO_INLINE int64_t select_words(
    [[maybe_unused]] R* to, [[maybe_unused]] const char* bits, [[maybe_unused]] const R* from,
    [[maybe_unused]] int64_t cols, [[maybe_unused]] Other other)
{
    int64_t i = 0;
    if constexpr (kHasAvx2 && sizeof(R) == 4) {
        for (; i + 32 <= cols; i += 32) {
            const auto word = load_bits<int32_t>(bits + i / 8);
            PTO_CPU_UNROLL
            for (int k = 0; k < 32; k += 8) {
                const vec<R> yes = load(from + i + k, Full{}), no = other(i + k);
                store_bits(to + i + k, select_of_word(word, k, yes, no));
            }
        }
    }
    return i;
}

/// dst = a where the predicate is set, b(row, column, extent) elsewhere; elements are moved, never converted.
template <typename Dst, typename Mask, typename Src, typename Other>
PTO_INLINE void select_tile(Dst& dst, Mask& mask, Src& src, Other other)
{
    using R = raw_t<typename Dst::DType>;
    constexpr int kStep = kLanes<R>;
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        const char* bits = reinterpret_cast<const char*>(mask.data() + r * Mask::RowStride);
        R* to = reinterpret_cast<R*>(dst.data() + r * Dst::RowStride);
        const R* from = reinterpret_cast<const R*>(src.data() + r * Src::RowStride);
        const int64_t done = select_words(
            to, bits, from, dst.GetValidCol(),
            [&](int64_t i) __attribute__((always_inline)) { return other(r, i, Full{}); });
        sweep<kStep, 1>(dst.GetValidCol() - done, [&](int64_t rest, auto extent) __attribute__((always_inline)) {
            const int64_t i = done + rest;
            int count = kStep;
            if constexpr (is_same<decltype(extent), Part>) {
                count = extent.n;
            }
            const uint64_t chosen = load_mask_bits(bits, i, count);
            store(to + i, select_lanes<R>(chosen, load(from + i, extent), other(r, i, extent)), extent);
        });
    }
}

}  // namespace cpu

/// dst = packed bits of src0 mode src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TCMP(Dst& dst, Src0& src0, Src1& src1, CmpMode mode, const Events&...)
{
    PTO_OPERANDS(TCMP, dst, src0, src1);
    cpu::compare_tile(dst, src0, mode, [&](int64_t r, int64_t i, auto extent) __attribute__((always_inline)) {
        return cpu::load(cpu::to_compare(src1.data() + r * Src1::RowStride) + i, extent);
    });
    return {};
}

/// dst = packed bits of src0 mode scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCMPS(Dst& dst, Src& src, typename Src::DType scalar, CmpMode mode, const Events&...)
{
    PTO_OPERANDS(TCMPS, dst, src);
    const auto s = cpu::splat_to_compare(scalar);
    cpu::compare_tile(dst, src, mode, [s](int64_t, int64_t, auto) __attribute__((always_inline)) { return s; });
    return {};
}

/// dst = packed bits of src0 mode element (0, 0) of src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
    requires(is_tile_data_v<Src1>)
PTO_INST RecordEvent TCMPS(Dst& dst, Src0& src0, Src1& src1, CmpMode mode, const Events&...)
{
    PTO_OPERANDS(TCMPS, dst, src0, src1);
    return TCMPS(dst, src0, src1.data()[0], mode);
}

/// dst = src0 where mask is set, src1 elsewhere. The scratch tile is not needed here.
template <typename Dst, typename Mask, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TSEL(Dst& dst, Mask& mask, Src0& src0, Src1& src1, const Rest&...)
{
    PTO_OPERANDS(TSEL, dst, mask, src0, src1);
    using R = cpu::raw_t<typename Dst::DType>;
    cpu::select_tile(dst, mask, src0, [&](int64_t r, int64_t i, auto extent) __attribute__((always_inline)) {
        return cpu::load(reinterpret_cast<const R*>(src1.data() + r * Src1::RowStride) + i, extent);
    });
    return {};
}

/// dst = src where mask is set, scalar elsewhere. The scratch tile is not needed here.
template <typename Dst, typename Mask, typename Src, typename Tmp, typename... Events>
PTO_INST RecordEvent TSELS(Dst& dst, Mask& mask, Src& src, Tmp&, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TSELS, dst, mask, src);
    using R = cpu::raw_t<typename Dst::DType>;
    const cpu::vec<R> s = cpu::splat<R>(__builtin_bit_cast(R, scalar));
    cpu::select_tile(dst, mask, src, [s](int64_t, int64_t, auto) __attribute__((always_inline)) { return s; });
    return {};
}

}  // namespace pto
