// Arithmetic that the machine has instructions of its own for, with AVX2 and FMA. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f32v multiply_add(f32v a, f32v b, f32v c) { return (f32v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }

/// Sums and differences beside conversions or shifts.
PTO_INLINE f32v sum_beside(f32v a, f32v b) { return a + b; }
PTO_INLINE f32v difference_beside(f32v a, f32v b) { return a - b; }

PTO_INLINE f32v sqrt_f32(f32v v) { return (f32v)_mm256_sqrt_ps((__m256)v); }

/// Rounds to a whole number, ties to even (the FP environment's default mode is assumed).
PTO_INLINE f32v rint_f32(f32v v)
{
    return (f32v)_mm256_round_ps((__m256)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// The larger, or smaller, of two, where a NaN may get lost.
PTO_INLINE f32v larger_ignoring_nan(f32v a, f32v b) { return (f32v)_mm256_max_ps((__m256)a, (__m256)b); }
PTO_INLINE f32v smaller_ignoring_nan(f32v a, f32v b) { return (f32v)_mm256_min_ps((__m256)a, (__m256)b); }

/// The larger, or smaller, of two; a NaN stays.
PTO_INLINE f32v larger(f32v a, f32v b) { return a != a ? a : larger_ignoring_nan(a, b); }
PTO_INLINE f32v smaller(f32v a, f32v b) { return a != a ? a : smaller_ignoring_nan(a, b); }

/// max(v, 0); a NaN stays.
PTO_INLINE f32v relu_f32(f32v v)
{
    return (f32v)_mm256_and_ps((__m256)v, _mm256_cmp_ps((__m256)v, _mm256_setzero_ps(), _CMP_NLE_UQ));
}

/// v where it is above a bound as a signed number, 0 elsewhere.
PTO_INLINE vec<uint16_t> words_above(vec<uint16_t> v, int16_t bound)
{
    return v & (vec<uint16_t>)((vec<int16_t>)v > bound);
}

/// Products of bytes: of the even ones in 16-bit lanes, whose low bytes do not depend on the odd ones; and of the odd ones as
/// sums of two products of which one is of zero.
PTO_INLINE vec<uint8_t> product_of_bytes(vec<uint8_t> a, vec<uint8_t> b)
{
    const __m256i x = (__m256i)a, y = (__m256i)b, upper = _mm256_set1_epi16(static_cast<short>(0xff00));
    const __m256i even = _mm256_mullo_epi16(x, y);
    const __m256i odd = _mm256_maddubs_epi16(x, _mm256_and_si256(y, upper));
    return (vec<uint8_t>)_mm256_blendv_epi8(even, _mm256_slli_epi16(odd, 8), upper);
}

/// The lanes that an extent covers, `fill` in the others.
PTO_INLINE f32v only(Part part, f32v v, float fill)
{
    return (f32v)_mm256_blendv_ps(_mm256_set1_ps(fill), (__m256)v, (__m256)lane_mask<4>(part.n));
}

}  // namespace pto::cpu
