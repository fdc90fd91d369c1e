// exp and log of a vector of fp32, on GNU vector extensions. Included by math.hpp only.
#pragma once

namespace pto::cpu {

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

PTO_INLINE f32v log_f32(f32v x) { return log_of_any(x); }

}  // namespace pto::cpu
