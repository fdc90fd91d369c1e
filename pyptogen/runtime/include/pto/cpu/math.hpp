// exp and log of a vector of fp32.
#pragma once

#include <pto/cpu/simd.hpp>

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f32v multiply_add(f32v a, f32v b, f32v c)
{
#if defined(PTO_CPU_AVX512)
    return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
    return a * b + c;
#endif
}

/// v * 2^n for whole n in [-150, 130]; right also where the result is denormal or infinite.
PTO_INLINE f32v scale_by_power(f32v v, f32v n)
{
#if defined(PTO_CPU_AVX512)
    return (f32v)_mm512_scalef_ps((__m512)v, (__m512)n);
#else
    const i32v whole = __builtin_convertvector(n, i32v);
    const i32v first = whole >> 1;  // in two steps, because 2^-150 and 2^130 are no normal numbers
    const f32v a = (f32v)((first + 127) << 23);
    const f32v b = (f32v)((whole - first + 127) << 23);
    return v * a * b;
#endif
}

/// Bounds the argument of exp so that the reduction below stays exact; NaN stays.
PTO_INLINE f32v bounded_exponent(f32v x)
{
#if defined(PTO_CPU_AVX512)
    return (f32v)_mm512_max_ps(_mm512_set1_ps(-104.0f), _mm512_min_ps(_mm512_set1_ps(89.0f), (__m512)x));
#else
    x = x < -104.0f ? splat(-104.0f) : x;
    return x > 89.0f ? splat(89.0f) : x;
#endif
}

/// e^x, below 1 ulp. x = n ln 2 + r with |r| <= ln 2 / 2; e^r by a polynomial of degree 6.
PTO_INLINE f32v exp_f32(f32v x)
{
    const f32v bounded = bounded_exponent(x);
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
#if defined(PTO_CPU_AVX512)
    return scale_by_power(p, n);
#else
    const f32v y = scale_by_power(p, x == x ? n : f32v{});  // no conversion of a NaN to an integer
    return x == x ? y : x;
#endif
}

/// Natural logarithm, below 2 ulp. x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m by a polynomial in f = m - 1.
PTO_INLINE f32v log_f32(f32v x)
{
    const i32v denormal = (x < 1.17549435e-38f) & (x > 0.0f);
    const f32v normal = denormal ? x * 8388608.0f : x;
    const i32v bits = (i32v)normal;
    const i32v shifted = bits - 0x3f3504f3;  // bits of sqrt(1/2)
    const i32v e = (shifted >> 23) - (denormal & 23);
    const f32v m = (f32v)((shifted & 0x007fffff) + 0x3f3504f3);
    const f32v f = m - 1.0f;
    const f32v exponent = __builtin_convertvector(e, f32v);
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
    f32v y = multiply_add(q * f, square, exponent * -2.12194440e-4f);  // ln 2 = 0.693359375 - 2.1219444e-4
    y = multiply_add(square, splat(-0.5f), y);
    y = multiply_add(exponent, splat(0.693359375f), y + f);
    y = x == 0.0f ? splat(-__builtin_inff()) : y;
    y = x == __builtin_inff() ? x : y;
    y = x < 0.0f ? splat(__builtin_nanf("")) : y;
    return x == x ? y : x;
}

}  // namespace pto::cpu
