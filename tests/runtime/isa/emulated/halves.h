// AVX512-FP16 in software: the intrinsics of vectors of 32 halves that the headers use, by way of fp32.
//
// fp32 has more than twice the digits of a half: a sum, difference or product that is rounded to fp32 first is the same
// half.
#pragma once

#include <immintrin.h>

namespace halves {

/// The lower and the upper 16 of 32 halves.
inline __m512 lower(__m512i v) { return _mm512_cvtph_ps(_mm512_castsi512_si256(v)); }
inline __m512 upper(__m512i v) { return _mm512_cvtph_ps(_mm512_extracti64x4_epi64(v, 1)); }

/// One vector of two halves of it.
inline __m512i joined(__m256i low, __m256i high) { return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); }

inline __m512i rounded(__m512 low, __m512 high)
{
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    return joined(_mm512_cvtps_ph(low, kNearest), _mm512_cvtps_ph(high, kNearest));
}

inline __m512i add(__m512i x, __m512i y)
{
    return rounded(_mm512_add_ps(lower(x), lower(y)), _mm512_add_ps(upper(x), upper(y)));
}
inline __m512i subtract(__m512i x, __m512i y)
{
    return rounded(_mm512_sub_ps(lower(x), lower(y)), _mm512_sub_ps(upper(x), upper(y)));
}
inline __m512i multiply(__m512i x, __m512i y)
{
    return rounded(_mm512_mul_ps(lower(x), lower(y)), _mm512_mul_ps(upper(x), upper(y)));
}

template <int Predicate>
inline __mmask32 compare(__m512i x, __m512i y)
{
    const __mmask32 high = _mm512_cmp_ps_mask(upper(x), upper(y), Predicate);
    return high << 16 | _mm512_cmp_ps_mask(lower(x), lower(y), Predicate);
}

/// The second operand where one is NaN or both are zero.
inline __m512i larger(__m512i x, __m512i y) { return _mm512_mask_mov_epi16(y, compare<_CMP_GT_OQ>(x, y), x); }
inline __m512i smaller(__m512i x, __m512i y) { return _mm512_mask_mov_epi16(y, compare<_CMP_LT_OQ>(x, y), x); }

/// To nearest even; what int16 does not hold, and NaN, is its least number.
inline __m512i to_words(__m512i v)
{
    const auto converted = [](__m512 x) {
        const __m512i whole = _mm512_cvtps_epi32(x);
        const __m512i held = _mm512_cvtepi16_epi32(_mm512_cvtepi32_epi16(whole));
        const __mmask16 lost = _mm512_cmpneq_epi32_mask(whole, held);
        return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(whole, lost, _mm512_set1_epi32(-32768)));
    };
    return joined(converted(lower(v)), converted(upper(v)));
}
inline __m512i from_words(__m512i v)
{
    return rounded(
        _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_castsi512_si256(v))),
        _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(v, 1))));
}

}  // namespace halves

#define _mm512_add_ph(x, y) (__m512h)halves::add((__m512i)(x), (__m512i)(y))
#define _mm512_sub_ph(x, y) (__m512h)halves::subtract((__m512i)(x), (__m512i)(y))
#define _mm512_mul_ph(x, y) (__m512h)halves::multiply((__m512i)(x), (__m512i)(y))
#define _mm512_max_ph(x, y) (__m512h)halves::larger((__m512i)(x), (__m512i)(y))
#define _mm512_min_ph(x, y) (__m512h)halves::smaller((__m512i)(x), (__m512i)(y))
#define _mm512_set1_ph(x) (__m512h)_mm512_set1_epi16(__builtin_bit_cast(short, x))
#define _mm512_cvtph_epi16(v) halves::to_words((__m512i)(v))
#define _mm512_maskz_cvtph_epi16(mask, v) _mm512_maskz_mov_epi16(mask, halves::to_words((__m512i)(v)))
#define _mm512_cvtepi16_ph(v) (__m512h)halves::from_words(v)
#undef _mm512_cmp_ph_mask
#undef _mm512_mask_cmp_ph_mask
#define _mm512_cmp_ph_mask(x, y, predicate) halves::compare<predicate>((__m512i)(x), (__m512i)(y))
#define _mm512_mask_cmp_ph_mask(mask, x, y, predicate) ((mask) & _mm512_cmp_ph_mask(x, y, predicate))
