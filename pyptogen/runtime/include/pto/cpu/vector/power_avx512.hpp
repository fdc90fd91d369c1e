// Steps of powers that machines have instructions for, with AVX-512. Included by power.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f64v multiply_add_f64(f64v a, f64v b, f64v c)
{
    return (f64v)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

/// a / b to a unit or two in the last place, for b of moderate size.
PTO_INLINE f64v quotient_f64(f64v a, f64v b)
{
    const __m512d d = (__m512d)b, two = _mm512_set1_pd(2.0);
    __m512d r = _mm512_rcp14_pd(d);
    r = _mm512_mul_pd(r, _mm512_fnmadd_pd(d, r, two));
    r = _mm512_mul_pd(r, _mm512_fnmadd_pd(d, r, two));
    return a * (f64v)r;
}

PTO_INLINE f64v bounded_f64(f64v v, double least, double most)
{
    return (f64v)_mm512_max_pd(_mm512_min_pd((__m512d)v, _mm512_set1_pd(most)), _mm512_set1_pd(least));
}

/// f in two halves of doubles.
template <typename F>
PTO_INLINE f32v in_doubles(f32v x, f32v y, F f)
{
    const __m512d wide_x = (__m512d)x, wide_y = (__m512d)y;
    const auto doubles = [](__m256d v) __attribute__((always_inline)) { return (f64v)_mm512_cvtps_pd((__m256)v); };
    const f64v low = f(doubles(_mm512_castpd512_pd256(wide_x)), doubles(_mm512_castpd512_pd256(wide_y)));
    const f64v high = f(doubles(_mm512_extractf64x4_pd(wide_x, 1)), doubles(_mm512_extractf64x4_pd(wide_y, 1)));
    const __m512d first = _mm512_castpd256_pd512((__m256d)_mm512_cvtpd_ps((__m512d)low));
    return (f32v)_mm512_insertf64x4(first, (__m256d)_mm512_cvtpd_ps((__m512d)high), 1);
}

/// Whether all bases are positive, and all numbers finite.
PTO_INLINE bool has_plain_powers(f32v x, f32v y)
{
    constexpr int kNanOrInfinite = 0x99, kZeroOrNegative = 0x46;
    return (_mm512_fpclass_ps_mask((__m512)x, kNanOrInfinite | kZeroOrNegative) |
            _mm512_fpclass_ps_mask((__m512)y, kNanOrInfinite)) == 0;
}

}  // namespace pto::cpu
