// exp and log of a vector of fp32.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

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
PTO_INLINE f32v log_of_any(f32v x)
{
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
}

}  // namespace pto::cpu

#if defined(PTO_CPU_AVX512)
#include <pto/cpu/lanes/math_avx512.hpp>
#elif defined(PTO_CPU_AVX2)
#include <pto/cpu/lanes/math_avx2.hpp>
#else
#include <pto/cpu/lanes/math_generic.hpp>
#endif
