// Reductions of contiguous elements, of one line or of four lines at a time.
//
// The order of a sum depends only on the number of elements that are summed. Narrow floats are accumulated in fp32 and
// rounded once.
#pragma once

#include <pto/cpu/words.hpp>

namespace pto::cpu {

template <typename Op>
inline constexpr bool is_extreme = is_same<Op, Max> || is_same<Op, Min>;

template <typename Op>
struct IgnoringNan {
    template <typename C>
    PTO_INLINE static vec<C> apply(vec<C> a, vec<C> b)
    {
        return Op::ignoring_nan(a, b);
    }
};

/// How lanes that line_lanes() left apart are put together: a NaN fills all lanes of its line by then.
template <typename Op, typename C>
struct FoldOf {
    using type = Op;
};
#if defined(PTO_CPU_AVX512)
template <>
struct FoldOf<Max, float> {
    using type = IgnoringNan<Max>;
};
template <>
struct FoldOf<Min, float> {
    using type = IgnoringNan<Min>;
};
#endif
template <typename Op, typename C>
using FoldOfLanes = typename FoldOf<Op, C>::type;

#if defined(PTO_CPU_AVX512)

/// The 32-bit lanes of a 64-byte vector, rotated so that lane i gets lane i ^ Distance.
template <int Distance, typename C>
PTO_INLINE vec<C> exchanged(vec<C> v)
{
    const i32v w = (i32v)v;
    if constexpr (Distance == 8) {
        return (vec<C>)__builtin_shufflevector(w, w, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    } else if constexpr (Distance == 4) {
        return (vec<C>)__builtin_shufflevector(w, w, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    } else if constexpr (Distance == 2) {
        return (vec<C>)__builtin_shufflevector(w, w, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    } else {
        return (vec<C>)__builtin_shufflevector(w, w, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    }
}

/// Reduces one vector to a scalar by halving.
template <typename Op, typename C>
PTO_INLINE C reduce_lanes(vec<C> v)
{
    v = Op::template apply<C>(v, exchanged<8, C>(v));
    v = Op::template apply<C>(v, exchanged<4, C>(v));
    v = Op::template apply<C>(v, exchanged<2, C>(v));
    if constexpr (sizeof(C) < 8) {
        v = Op::template apply<C>(v, exchanged<1, C>(v));
    }
    if constexpr (sizeof(C) < 4) {
        v = Op::template apply<C>(v, (vec<C>)((u32v)v >> 16));
    }
    if constexpr (sizeof(C) < 2) {
        v = Op::template apply<C>(v, (vec<C>)((u32v)v >> 8));
    }
    return v[0];
}

/// Lanes that are NaN.
PTO_INLINE __mmask16 unordered_lanes(f32v a, f32v b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q); }
PTO_INLINE __mmask16 unordered_lanes(f32v v) { return unordered_lanes(v, v); }
PTO_INLINE bool any_lane(__mmask16 lanes) { return lanes != 0; }

/// The lanes of `so_far` in which neither is NaN.
PTO_INLINE __mmask16 still_ordered(__mmask16 so_far, f32v x, f32v y)
{
    return _mm512_mask_cmp_ps_mask(so_far, (__m512)x, (__m512)y, _CMP_ORD_Q);
}

/// Max or Min over n contiguous floats, the lanes still apart. NaN is looked for beside the comparison, two vectors at a
/// time, and then fills all lanes.
template <typename Op, typename T>
PTO_INLINE f32v extreme_of_line(const T* p, int64_t n)
{
    f32v a = splat(Op::template neutral<float>()), b = a, c = a, d = a;
    __mmask16 first = 0xffff, second = 0xffff;  // lanes in which every pair so far was ordered
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const f32v x = load(p + i, Full{}), y = load(p + i + 16, Full{});
        const f32v z = load(p + i + 32, Full{}), w = load(p + i + 48, Full{});
        a = Op::ignoring_nan(a, x);
        b = Op::ignoring_nan(b, y);
        c = Op::ignoring_nan(c, z);
        d = Op::ignoring_nan(d, w);
        first = still_ordered(first, x, y);
        second = still_ordered(second, z, w);
    }
    for (; i < n; i += 16) {
        const int64_t left = n - i;
        const f32v x = left >= 16 ? load(p + i, Full{})
                                  : load_or(p + i, Part{static_cast<int>(left)}, Op::template neutral<float>());
        a = Op::ignoring_nan(a, x);
        first = still_ordered(first, x, x);
    }
    a = Op::ignoring_nan(Op::ignoring_nan(a, b), Op::ignoring_nan(c, d));
    return (first & second) == 0xffff ? a : splat(__builtin_nanf(""));
}

/// Two vectors of every other element of 32, side by side again.
PTO_INLINE void interleave(f32v& even, f32v& odd)
{
    const f32v e = even, o = odd;
    even = (f32v)__builtin_shufflevector(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    odd = (f32v)__builtin_shufflevector(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// Any operation over n contiguous narrow floats but Max and Min, in fp32, the lanes still apart: every element is added
/// where the loop over single vectors in line_lanes adds it.
template <typename Op, typename T>
PTO_INLINE f32v reduce_narrow_line(const T* p, int64_t n)
{
    const auto with = [](f32v x, f32v y) __attribute__((always_inline)) { return Op::template apply<float>(x, y); };
    constexpr float kNeutral = Op::template neutral<float>();
    f32v a = splat(kNeutral), b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        a = with(a, load_first(p + i));
        b = with(b, load_second(p + i));
        c = with(c, load_first(p + i + 32));
        d = with(d, load_second(p + i + 32));
    }
    if constexpr (is_same<T, bfloat16_t>) {
        interleave(a, b);
        interleave(c, d);
    }
    for (; i + 16 <= n; i += 16) {
        a = with(a, load(p + i, Full{}));
    }
    if (i < n) {
        b = with(b, load_or(p + i, Part{static_cast<int>(n - i)}, kNeutral));
    }
    return with(with(a, b), with(c, d));
}

#if defined(__AVX512FP16__)

/// The lanes of `so_far` in which neither is NaN as a half.
PTO_INLINE __mmask32 still_ordered_words(__mmask32 so_far, __m512i x, __m512i y)
{
    return _mm512_mask_cmp_ph_mask(so_far, (__m512h)x, (__m512h)y, _CMP_ORD_Q);
}

/// Up to 32 narrow floats as their bits, `rest` where there are fewer.
template <typename T>
PTO_INLINE __m512i words_or(const T* p, int64_t left, __m512i rest)
{
    return left >= 32 ? load_bits<__m512i>(p)
                      : _mm512_mask_loadu_epi16(rest, lane_mask<2>(static_cast<int>(left)), p);
}

/// Max or Min over n contiguous narrow floats, compared as halves, the lanes still apart; false where infinities or what
/// else a half takes for a NaN in bf16 are among them.
template <typename Op, typename T>
PTO_INLINE bool ordered_extremes(const T* p, int64_t n, __m512i& lanes)
{
    const __m512i least = _mm512_set1_epi16(static_cast<short>(is_same<Op, Max> ? 0xfc00 : 0x7c00));  // of halves
    __m512i a = least, b = least;
    __mmask32 ordered = ~__mmask32(0);
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i x = load_bits<__m512i>(p + i), y = load_bits<__m512i>(p + i + 32);
        a = extreme_ignoring_nan<Op>(a, x);
        b = extreme_ignoring_nan<Op>(b, y);
        ordered = still_ordered_words(ordered, x, y);
    }
    for (; i < n; i += 32) {
        const __m512i x = words_or(p + i, n - i, least);
        a = extreme_ignoring_nan<Op>(a, x);
        ordered = still_ordered_words(ordered, x, x);
    }
    lanes = extreme_ignoring_nan<Op>(a, b);
    return ordered == ~__mmask32(0) && n > 0;
}

/// The extreme of the 32 narrow floats of one vector.
template <typename Op, typename T>
PTO_INLINE float extreme_of_lanes(__m512i words)
{
    alignas(64) T lanes[32];
    store_bits(lanes, words);
    return reduce_lanes<Op, float>(Op::template apply<float>(load_first(lanes), load_second(lanes)));
}

/// Max or Min over n contiguous narrow floats, whatever they are.
template <typename Op, typename T>
PTO_INLINE float extreme_of_words(const T* p, int64_t n)
{
    __m512i a;
    if (__builtin_expect(!ordered_extremes<Op>(p, n, a), 0)) {
        const __m512i neutral = (__m512i)splat_words<T>(static_cast<T>(Op::template neutral<float>()));
        a = neutral;
        for (int64_t i = 0; i < n; i += 32) {
            a = (__m512i)apply_words<Op, T>((u16v)a, (u16v)words_or(p + i, n - i, neutral));
        }
    }
    return extreme_of_lanes<Op, T>(a);
}

#endif

#else

/// Lanes that are NaN.
PTO_INLINE i32v unordered_lanes(f32v v) { return v != v; }
PTO_INLINE i32v unordered_lanes(f32v a, f32v b) { return unordered_lanes(a) | unordered_lanes(b); }
PTO_INLINE bool any_lane(i32v lanes)
{
    int32_t any = 0;
    for (int i = 0; i < kF32Lanes; ++i) {
        any |= lanes[i];
    }
    return any != 0;
}

/// Reduces one vector to a scalar by halving.
template <typename Op, typename C>
PTO_INLINE C reduce_lanes(vec<C> v)
{
    for (int half_count = kVectorBytes / static_cast<int>(sizeof(C)) / 2; half_count > 0; half_count /= 2) {
        vec<C> upper = v;
        for (int i = 0; i < half_count; ++i) {
            upper[i] = v[i + half_count];
        }
        v = Op::template apply<C>(v, upper);
    }
    return v[0];
}

#endif

/// Op over n contiguous elements, the lanes of one vector still apart.
template <typename Op, typename T>
PTO_INLINE compute_vec<T> line_lanes(const T* p, int64_t n)
{
    using C = compute_t<T>;
#if defined(PTO_CPU_AVX512)
    if constexpr (is_same<C, float> && is_extreme<Op>) {
        return extreme_of_line<Op>(p, n);
    } else if constexpr (is_half_width_float<T>) {
        return reduce_narrow_line<Op>(p, n);
    }
#endif
    constexpr int kStep = kLanes<T>;
    constexpr C kNeutral = Op::template neutral<C>();
    vec<C> a = splat<C>(kNeutral), b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 4 * kStep <= n; i += 4 * kStep) {
        a = Op::template apply<C>(a, load(p + i, Full{}));
        b = Op::template apply<C>(b, load(p + i + kStep, Full{}));
        c = Op::template apply<C>(c, load(p + i + 2 * kStep, Full{}));
        d = Op::template apply<C>(d, load(p + i + 3 * kStep, Full{}));
    }
    for (; i + kStep <= n; i += kStep) {
        a = Op::template apply<C>(a, load(p + i, Full{}));
    }
    if (i < n) {
        b = Op::template apply<C>(b, load_or(p + i, Part{static_cast<int>(n - i)}, kNeutral));
    }
    return Op::template apply<C>(Op::template apply<C>(a, b), Op::template apply<C>(c, d));
}

/// Op over n contiguous elements.
template <typename Op, typename T>
PTO_INLINE compute_t<T> reduce_line(const T* p, int64_t n)
{
#if defined(PTO_CPU_AVX512)
    if constexpr (is_half_width_float<T> && is_extreme<Op> && on_words<Op, T>()) {
        return extreme_of_words<Op>(p, n);
    }
#endif
    return reduce_lanes<FoldOfLanes<Op, compute_t<T>>, compute_t<T>>(line_lanes<Op>(p, n));
}

#if defined(PTO_CPU_AVX512)

template <bool First, typename A, typename B>
struct Chosen {
    using type = A;
};
template <typename A, typename B>
struct Chosen<false, A, B> {
    using type = B;
};

/// Four vectors, each folded to a quarter of its own: lane i with lane i + half, then with lane i + quarter.
template <typename With>
PTO_INLINE __m512i quarters(const __m512i (&rows)[4], With with)
{
    const __m512i ab = with(_mm512_shuffle_i64x2(rows[0], rows[1], 0x44), _mm512_shuffle_i64x2(rows[0], rows[1], 0xee));
    const __m512i cd = with(_mm512_shuffle_i64x2(rows[2], rows[3], 0x44), _mm512_shuffle_i64x2(rows[2], rows[3], 0xee));
    return with(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
}

/// Op over each of up to four lines of n elements, `pitch` elements apart: what reduce_line gives, but the last steps are
/// done for all of them together.
template <typename Op, typename T>
PTO_INLINE void reduce_lines(const T* p, int64_t pitch, int64_t n, int count, T (&results)[4])
{
    using C = compute_t<T>;
    constexpr bool kWords = is_half_width_float<T> && is_extreme<Op> && on_words<Op, T>();
    __m512i rows[4];
    bool together = kWords || sizeof(C) == 4;
    for (int r = 0; r < count && together; ++r) {
        if constexpr (kWords) {
            together = ordered_extremes<Op>(p + r * pitch, n, rows[r]);
        } else if constexpr (sizeof(C) == 4) {
            rows[r] = (__m512i)line_lanes<Op>(p + r * pitch, n);
        }
    }
    if (__builtin_expect(!together, 0)) {
        for (int r = 0; r < count; ++r) {
            results[r] = static_cast<T>(reduce_line<Op>(p + r * pitch, n));
        }
        return;
    }
    for (int r = count; r < 4; ++r) {
        rows[r] = rows[0];
    }
    const auto with = [](__m512i x, __m512i y) __attribute__((always_inline)) {
        if constexpr (kWords) {
            return extreme_ignoring_nan<Op>(x, y);
        } else {
            return (__m512i)FoldOfLanes<Op, C>::template apply<C>((vec<C>)x, (vec<C>)y);
        }
    };
    __m512i all = quarters(rows, with);
    all = with(all, _mm512_shuffle_epi32(all, _MM_PERM_BADC));
    all = with(all, _mm512_shuffle_epi32(all, _MM_PERM_CDAB));
    using Lane = typename Chosen<kWords, T, C>::type;
    if constexpr (kWords) {
        all = with(all, _mm512_rol_epi32(all, 16));
    }
    alignas(64) Lane lanes[64 / sizeof(Lane)];
    store_bits(lanes, all);
    for (int r = 0; r < 4; ++r) {
        results[r] = static_cast<T>(lanes[r * 16 / static_cast<int>(sizeof(Lane))]);
    }
}

#else

template <typename Op, typename T>
PTO_INLINE void reduce_lines(const T* p, int64_t pitch, int64_t n, int count, T (&results)[4])
{
    for (int r = 0; r < count; ++r) {
        results[r] = static_cast<T>(reduce_line<Op>(p + r * pitch, n));
    }
}

#endif

}  // namespace pto::cpu
