// Arithmetic that the machine has instructions of its own for, with AVX-512. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f32v multiply_add(f32v a, f32v b, f32v c) { return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }

/// a + b * factor, rounded once: for a factor of 1 a sum, which the compiler leaves a product.
PTO_INLINE f32v plus_product(f32v a, f32v b, float factor)
{
    __m512 times = _mm512_set1_ps(factor);
    asm("" : "+v"(times));
    return (f32v)_mm512_fmadd_ps((__m512)b, times, (__m512)a);
}

/// Sums and differences beside conversions or shifts: on Zen 5 sums take the units that these need, so they are made where
/// products are.
PTO_INLINE f32v sum_beside(f32v a, f32v b) { return plus_product(a, b, 1.0f); }
PTO_INLINE f32v difference_beside(f32v a, f32v b) { return plus_product(a, b, -1.0f); }

PTO_INLINE f32v sqrt_f32(f32v v) { return (f32v)_mm512_sqrt_ps((__m512)v); }

/// Rounds to a whole number, ties to even (the FP environment's default mode is assumed).
PTO_INLINE f32v rint_f32(f32v v)
{
    return (f32v)_mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// The larger, or smaller, of two, where a NaN may get lost.
PTO_INLINE f32v larger_ignoring_nan(f32v a, f32v b) { return (f32v)_mm512_max_ps((__m512)a, (__m512)b); }
PTO_INLINE f32v smaller_ignoring_nan(f32v a, f32v b) { return (f32v)_mm512_min_ps((__m512)a, (__m512)b); }

/// The larger, or smaller, of two; a NaN stays. The instructions give b when either is NaN; what is missing is a NaN in a.
PTO_INLINE f32v larger(f32v a, f32v b)
{
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
    return (f32v)_mm512_mask_mov_ps(_mm512_max_ps((__m512)a, (__m512)b), nan, (__m512)a);
}
PTO_INLINE f32v smaller(f32v a, f32v b)
{
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
    return (f32v)_mm512_mask_mov_ps(_mm512_min_ps((__m512)a, (__m512)b), nan, (__m512)a);
}

/// max(v, 0); a NaN stays.
PTO_INLINE f32v relu_f32(f32v v)
{
    const __mmask16 kept = _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_NLE_UQ);
    return (f32v)_mm512_maskz_mov_ps(kept, (__m512)v);
}

/// v where it is above a bound as a signed number, 0 elsewhere.
PTO_INLINE vec<uint16_t> words_above(vec<uint16_t> v, int16_t bound)
{
    const __m512i bits = (__m512i)v;
    return (vec<uint16_t>)_mm512_maskz_mov_epi16(_mm512_cmpgt_epi16_mask(bits, _mm512_set1_epi16(bound)), bits);
}

/// Products of bytes: of the even ones in 16-bit lanes, whose low bytes do not depend on the odd ones; and of the odd ones as
/// sums of two products of which one is of zero. The low bytes of both are put side by side.
PTO_INLINE vec<uint8_t> product_of_bytes(vec<uint8_t> a, vec<uint8_t> b)
{
    const __m512i x = (__m512i)a, y = (__m512i)b, upper = _mm512_set1_epi16(static_cast<short>(0xff00));
    const __m512i even = _mm512_mullo_epi16(x, y);
    const __m512i odd = _mm512_maddubs_epi16(x, _mm512_and_si512(y, upper));
    const __m512i low_bytes = _mm512_set4_epi32(0x0e000c00, 0x0a000800, 0x06000400, 0x02000000);
    return (vec<uint8_t>)_mm512_mask_shuffle_epi8(even, 0xaaaaaaaaaaaaaaaaULL, odd, low_bytes);
}

/// The lanes that an extent covers, `fill` in the others.
PTO_INLINE f32v only(Part part, f32v v, float fill)
{
    return (f32v)_mm512_mask_mov_ps(_mm512_set1_ps(fill), lane_mask<4>(part.n), (__m512)v);
}

}  // namespace pto::cpu
