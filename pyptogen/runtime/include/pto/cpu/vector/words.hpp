// half and bfloat16_t on 16-bit lanes: what needs no fp32 in between, with the results of the way through fp32.
//
// That is a sum or product of halves where the machine has them (rounding fp32's to half gives the correctly rounded
// one), the larger or smaller of two (NaN wins, +0 and -0 are equal), and everything that concerns the sign alone.
#pragma once

#include <pto/cpu/vector/elementwise.hpp>

namespace pto::cpu {

using u16v = vec<uint16_t>;

/// The bits of infinity.
template <typename T>
inline constexpr uint16_t kInfinityBits = is_same<T, half> ? 0x7c00 : 0x7f80;

/// Whether Op on elements of T is done on 16-bit lanes, and whether it is in the lines of a reduction.
template <typename Op, typename T>
constexpr bool on_words()
{
    constexpr bool kExtreme = is_same<Op, Max> || is_same<Op, Min>;
    constexpr bool kArithmetic = is_same<Op, Add> || is_same<Op, Sub> || is_same<Op, Mul>;
    return (kHasVectorUnit && is_half_width_float<T> && kExtreme) ||
           (kHasHalfArithmetic && is_same<T, half> && kArithmetic);
}
template <typename Op, typename T>
constexpr bool reduces_words()
{
    return kHasAvx512 && on_words<Op, T>();
}

/// The lines of a tile of a narrow float as their bits.
template <typename T>
PTO_INLINE Lines<uint16_t> words_of(Lines<T> lines)
{
    static_assert(sizeof(T) == 2);
    return {reinterpret_cast<uint16_t*>(lines.start), lines.pitch};
}

/// max(v, 0) on bits: a negative number becomes 0, a NaN stays. As signed integers negative NaN are the largest of what is
/// below zero: beyond negative infinity.
template <typename T>
PTO_INLINE u16v relu_words(u16v v)
{
    constexpr auto kNegativeInfinity = static_cast<int16_t>(0x8000 | kInfinityBits<T>);
    return words_above(v, kNegativeInfinity);
}

/// dst = f(src...) on the bits of narrow floats, over the valid region of dst.
template <typename F, typename Dst, typename... Src>
PTO_INLINE void map_words(F f, Dst& dst, Src&... src)
{
    map_lines<4>(line_count(dst), line_length(dst), f, words_of(lines_of(dst)), words_of(lines_of(src))...);
}

/// Max or Min with one number, of AVX-512 without arithmetic of halves: what is as apply_words, but in an order of bits that
/// fits the sign of that number.
template <typename Op, typename T>
class ExtremeWithScalar;

#if defined(PTO_CPU_FP16)

/// Max or Min of two bf16 as integers: right for any operands.
template <typename Op>
PTO_INLINE __m512i extreme_bf16_bits(__m512i x, __m512i y)
{
    if constexpr (is_same<Op, Max>) {  // larger as an unsigned number: the negative one, or a negative NaN
        const __m512i low = _mm512_min_epu16(x, y), high = _mm512_max_epu16(x, y);
        const __m512i r = _mm512_mask_mov_epi16(high, _mm512_movepi16_mask(high), low);
        return _mm512_mask_mov_epi16(r, _mm512_cmpgt_epu16_mask(high, _mm512_set1_epi16(short(0xff80))), high);
    } else {
        const __m512i low = _mm512_min_epi16(x, y), high = _mm512_max_epi16(x, y);
        const __m512i r = _mm512_mask_mov_epi16(low, _mm512_movepi16_mask(high), high);
        return _mm512_mask_mov_epi16(r, _mm512_cmpgt_epi16_mask(high, _mm512_set1_epi16(0x7f80)), high);
    }
}

/// The larger or smaller as halves, NaN ignored. bf16 and half have the same order of bits; what a half takes for a
/// NaN is at least 2^121 as a bf16.
template <typename Op>
PTO_INLINE __m512i extreme_ignoring_nan(__m512i x, __m512i y)
{
    return is_same<Op, Max> ? (__m512i)_mm512_max_ph((__m512h)x, (__m512h)y)
                            : (__m512i)_mm512_min_ph((__m512h)x, (__m512h)y);
}
/// What the extremes of lanes are put together by: the words themselves.
PTO_INLINE __m512i ordered_bits(__m512i words) { return words; }
template <typename Op>
PTO_INLINE __m512i extreme_of_ordered(__m512i x, __m512i y)
{
    return extreme_ignoring_nan<Op>(x, y);
}
PTO_INLINE __mmask32 unordered_words(__m512i x, __m512i y)
{
    return _mm512_cmp_ph_mask((__m512h)x, (__m512h)y, _CMP_UNORD_Q);
}

/// How the extremes of the lanes of many vectors are found. A NaN, and what else a half takes for one, is looked for beside
/// that.
template <typename Op, typename T>
struct ManyWords {
    using State = __m512i;
    using Look = __mmask32;  // lanes in which everything so far was ordered

    static constexpr Look kNothingSeen = ~Look(0);
    static constexpr auto kLeast = static_cast<short>(is_same<Op, Max> ? 0xfc00 : 0x7c00);  // of halves
    PTO_INLINE static State begin(__m512i words) { return words; }
    PTO_INLINE static State meet(State so_far, __m512i words) { return extreme_ignoring_nan<Op>(so_far, words); }
    PTO_INLINE static State merge(State x, State y) { return extreme_ignoring_nan<Op>(x, y); }
    PTO_INLINE static __m512i extremes(State state) { return state; }
    PTO_INLINE static Look look_at(Look so_far, __m512i x, __m512i y)
    {
        return _mm512_mask_cmp_ph_mask(so_far, (__m512h)x, (__m512h)y, _CMP_ORD_Q);
    }
    PTO_INLINE static Look both(Look x, Look y) { return x & y; }
    PTO_INLINE static bool ordered(Look seen) { return seen == ~Look(0); }
};

template <typename Op, typename T>
PTO_INLINE u16v apply_words(u16v a, u16v b)
{
    const __m512i x = (__m512i)a, y = (__m512i)b;
    if constexpr (is_same<Op, Max> || is_same<Op, Min>) {
        const __m512i r = extreme_ignoring_nan<Op>(x, y);
        if constexpr (is_same<T, half>) {  // vmaxph and vminph lose a NaN in the first operand only
            return (u16v)_mm512_mask_mov_epi16(r, unordered_words(x, x), x);
        } else {
            const __mmask32 unordered = unordered_words(x, y);
            if (__builtin_expect(unordered == 0, 1)) {
                return (u16v)r;
            }
            return (u16v)_mm512_mask_mov_epi16(r, unordered, extreme_bf16_bits<Op>(x, y));
        }
    } else if constexpr (is_same<Op, Add>) {
        return (u16v)_mm512_add_ph((__m512h)x, (__m512h)y);
    } else if constexpr (is_same<Op, Sub>) {
        return (u16v)_mm512_sub_ph((__m512h)x, (__m512h)y);
    } else {
        return (u16v)_mm512_mul_ph((__m512h)x, (__m512h)y);
    }
}

#elif defined(PTO_CPU_AVX512)

/// Signed integers in the order of the numbers, -0 just below +0; and back.
PTO_INLINE __m512i ordered_bits(__m512i words)
{
    constexpr int kXorOfAnd = 0x78;  // a ^ (b & c)
    return _mm512_ternarylogic_epi64(words, _mm512_srai_epi16(words, 15), _mm512_set1_epi16(0x7fff), kXorOfAnd);
}

/// The larger or smaller of two of those; a NaN counts as beyond the infinity of its sign.
template <typename Op>
PTO_INLINE __m512i extreme_of_ordered(__m512i x, __m512i y)
{
    return is_same<Op, Max> ? _mm512_max_epi16(x, y) : _mm512_min_epi16(x, y);
}

/// In the extremes that this one looks for, NaN of this sign get lost; the largest of them as integers without a sign (Max:
/// negative ones), or with one, is beyond kLimit.
template <typename Op>
PTO_INLINE __m512i lost_first(__m512i x, __m512i y)
{
    return is_same<Op, Max> ? _mm512_max_epu16(x, y) : _mm512_max_epi16(x, y);
}
template <typename Op, typename T>
PTO_INLINE __mmask32 lost_nan(__m512i words)
{
    return is_same<Op, Max>
               ? _mm512_cmpgt_epu16_mask(words, _mm512_set1_epi16(static_cast<short>(0x8000 | kInfinityBits<T>)))
               : _mm512_cmpgt_epi16_mask(words, _mm512_set1_epi16(static_cast<short>(kInfinityBits<T>)));
}

/// How the extremes of the lanes of many vectors are found. NaN that would get lost are looked for beside that.
template <typename Op, typename T>
struct ManyWords {
    /// A lane's extreme is the first one if there was any number on the extreme's side of zero, or else the second.
    struct State {
        __m512i far_side;   // Max: the largest signed integer. Min: the largest without a sign
        __m512i near_zero;  // the smallest integer without a sign
    };
    using Look = __m512i;

    static constexpr Look kNothingSeen = {};
    static constexpr auto kLeast = static_cast<short>((is_same<Op, Max> ? 0x8000 : 0) | kInfinityBits<T>);
    PTO_INLINE static State begin(__m512i words) { return {words, words}; }
    PTO_INLINE static State meet(State so_far, __m512i words) { return merge(so_far, {words, words}); }
    PTO_INLINE static State merge(State x, State y)
    {
        return {lost_first<Opposite>(x.far_side, y.far_side), _mm512_min_epu16(x.near_zero, y.near_zero)};
    }
    PTO_INLINE static __m512i extremes(State state)
    {
        const __mmask32 negative = _mm512_movepi16_mask(state.far_side);
        return is_same<Op, Max> ? _mm512_mask_blend_epi16(negative, state.far_side, state.near_zero)
                                : _mm512_mask_blend_epi16(negative, state.near_zero, state.far_side);
    }
    PTO_INLINE static Look look_at(Look so_far, __m512i x, __m512i y)
    {
        return lost_first<Op>(so_far, lost_first<Op>(x, y));
    }
    PTO_INLINE static Look both(Look x, Look y) { return lost_first<Op>(x, y); }
    PTO_INLINE static bool ordered(Look seen) { return lost_nan<Op, T>(seen) == 0; }

private:
    using Opposite = typename Chosen<is_same<Op, Max>, Min, Max>::type;
};

/// Max or Min: of equal numbers, which +0 and -0 are, the second one.
template <typename Op, typename T>
PTO_INLINE u16v apply_words(u16v a, u16v b)
{
    static_assert(is_same<Op, Max> || is_same<Op, Min>, "see on_words()");
    const __m512i x = (__m512i)a, y = (__m512i)b, magnitude = _mm512_set1_epi16(0x7fff);
    // As unsigned integers negative numbers are the higher ones, the higher the smaller. As signed ones they are the lower
    // ones, the lower the nearer to zero. Both ways a negative `high` says that both of them are on the wrong side.
    const __m512i low = is_same<Op, Max> ? _mm512_min_epu16(x, y) : _mm512_min_epi16(x, y);
    const __m512i high = lost_first<Op>(x, y);
    const __mmask32 ordered = ~lost_nan<Op, T>(high);  // where one would get lost it is `high`
    const __m512i all = _mm512_set1_epi16(-1);
    constexpr int kSelect = 0xca;  // first ? second : third
    const __m512i extreme =
        is_same<Op, Max>
            ? _mm512_ternarylogic_epi64(_mm512_maskz_srai_epi16(ordered, high, 15), low, high, kSelect)
            : _mm512_ternarylogic_epi64(_mm512_mask_srai_epi16(all, ordered, high, 15), high, low, kSelect);
    const __mmask32 zeros = _mm512_testn_epi16_mask(_mm512_or_si512(x, y), magnitude);
    return (u16v)_mm512_mask_blend_epi16(zeros, extreme, y);
}

template <typename Op, typename T>
class ExtremeWithScalar {
public:
    PTO_INLINE explicit ExtremeWithScalar(u16v scalar)
        : flip_(_mm512_srli_epi16(_mm512_srai_epi16((__m512i)scalar, 15), 1)),
          flipped_(_mm512_xor_si512((__m512i)scalar, flip_))
    {
    }
    /// Not for NaN, nor for the zero that is smaller (Max) or larger than the other one: it would have to win.
    static constexpr bool takes(uint16_t bits)
    {
        return (bits & 0x7fff) <= kInfinityBits<T> && bits != (is_same<Op, Max> ? 0x8000 : 0);
    }
    PTO_INLINE u16v operator()(u16v v) const
    {
        const __m512i words = (__m512i)v, flipped = _mm512_xor_si512(words, flip_);
        const __m512i extreme =
            is_same<Op, Max> ? _mm512_max_epi16(flipped, flipped_) : _mm512_min_epi16(flipped, flipped_);
        const __mmask32 nan = lost_nan<Op, T>(words);
        return (u16v)_mm512_mask_blend_epi16(nan, _mm512_xor_si512(extreme, flip_), words);
    }

private:
    __m512i flip_, flipped_;
};

#elif defined(PTO_CPU_AVX2)

/// Max or Min: of equal numbers, which +0 and -0 are, and of a NaN beside a number that is the second one.
template <typename Op, typename T>
PTO_INLINE u16v apply_words(u16v a, u16v b)
{
    static_assert(is_same<Op, Max> || is_same<Op, Min>, "see on_words()");
    const __m256i x = (__m256i)a, y = (__m256i)b, one = _mm256_set1_epi16(1),
                  infinity = _mm256_set1_epi16(kInfinityBits<T>);
    const __m256i magnitude = _mm256_set1_epi16(0x7fff);
    const __m256i high_x = _mm256_and_si256(x, magnitude), high_y = _mm256_and_si256(y, magnitude);
    const __m256i nan_x = _mm256_cmpgt_epi16(high_x, infinity), nan_y = _mm256_cmpgt_epi16(high_y, infinity);
    // Signed integers in the order of the numbers: the magnitude, negated where the sign is set.
    const __m256i order_x = _mm256_sign_epi16(high_x, _mm256_or_si256(x, one));
    const __m256i order_y = _mm256_sign_epi16(high_y, _mm256_or_si256(y, one));
    const __m256i beyond =
        is_same<Op, Max> ? _mm256_cmpgt_epi16(order_x, order_y) : _mm256_cmpgt_epi16(order_y, order_x);
    const __m256i first = _mm256_or_si256(_mm256_andnot_si256(nan_y, beyond), nan_x);
    return (u16v)_mm256_blendv_epi8(y, x, first);
}

#else

template <typename Op, typename T>
PTO_INLINE u16v apply_words(u16v a, u16v)
{
    static_assert(is_same<Op, void>, "see on_words()");
    return a;
}

#endif

/// What a scalar operand is on 16-bit lanes.
template <typename T>
PTO_INLINE u16v splat_words(T value)
{
    return splat(__builtin_bit_cast(uint16_t, value));
}

}  // namespace pto::cpu
