// exp and log of a vector of fp32, with AVX-512. Included by math.hpp only.
#pragma once

namespace pto::cpu {

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

/// Natural logarithm, below 2 ulp. x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m by a polynomial in f = m - 1.
PTO_INLINE f32v log_f32(f32v x)
{
    // getexp gives -inf for 0 and inf for inf, getmant 1 for both and NaN below 0: the special cases fall out.
    const __m512 two = _mm512_getmant_ps((__m512)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    const __m512 power = _mm512_getexp_ps((__m512)x);
    const __mmask16 large = _mm512_cmp_ps_mask(two, _mm512_set1_ps(1.41421354f), _CMP_GE_OQ);
    const f32v m = (f32v)_mm512_mask_mul_ps(two, large, two, _mm512_set1_ps(0.5f));
    const f32v e = (f32v)_mm512_mask_add_ps(power, large, power, _mm512_set1_ps(1.0f));
    return log_of_parts(m - 1.0f, e);
}

}  // namespace pto::cpu
