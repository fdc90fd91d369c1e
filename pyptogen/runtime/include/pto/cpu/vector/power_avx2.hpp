// Steps of powers that machines have instructions for, with AVX2 and FMA. Included by power.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f64v multiply_add_f64(f64v a, f64v b, f64v c)
{
    return (f64v)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/// a / b to a unit or two in the last place, for b of moderate size.
PTO_INLINE f64v quotient_f64(f64v a, f64v b) { return a / b; }

PTO_INLINE f64v bounded_f64(f64v v, double least, double most)
{
    return (f64v)_mm256_max_pd(_mm256_min_pd((__m256d)v, _mm256_set1_pd(most)), _mm256_set1_pd(least));
}

/// f in two halves of doubles.
template <typename F>
PTO_INLINE f32v in_doubles(f32v x, f32v y, F f)
{
    const auto doubles = [](__m128 v) __attribute__((always_inline)) { return (f64v)_mm256_cvtps_pd(v); };
    const __m256 all_x = (__m256)x, all_y = (__m256)y;
    const f64v low = f(doubles(_mm256_castps256_ps128(all_x)), doubles(_mm256_castps256_ps128(all_y)));
    const f64v high = f(doubles(_mm256_extractf128_ps(all_x, 1)), doubles(_mm256_extractf128_ps(all_y, 1)));
    return (f32v)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
}

/// Whether all bases are positive, and all numbers finite.
PTO_INLINE bool has_plain_powers(f32v x, f32v y)
{
    // As unsigned numbers: bits from 1 to those of the largest float, of x and of |y|, which may be 0.
    const __m256i most = _mm256_set1_epi32(0x7f7fffff), one = _mm256_set1_epi32(1);
    const __m256i bits = _mm256_sub_epi32((__m256i)x, one);
    const __m256i magnitude = _mm256_and_si256((__m256i)y, _mm256_set1_epi32(0x7fffffff));
    const __m256i base = _mm256_cmpeq_epi32(_mm256_min_epu32(bits, _mm256_sub_epi32(most, one)), bits);
    const __m256i exponent = _mm256_cmpgt_epi32(magnitude, most);
    return _mm256_movemask_epi8(_mm256_andnot_si256(exponent, base)) == -1;
}

}  // namespace pto::cpu
