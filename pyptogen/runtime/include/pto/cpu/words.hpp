// half and bfloat16_t on 16-bit lanes: what needs no fp32 in between, with the results of the way through fp32.
//
// That is a sum or product of halves where the machine has them (rounding fp32's to half gives the correctly rounded
// one), the larger or smaller of two (NaN wins, +0 and -0 are equal), and everything that concerns the sign alone.
#pragma once

#include <pto/cpu/elementwise.hpp>

namespace pto::cpu {

using u16v = vec<uint16_t>;

/// The bits of infinity.
template <typename T>
inline constexpr uint16_t kInfinityBits = is_same<T, half> ? 0x7c00 : 0x7f80;

/// Whether Op on elements of T is done on 16-bit lanes.
template <typename Op, typename T>
constexpr bool on_words()
{
#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)
    constexpr bool kExtreme = is_same<Op, Max> || is_same<Op, Min>;
    constexpr bool kArithmetic = is_same<Op, Add> || is_same<Op, Sub> || is_same<Op, Mul>;
    return (is_half_width_float<T> && kExtreme) || (is_same<T, half> && kArithmetic);
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
