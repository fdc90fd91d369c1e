// Division of many values by one.
#pragma once

#include <pto/cpu/lanes/math.hpp>

namespace pto::cpu {

#if defined(PTO_CPU_AVX512)

/// A number to divide by, correctly rounded, without a division for each quotient.
///
/// q = x r, with r the rounded reciprocal, is off by at most one unit; x - q c is exact in one multiply-add, and
/// q + (x - q c) r rounds to the right quotient (P. Markstein, "Computation of elementary functions on the IBM RISC
/// System/6000 processor", 1990) as long as nothing leaves the normal range. Elsewhere the machine divides.
struct InvariantDivisor {
    f32v divisor, reciprocal;
    bool moderate;  // 2^-26 <= |divisor| <= 2^26

    PTO_INLINE explicit InvariantDivisor(float c) : divisor(splat(c)), reciprocal(splat(1.0f / c))
    {
        const float magnitude = __builtin_fabsf(c);
        moderate = magnitude >= 0x1p-26f && magnitude <= 0x1p26f;
    }
    PTO_INLINE f32v quotient(f32v x) const
    {
        const __m512i twice = _mm512_slli_epi32((__m512i)x, 1);  // no sign: magnitudes compare as integers
        constexpr uint32_t kLow = (127u - 99) << 24, kHigh = (127u + 99) << 24;
        const __m512i above = _mm512_sub_epi32(twice, _mm512_set1_epi32(static_cast<int>(kLow)));
        const __mmask16 normal = _mm512_cmple_epu32_mask(above, _mm512_set1_epi32(static_cast<int>(kHigh - kLow)));
        const __mmask16 zero = _mm512_testn_epi32_mask(twice, twice);
        if (__builtin_expect(!moderate || (normal | zero) != 0xffff, 0)) {
            return x / divisor;
        }
        const __m512 q = _mm512_mul_ps((__m512)x, (__m512)reciprocal);
        const __m512 rest = _mm512_fnmadd_ps(q, (__m512)divisor, (__m512)x);
        return (f32v)_mm512_mask3_fmadd_ps(rest, (__m512)reciprocal, q, normal);
    }
};

#else

/// A number to divide by.
struct InvariantDivisor {
    f32v divisor;

    PTO_INLINE explicit InvariantDivisor(float c) : divisor(splat(c)) {}
    PTO_INLINE f32v quotient(f32v x) const { return x / divisor; }
};

#endif

}  // namespace pto::cpu
