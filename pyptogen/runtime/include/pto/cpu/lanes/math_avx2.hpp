// exp and log of a vector of fp32, with AVX2 and FMA. Included by math.hpp only.
#pragma once

namespace pto::cpu {

/// e^x, below 0.9 ulp. x = n ln 2 + r with |r| <= ln 2 / 2; e^r by a polynomial of degree 6. 2^n is two factors, because
/// 2^-150 and 2^128 are no normal numbers: n + 254 lies in the low bits of the rounded sum, halved it is an exponent.
PTO_INLINE f32v exp_f32(f32v x)
{
    // So that the reduction stays exact; max and min give their second operand where one is NaN.
    const __m256 above = _mm256_max_ps(_mm256_set1_ps(-104.0f), (__m256)x);
    const f32v bounded = (f32v)_mm256_min_ps(_mm256_set1_ps(89.0f), above);
    const f32v magic = splat(12583166.0f);  // 1.5 * 2^23 + 254: adding it rounds to a whole number
    const f32v shifted = multiply_add(bounded, splat(1.44269504088896341f), magic);
    const f32v n = shifted - magic;
    const f32v high =
        multiply_add(n, splat(-0.693145751953125f), bounded);  // few bits: n times it, and high, are exact
    const f32v low = n * -1.42860682030941723e-6f;
    const f32v r = high + low;
    const f32v square = r * r;  // by squares: a short chain of operations keeps the units busy
    const f32v first_terms = multiply_add(splat(0.16666521f), r, splat(0.49999994f));
    f32v p = multiply_add(splat(0.008368716f), r, splat(0.04166839f));
    p = multiply_add(splat(0.0013814602f), square, p);
    p = multiply_add(p, square, first_terms);
    p = multiply_add(p, square, low) + high;
    const __m256i sum = (__m256i)shifted, first = _mm256_srli_epi32(sum, 1);
    const f32v a = (f32v)_mm256_slli_epi32(first, 23);
    const f32v b = (f32v)_mm256_slli_epi32(_mm256_sub_epi32(sum, first), 23);
    return multiply_add(p, a, a) * b;
}

/// As log_of_any, shorter for vectors of positive normal numbers.
PTO_INLINE f32v log_f32(f32v x)
{
    const __m256 least = _mm256_set1_ps(1.17549435e-38f), most = _mm256_set1_ps(3.40282347e38f);
    const __m256 usual =
        _mm256_and_ps(_mm256_cmp_ps((__m256)x, least, _CMP_GE_OQ), _mm256_cmp_ps((__m256)x, most, _CMP_LE_OQ));
    if (__builtin_expect(_mm256_movemask_ps(usual) == 0xff, 1)) {
        const i32v above = (i32v)x - 0x3f3504f3;  // bits of sqrt(1/2)
        const f32v part = (f32v)((above & 0x007fffff) + 0x3f3504f3);
        return log_of_parts(part - 1.0f, __builtin_convertvector(above >> 23, f32v));
    }
    return log_of_any(x);
}

}  // namespace pto::cpu
