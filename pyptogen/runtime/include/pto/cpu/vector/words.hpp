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
    [[maybe_unused]] constexpr bool kExtreme = is_same<Op, Max> || is_same<Op, Min>;
#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)
    constexpr bool kArithmetic = is_same<Op, Add> || is_same<Op, Sub> || is_same<Op, Mul>;
    return (is_half_width_float<T> && kExtreme) || (is_same<T, half> && kArithmetic);
#elif defined(PTO_CPU_AVX2)
    return is_half_width_float<T> && kExtreme;
#else
    return false;
#endif
}
template <typename Op, typename T>
constexpr bool reduces_words()
{
#if defined(PTO_CPU_AVX512)
    return on_words<Op, T>();
#else
    return false;
#endif
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
#if defined(PTO_CPU_AVX512)
    const __m512i bits = (__m512i)v;
    return (u16v)_mm512_maskz_mov_epi16(_mm512_cmpgt_epi16_mask(bits, _mm512_set1_epi16(kNegativeInfinity)), bits);
#else
    return v & (u16v)((vec<int16_t>)v > kNegativeInfinity);
#endif
}

/// dst = f(src...) on the bits of narrow floats, over the valid region of dst.
template <typename F, typename Dst, typename... Src>
PTO_INLINE void map_words(F f, Dst& dst, Src&... src)
{
    check_same_shape_tiles<Dst, Src...>();
    map_lines<4>(line_count(dst), line_length(dst), f, words_of(lines_of(dst)), words_of(lines_of(src))...);
}

#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)

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
PTO_INLINE __mmask32 unordered_words(__m512i x, __m512i y)
{
    return _mm512_cmp_ph_mask((__m512h)x, (__m512h)y, _CMP_UNORD_Q);
}

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

#elif defined(PTO_CPU_AVX2)

/// Max or Min: of equal numbers, which +0 and -0 are, and of a NaN beside a number that is the second one.
template <typename Op, typename T>
PTO_INLINE u16v apply_words(u16v a, u16v b)
{
    static_assert(is_same<Op, Max> || is_same<Op, Min>, "see on_words()");
    const __m256i x = (__m256i)a, y = (__m256i)b, one = _mm256_set1_epi16(1), infinity = _mm256_set1_epi16(kInfinityBits<T>);
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
