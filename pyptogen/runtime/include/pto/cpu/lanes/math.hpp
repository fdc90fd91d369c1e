// exp and log of a vector of fp32.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f32v multiply_add(f32v a, f32v b, f32v c)
{
#if defined(PTO_CPU_AVX512)
    return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(PTO_CPU_AVX2)
    return (f32v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

#if defined(PTO_CPU_AVX512)

/// 2^((i + d) / 32) for i = 0 ... 31, with the shift d = 0.0406132 chosen so that rounding moves no entry by more than a
/// third of a unit in the last place.
alignas(64) inline constexpr float kExpTable[32] = {
    1.000880122f, 1.022796512f, 1.045192838f, 1.068079591f, 1.091467500f, 1.115367532f, 1.139790893f, 1.164749026f,
    1.190253735f, 1.216316938f, 1.242950797f, 1.270167828f, 1.297980905f, 1.326403022f, 1.355447412f, 1.385127902f,
    1.415458202f, 1.446452737f, 1.478125930f, 1.510492682f, 1.543568134f, 1.577367902f, 1.611907721f, 1.647203922f,
    1.683272958f, 1.720131874f, 1.757797837f, 1.796288610f, 1.835622191f, 1.875817060f, 1.916892171f, 1.958866596f,
};

/// e^x, below 0.9 ulp. x = n ln 2 + r with n a multiple of 1/32; e^r and the shift of the table by a polynomial. No
/// argument needs a bound: scalef takes any n, and r is kept small where n has too few bits left for it to be.
PTO_INLINE f32v exp_f32(f32v x)
{
    const f32v magic = splat(393216.0f);  // 1.5 * 2^18: adding it rounds to a multiple of 1/32
    const f32v shifted = multiply_add(x, splat(1.44269504088896341f), magic);
    const f32v n = shifted - magic;
    f32v r = multiply_add(n, splat(-0.693145751953125f), x);  // few bits, so that n times it is exact
    r = multiply_add(n, splat(-1.42860682030941723e-6f), r);
    r = (f32v)_mm512_range_ps((__m512)r, _mm512_set1_ps(0.011f), 2);  // the smaller magnitude, with r's sign
    const f32v power =
        (f32v)_mm512_permutex2var_ps(_mm512_load_ps(kExpTable), (__m512i)shifted, _mm512_load_ps(kExpTable + 16));
    f32v p = multiply_add(r, splat(0.166520119f), splat(0.499560326f));
    p = multiply_add(p, r, splat(0.999120653f));
    p = multiply_add(p, r, splat(-8.79330153e-4f));
    return (f32v)_mm512_scalef_ps((__m512)multiply_add(power, p, power), (__m512)n);
}

#elif defined(PTO_CPU_AVX2)

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

#else

/// v * 2^n for whole n in [-150, 130]; right also where the result is denormal or infinite.
PTO_INLINE f32v scale_by_power(f32v v, f32v n)
{
    const i32v whole = __builtin_convertvector(n, i32v);
    const i32v first = whole >> 1;  // in two steps, because 2^-150 and 2^130 are no normal numbers
    const f32v a = (f32v)((first + 127) << 23);
    const f32v b = (f32v)((whole - first + 127) << 23);
    return v * a * b;
}

/// e^x, about 1 ulp. x = n ln 2 + r with |r| <= ln 2 / 2; e^r by a polynomial of degree 6.
PTO_INLINE f32v exp_f32(f32v x)
{
    f32v bounded = x < -104.0f ? splat(-104.0f) : x;  // so that the reduction stays exact; NaN stays
    bounded = bounded > 89.0f ? splat(89.0f) : bounded;
    const f32v magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number
    const f32v n = multiply_add(bounded, splat(1.44269504088896341f), magic) - magic;
    f32v r = multiply_add(n, splat(-0.693145751953125f), bounded);  // few bits, so that n times it is exact
    r = multiply_add(n, splat(-1.42860682030941723e-6f), r);
    f32v p = splat(0.0013814602f);
    p = multiply_add(p, r, splat(0.008368716f));
    p = multiply_add(p, r, splat(0.04166839f));
    p = multiply_add(p, r, splat(0.16666521f));
    p = multiply_add(p, r, splat(0.49999994f));
    p = multiply_add(p * r, r, r) + 1.0f;
    const f32v y = scale_by_power(p, x == x ? n : f32v{});  // no conversion of a NaN to an integer
    return x == x ? y : x;
}

#endif

/// The polynomial part of the logarithm of (1 + f) 2^exponent.
PTO_INLINE f32v log_of_parts(f32v f, f32v exponent)
{
    f32v q = splat(0.06757568f);
    q = multiply_add(q, f, splat(-0.116943344f));
    q = multiply_add(q, f, splat(0.11893513f));
    q = multiply_add(q, f, splat(-0.124030836f));
    q = multiply_add(q, f, splat(0.14218554f));
    q = multiply_add(q, f, splat(-0.1666809f));
    q = multiply_add(q, f, splat(0.20002167f));
    q = multiply_add(q, f, splat(-0.2500001f));
    q = multiply_add(q, f, splat(0.3333331f));
    const f32v square = f * f;
    f32v y = multiply_add(q * f, square, exponent * 1.42860682e-6f);  // ln 2 = 0.6931457519 + 1.4286e-6, both positive
    y = multiply_add(square, splat(-0.5f), y);
    return multiply_add(exponent, splat(0.693145751953125f), y + f);
}

/// Natural logarithm, below 2 ulp. x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m by a polynomial in f = m - 1.
PTO_INLINE f32v log_f32(f32v x)
{
#if defined(PTO_CPU_AVX512)
    // getexp gives -inf for 0 and inf for inf, getmant 1 for both and NaN below 0: the special cases fall out.
    const __m512 two = _mm512_getmant_ps((__m512)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    const __m512 power = _mm512_getexp_ps((__m512)x);
    const __mmask16 large = _mm512_cmp_ps_mask(two, _mm512_set1_ps(1.41421354f), _CMP_GE_OQ);
    const f32v m = (f32v)_mm512_mask_mul_ps(two, large, two, _mm512_set1_ps(0.5f));
    const f32v e = (f32v)_mm512_mask_add_ps(power, large, power, _mm512_set1_ps(1.0f));
    return log_of_parts(m - 1.0f, e);
#else
#if defined(PTO_CPU_AVX2)
    const __m256 least = _mm256_set1_ps(1.17549435e-38f), most = _mm256_set1_ps(3.40282347e38f);
    const __m256 usual =
        _mm256_and_ps(_mm256_cmp_ps((__m256)x, least, _CMP_GE_OQ), _mm256_cmp_ps((__m256)x, most, _CMP_LE_OQ));
    if (__builtin_expect(_mm256_movemask_ps(usual) == 0xff, 1)) {
        const i32v above = (i32v)x - 0x3f3504f3;  // bits of sqrt(1/2)
        const f32v part = (f32v)((above & 0x007fffff) + 0x3f3504f3);
        return log_of_parts(part - 1.0f, __builtin_convertvector(above >> 23, f32v));
    }
#endif
    const i32v denormal = (x < 1.17549435e-38f) & (x > 0.0f);
    const f32v normal = denormal ? x * 8388608.0f : x;
    const i32v bits = (i32v)normal;
    const i32v shifted = bits - 0x3f3504f3;  // bits of sqrt(1/2)
    const i32v e = (shifted >> 23) - (denormal & 23);
    const f32v m = (f32v)((shifted & 0x007fffff) + 0x3f3504f3);
    f32v y = log_of_parts(m - 1.0f, __builtin_convertvector(e, f32v));
    y = x == 0.0f ? splat(-__builtin_inff()) : y;
    y = x == __builtin_inff() ? x : y;
    y = x < 0.0f ? splat(__builtin_nanf("")) : y;
    return x == x ? y : x;
#endif
}

}  // namespace pto::cpu
