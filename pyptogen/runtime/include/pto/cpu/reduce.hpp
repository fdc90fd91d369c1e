// Reductions along the rows or the columns of a tile.
//
// The order of a sum depends only on the number of elements that are summed, never on the height of the tile. Narrow
// floats are accumulated in fp32 and rounded once.
#pragma once

#include <pto/cpu/words.hpp>

namespace pto {

namespace cpu {

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

template <typename Op>
struct IgnoringNan {
    template <typename C>
    PTO_INLINE static vec<C> apply(vec<C> a, vec<C> b)
    {
        return Op::ignoring_nan(a, b);
    }
};

/// Lanes that are NaN.
PTO_INLINE __mmask16 unordered_lanes(f32v v) { return _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q); }
PTO_INLINE bool any_lane(__mmask16 lanes) { return lanes != 0; }

/// Max or Min over n contiguous floats. NaN is looked for beside the comparison, two vectors at a time.
template <typename Op, typename T>
PTO_INLINE float extreme_of_line(const T* p, int64_t n)
{
    const auto unordered = [](f32v x, f32v y) __attribute__((always_inline)) {
        return _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_UNORD_Q);
    };
    f32v a = splat(Op::template neutral<float>()), b = a, c = a, d = a;
    __mmask16 nan = 0;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const f32v x = load(p + i, Full{}), y = load(p + i + 16, Full{});
        const f32v z = load(p + i + 32, Full{}), w = load(p + i + 48, Full{});
        a = Op::ignoring_nan(a, x);
        b = Op::ignoring_nan(b, y);
        c = Op::ignoring_nan(c, z);
        d = Op::ignoring_nan(d, w);
        nan |= unordered(x, y) | unordered(z, w);
    }
    for (; i < n; i += 16) {
        const int64_t left = n - i;
        const f32v x = left >= 16 ? load(p + i, Full{})
                                  : load_or(p + i, Part{static_cast<int>(left)}, Op::template neutral<float>());
        a = Op::ignoring_nan(a, x);
        nan |= unordered(x, x);
    }
    a = Op::ignoring_nan(Op::ignoring_nan(a, b), Op::ignoring_nan(c, d));
    const float extreme = reduce_lanes<IgnoringNan<Op>, float>(a);
    return nan == 0 ? extreme : __builtin_nanf("");
}

/// Two vectors of every other element of 32, side by side again.
PTO_INLINE void interleave(f32v& even, f32v& odd)
{
    const f32v e = even, o = odd;
    even = (f32v)__builtin_shufflevector(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    odd = (f32v)__builtin_shufflevector(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// Any operation over n contiguous narrow floats but Max and Min, in fp32: every element is added where the loop over
/// single vectors in reduce_line adds it.
template <typename Op, typename T>
PTO_INLINE float reduce_narrow_line(const T* p, int64_t n)
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
    return reduce_lanes<Op, float>(with(with(a, b), with(c, d)));
}

#if defined(__AVX512FP16__)

/// The extreme of the 32 narrow floats of one vector.
template <typename Op, typename T>
PTO_INLINE float extreme_of_lanes(__m512i words)
{
    alignas(64) T lanes[32];
    store_bits(lanes, words);
    return reduce_lanes<Op, float>(Op::template apply<float>(load_first(lanes), load_second(lanes)));
}

/// Max or Min over n contiguous narrow floats, compared as halves. Infinities and what else a half takes for a NaN in
/// bf16 make it look at the whole line again.
template <typename Op, typename T>
PTO_INLINE float extreme_of_words(const T* p, int64_t n)
{
    const __m512i least = _mm512_set1_epi16(static_cast<short>(is_same<Op, Max> ? 0xfc00 : 0x7c00));  // of halves
    const auto words = [p, n, least](int64_t at) __attribute__((always_inline)) {
        return n - at >= 32 ? load_bits<__m512i>(p + at)
                            : _mm512_mask_loadu_epi16(least, lane_mask<2>(static_cast<int>(n - at)), p + at);
    };
    __m512i a = least, b = least;
    __mmask32 unordered = 0;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i x = words(i), y = words(i + 32);
        a = extreme_ignoring_nan<Op>(a, x);
        b = extreme_ignoring_nan<Op>(b, y);
        unordered |= unordered_words(x, y);
    }
    for (; i < n; i += 32) {
        const __m512i x = words(i);
        a = extreme_ignoring_nan<Op>(a, x);
        unordered |= unordered_words(x, x);
    }
    if (__builtin_expect(unordered == 0 && n > 0, 1)) {
        return extreme_of_lanes<Op, T>(extreme_ignoring_nan<Op>(a, b));
    }
    a = (__m512i)splat_words<T>(static_cast<T>(Op::template neutral<float>()));
    for (i = 0; i < n; i += 32) {
        a = (__m512i)apply_words<Op, T>((u16v)a, (u16v)words(i));
    }
    return extreme_of_lanes<Op, T>(a);
}

#endif

#else

/// Lanes that are NaN.
PTO_INLINE i32v unordered_lanes(f32v v) { return v != v; }
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

/// Op over n contiguous elements.
template <typename Op, typename T>
PTO_INLINE compute_t<T> reduce_line(const T* p, int64_t n)
{
    using C = compute_t<T>;
#if defined(PTO_CPU_AVX512)
    constexpr bool kExtreme = is_same<Op, Max> || is_same<Op, Min>;
    if constexpr (is_half_width_float<T> && kExtreme && on_words<Op, T>()) {
        return extreme_of_words<Op>(p, n);
    } else if constexpr (is_same<C, float> && kExtreme) {
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
    return reduce_lanes<Op, C>(
        Op::template apply<C>(Op::template apply<C>(a, b), Op::template apply<C>(c, d)));
}

/// dst[r, 0] = Op over src[r, :]
template <typename Op, typename Dst, typename Src>
PTO_INLINE void reduce_rows(Dst& dst, Src& src)
{
    check_vec_tile<Dst>();
    check_vec_tile<Src>();
    using T = typename Src::DType;
    static_assert(is_same<T, typename Dst::DType>, "all tiles need the same element type");
    static_assert(Src::isRowMajor, "the source of a row reduction must be row-major");
    const int64_t rows = src.GetValidRow();
    const int64_t cols = src.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        dst.data()[r * Dst::RowStride] = static_cast<T>(reduce_line<Op>(src.data() + r * Src::RowStride, cols));
    }
}

/// dst[0, c] = Op over src[:, c]
template <typename Op, typename Dst, typename Src>
PTO_INLINE void reduce_cols(Dst& dst, Src& src)
{
    check_same_shape_tiles<Dst, Src>();
    using T = typename Src::DType;
    using C = compute_t<T>;
    static_assert(Src::isRowMajor, "the source of a column reduction must be row-major");
    const int64_t rows = src.GetValidRow();
    const T* from = src.data();
    T* to = dst.data();
    if (rows == 0) {
        return;
    }
    constexpr bool kExtreme = is_same<Op, Max> || is_same<Op, Min>;  // sums stay in fp32 until the end
    if constexpr (is_half_width_float<T> && kExtreme && on_words<Op, T>()) {
        const uint16_t* words = reinterpret_cast<const uint16_t*>(from);
        sweep<kLanes<uint16_t>, 2>(
            src.GetValidCol(), [&](int64_t i, auto extent) __attribute__((always_inline)) {
                u16v extreme = load(words + i, extent);
                for (int64_t r = 1; r < rows; ++r) {
                    extreme = apply_words<Op, T>(extreme, load(words + r * Src::RowStride + i, extent));
                }
                store(reinterpret_cast<uint16_t*>(to) + i, extreme, extent);
            });
        return;
    }
    int64_t done = 0;
    const int64_t cols = src.GetValidCol();
#if defined(PTO_CPU_AVX512)
    if constexpr (is_half_width_float<T>) {
        for (; done + 32 <= cols; done += 32) {
            const T* at = from + done;
            f32v first = load_first(at), second = load_second(at);
            for (int64_t r = 1; r < rows; ++r) {
                at += Src::RowStride;
                first = Op::template apply<float>(first, load_first(at));
                second = Op::template apply<float>(second, load_second(at));
            }
            store_pair(to + done, first, second);
        }
    }
#endif
    sweep<kLanes<T>, 4>(
        cols - done, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            vec<C> sum = load(from + done + i, extent);
            for (int64_t r = 1; r < rows; ++r) {
                sum = Op::template apply<C>(sum, load(from + r * Src::RowStride + done + i, extent));
            }
            store(to + done + i, sum, extent);
        });
}

}  // namespace cpu

/// dst[r, 0] = sum over src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWSUM(Dst& dst, Src& src, const Rest&...)
{
    cpu::reduce_rows<cpu::Add>(dst, src);
    return {};
}

/// dst[r, 0] = maximum of src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWMAX(Dst& dst, Src& src, const Rest&...)
{
    cpu::reduce_rows<cpu::Max>(dst, src);
    return {};
}

/// dst[r, 0] = minimum of src[r, :]; the scratch tile is not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TROWMIN(Dst& dst, Src& src, const Rest&...)
{
    cpu::reduce_rows<cpu::Min>(dst, src);
    return {};
}

/// dst[0, c] = sum over src[:, c]; a scratch tile and the pairwise flag may follow, and are not needed here
template <typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TCOLSUM(Dst& dst, Src& src, const Rest&...)
{
    cpu::reduce_cols<cpu::Add>(dst, src);
    return {};
}

/// dst[0, c] = maximum of src[:, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLMAX(Dst& dst, Src& src, const Events&...)
{
    cpu::reduce_cols<cpu::Max>(dst, src);
    return {};
}

/// dst[0, c] = minimum of src[:, c]
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCOLMIN(Dst& dst, Src& src, const Events&...)
{
    cpu::reduce_cols<cpu::Min>(dst, src);
    return {};
}

}  // namespace pto
