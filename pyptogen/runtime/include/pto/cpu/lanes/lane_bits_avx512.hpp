// Predicates as bits, with AVX-512. Included by lane_bits.hpp only.
#pragma once

namespace pto::cpu {

/// Bit i is set where lane i of a comparison's result is true.
template <typename M>
PTO_INLINE uint64_t lane_bits(M mask)
{
    constexpr int kLane = static_cast<int>(sizeof(mask[0]));
    if constexpr (kLane == 1) {
        return _mm512_movepi8_mask((__m512i)mask);
    } else if constexpr (kLane == 2) {
        return _mm512_movepi16_mask((__m512i)mask);
    } else if constexpr (kLane == 4) {
        return _mm512_movepi32_mask((__m512i)mask);
    } else {
        return _mm512_movepi64_mask((__m512i)mask);
    }
}

/// Lane i of a where bit i is set, of b elsewhere. R is an unsigned integer type.
template <typename R>
PTO_INLINE vec<R> select_lanes(uint64_t bits, vec<R> a, vec<R> b)
{
    const __m512i yes = (__m512i)a, no = (__m512i)b;
    if constexpr (sizeof(R) == 1) {
        return (vec<R>)_mm512_mask_blend_epi8(bits, no, yes);
    } else if constexpr (sizeof(R) == 2) {
        return (vec<R>)_mm512_mask_blend_epi16(static_cast<__mmask32>(bits), no, yes);
    } else if constexpr (sizeof(R) == 4) {
        return (vec<R>)_mm512_mask_blend_epi32(static_cast<__mmask16>(bits), no, yes);
    } else {
        return (vec<R>)_mm512_mask_blend_epi64(static_cast<__mmask8>(bits), no, yes);
    }
}

}  // namespace pto::cpu
