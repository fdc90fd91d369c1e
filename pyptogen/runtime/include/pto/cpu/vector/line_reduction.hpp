// Reductions of contiguous elements, of one line or of four lines at a time.
//
// The order of a sum depends only on the number of elements that are summed. Narrow floats are accumulated in fp32 and
// rounded once.
#pragma once

#include <pto/cpu/vector/lane_fold.hpp>

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
#if defined(PTO_CPU_AVX512) || defined(PTO_CPU_AVX2)
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

// What machines with a vector unit, or with AVX-512, do otherwise.
template <typename Op, typename T>
PTO_INLINE f32v extreme_of_line(const T* p, int64_t n);
template <typename Op, typename T>
PTO_INLINE f32v reduce_narrow_line(const T* p, int64_t n);
template <typename Op, typename T>
PTO_INLINE float extreme_of_words(const T* p, int64_t n);

#if defined(PTO_CPU_AVX512) || defined(PTO_CPU_AVX2)

/// Max or Min over n contiguous floats, the lanes still apart. NaN is looked for beside the comparison, two vectors at a
/// time, and then fills all lanes.
template <typename Op, typename T>
PTO_INLINE f32v extreme_of_line(const T* p, int64_t n)
{
    f32v a = splat(Op::template neutral<float>()), b = a, c = a, d = a;
    LaneFlags first = kAllLanes, second = kAllLanes;  // lanes in which every pair so far was ordered
    int64_t i = 0;
    for (; i + 4 * kF32Lanes <= n; i += 4 * kF32Lanes) {
        const f32v x = load(p + i, Full{}), y = load(p + i + kF32Lanes, Full{});
        const f32v z = load(p + i + 2 * kF32Lanes, Full{}), w = load(p + i + 3 * kF32Lanes, Full{});
        a = Op::ignoring_nan(a, x);
        b = Op::ignoring_nan(b, y);
        c = Op::ignoring_nan(c, z);
        d = Op::ignoring_nan(d, w);
        first = still_ordered(first, x, y);
        second = still_ordered(second, z, w);
    }
    for (; i < n; i += kF32Lanes) {
        const int64_t left = n - i;
        const f32v x = left >= kF32Lanes ? load(p + i, Full{})
                                         : load_or(p + i, Part{static_cast<int>(left)}, Op::template neutral<float>());
        a = Op::ignoring_nan(a, x);
        first = still_ordered(first, x, x);
    }
    a = Op::ignoring_nan(Op::ignoring_nan(a, b), Op::ignoring_nan(c, d));
    return every_lane(first & second) ? a : splat(__builtin_nanf(""));
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
    for (; i + 4 * kF32Lanes <= n; i += 4 * kF32Lanes) {
        a = with(a, load_first(p + i));
        b = apply_beside<Op>(b, load_second(p + i));
        c = with(c, load_first(p + i + 2 * kF32Lanes));
        d = apply_beside<Op>(d, load_second(p + i + 2 * kF32Lanes));
    }
    if constexpr (is_same<T, bfloat16_t>) {
        interleave(a, b);
        interleave(c, d);
    }
    for (; i + kF32Lanes <= n; i += kF32Lanes) {
        a = with(a, load(p + i, Full{}));
    }
    if (i < n) {
        b = with(b, load_or(p + i, Part{static_cast<int>(n - i)}, kNeutral));
    }
    return with(with(a, b), with(c, d));
}

#if defined(PTO_CPU_AVX512)

/// Up to 32 narrow floats as their bits, `rest` where there are fewer.
template <typename T>
PTO_INLINE __m512i words_or(const T* p, int64_t left, __m512i rest)
{
    return left >= 32 ? load_bits<__m512i>(p) : _mm512_mask_loadu_epi16(rest, lane_mask<2>(static_cast<int>(left)), p);
}

/// Max or Min over n contiguous narrow floats, the lanes still apart. Where `seen` is not ordered afterwards they are not to be
/// used: there are NaN, or with the machine's halves what else they take for NaN in bf16.
template <typename Op, typename T>
PTO_INLINE __m512i extremes_of_line(const T* p, int64_t n, typename ManyWords<Op, T>::Look& seen)
{
    using Many = ManyWords<Op, T>;
    const __m512i least = _mm512_set1_epi16(Many::kLeast);
    typename Many::State a = Many::begin(least), b = a;
    typename Many::Look also = Many::kNothingSeen;
    int64_t i = 0;
    for (; i + 128 <= n; i += 128) {
        const __m512i x = load_bits<__m512i>(p + i), y = load_bits<__m512i>(p + i + 32);
        const __m512i z = load_bits<__m512i>(p + i + 64), w = load_bits<__m512i>(p + i + 96);
        a = Many::meet(a, x);
        b = Many::meet(b, y);
        seen = Many::look_at(seen, x, y);
        a = Many::meet(a, z);
        b = Many::meet(b, w);
        also = Many::look_at(also, z, w);
    }
    for (; i < n; i += 32) {
        const __m512i x = words_or(p + i, n - i, least);
        a = Many::meet(a, x);
        seen = Many::look_at(seen, x, x);
    }
    seen = Many::both(seen, also);
    return Many::extremes(Many::merge(a, b));
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
    using Many = ManyWords<Op, T>;
    typename Many::Look seen = Many::kNothingSeen;
    __m512i a = extremes_of_line<Op>(p, n, seen);
    if (__builtin_expect(!Many::ordered(seen) || n == 0, 0)) {
        const __m512i neutral = (__m512i)splat_words<T>(static_cast<T>(Op::template neutral<float>()));
        a = neutral;
        for (int64_t i = 0; i < n; i += 32) {
            a = (__m512i)apply_words<Op, T>((u16v)a, (u16v)words_or(p + i, n - i, neutral));
        }
    }
    return extreme_of_lanes<Op, T>(a);
}

#endif

#endif

/// Op over n contiguous elements, the lanes of one vector still apart.
template <typename Op, typename T>
PTO_INLINE compute_vec<T> line_lanes(const T* p, int64_t n)
{
    using C = compute_t<T>;
    if constexpr (kHasVectorUnit && is_same<C, float> && is_extreme<Op>) {
        return extreme_of_line<Op>(p, n);
    } else if constexpr (kHasVectorUnit && is_half_width_float<T>) {
        return reduce_narrow_line<Op>(p, n);
    }
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
    if constexpr (is_half_width_float<T> && is_extreme<Op> && reduces_words<Op, T>()) {
        return extreme_of_words<Op>(p, n);
    }
    return reduce_lanes<FoldOfLanes<Op, compute_t<T>>, compute_t<T>>(line_lanes<Op>(p, n));
}

#if defined(PTO_CPU_AVX512)

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
    constexpr bool kWords = is_half_width_float<T> && is_extreme<Op> && reduces_words<Op, T>();
    __m512i rows[4];
    bool together = sizeof(C) == 4;
    if constexpr (kWords) {
        using Many = ManyWords<Op, T>;
        typename Many::Look seen = Many::kNothingSeen;
        for (int r = 0; r < count; ++r) {
            rows[r] = ordered_bits(extremes_of_line<Op>(p + r * pitch, n, seen));
        }
        together = Many::ordered(seen) && n > 0;
    } else if constexpr (sizeof(C) == 4) {
        for (int r = 0; r < count; ++r) {
            rows[r] = (__m512i)line_lanes<Op>(p + r * pitch, n);
        }
    }
    if (__builtin_expect(!together, 0)) {
        for (int r = 0; r < count; ++r) {
            results[r] = static_cast<T>(reduce_line<Op>(p + r * pitch, n));
        }
        return;
    }
    for (int r = 1; r < 4; ++r) {
        rows[r] = r < count ? rows[r] : rows[0];
    }
    const auto with = [](__m512i x, __m512i y) __attribute__((always_inline)) {
        if constexpr (kWords) {
            return extreme_of_ordered<Op>(x, y);
        } else {
            return (__m512i)FoldOfLanes<Op, C>::template apply<C>((vec<C>)x, (vec<C>)y);
        }
    };
    __m512i all = quarters(rows, with);
    all = with(all, _mm512_shuffle_epi32(all, _MM_PERM_BADC));
    all = with(all, _mm512_shuffle_epi32(all, _MM_PERM_CDAB));
    using Lane = typename Chosen<kWords, T, C>::type;
    if constexpr (kWords) {
        all = ordered_bits(with(all, _mm512_rol_epi32(all, 16)));  // its own inverse
    }
    alignas(64) Lane lanes[64 / sizeof(Lane)];
    store_bits(lanes, all);
    for (int r = 0; r < 4; ++r) {
        results[r] = static_cast<T>(lanes[r * 16 / static_cast<int>(sizeof(Lane))]);
    }
}

#elif defined(PTO_CPU_AVX2)

/// Op over each of up to four lines of n elements, `pitch` elements apart: what reduce_line gives, but the last steps are
/// done for all of them together.
template <typename Op, typename T>
PTO_INLINE void reduce_lines(const T* p, int64_t pitch, int64_t n, int count, T (&results)[4])
{
    using C = compute_t<T>;
    if constexpr (sizeof(C) == 4) {
        if (count == 4) {
            const auto with = [](__m256i x, __m256i y) __attribute__((always_inline)) {
                return (__m256i)FoldOfLanes<Op, C>::template apply<C>((vec<C>)x, (vec<C>)y);
            };
            const auto row = [&](int r)
                                 __attribute__((always_inline)) { return (__m256i)line_lanes<Op>(p + r * pitch, n); };
            const __m256i r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
            const __m256i ab = with(_mm256_permute2x128_si256(r0, r1, 0x20), _mm256_permute2x128_si256(r0, r1, 0x31));
            const __m256i cd = with(_mm256_permute2x128_si256(r2, r3, 0x20), _mm256_permute2x128_si256(r2, r3, 0x31));
            __m256i all = with(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
            all = with(all, _mm256_shuffle_epi32(all, 0xb1));
            alignas(32) C lanes[8];
            store_bits(lanes, all);
            results[0] = static_cast<T>(lanes[0]);
            results[1] = static_cast<T>(lanes[4]);
            results[2] = static_cast<T>(lanes[2]);
            results[3] = static_cast<T>(lanes[6]);
            return;
        }
    }
    for (int r = 0; r < count; ++r) {
        results[r] = static_cast<T>(reduce_line<Op>(p + r * pitch, n));
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
