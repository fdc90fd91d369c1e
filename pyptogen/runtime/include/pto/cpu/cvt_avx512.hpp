// TCVT with AVX-512, several vectors at a time. Included by cvt.hpp only.
#pragma once

namespace pto::cpu {

/// Rounding to nearest is part of the conversion below.
template <typename To>
PTO_INLINE f32v nearest_for_int(f32v v)
{
    return v;
}

PTO_INLINE __mmask16 is_number(f32v v) { return _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_ORD_Q); }

/// Whole fp32 values as int32: saturated, NaN as 0.
PTO_INLINE i32v saturated_int32(f32v v)
{
    const __mmask16 over = _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ);
    const __m512i r = _mm512_maskz_cvtps_epi32(is_number(v), (__m512)v);
    return (i32v)_mm512_mask_mov_epi32(r, over, _mm512_set1_epi32(0x7fffffff));
}

/// As saturated_int32 where only the sign and up to 31 bits matter: for types that saturate at less.
PTO_INLINE __m512i nearly_saturated(f32v v)
{
    // Too large a negative value converts to the lowest int32 by itself; too large a positive one would as well.
    const __m512 bounded = _mm512_min_ps((__m512)v, _mm512_set1_ps(2147483520.0f));
    return _mm512_maskz_cvtps_epi32(is_number(v), bounded);
}

/// Stores fp32 values as integers of at most 32 bits: rounded to nearest, saturated, NaN as 0.
template <typename To, typename Extent>
PTO_INLINE void store_saturated(To* to, f32v v, Extent extent)
{
    if constexpr (is_same<To, int32_t>) {
        store_int(to, saturated_int32(v), extent);
        return;
    }
    const __m512i r = nearly_saturated(v);
    if constexpr (is_same<Extent, Full>) {
        if constexpr (is_same<To, int8_t>) {
            store_bits(to, _mm512_cvtsepi32_epi8(r));
        } else if constexpr (is_same<To, int16_t>) {
            store_bits(to, _mm512_cvtsepi32_epi16(r));
        } else if constexpr (is_same<To, uint8_t>) {
            store_bits(to, _mm512_cvtusepi32_epi8(_mm512_max_epi32(r, _mm512_setzero_si512())));
        } else {
            store_bits(to, _mm512_cvtusepi32_epi16(_mm512_max_epi32(r, _mm512_setzero_si512())));
        }
    } else {
        constexpr int32_t kLow = static_cast<int32_t>(lowest<To>());
        constexpr int32_t kHigh = static_cast<int32_t>(highest<To>());
        const __m512i bounded = _mm512_max_epi32(r, _mm512_set1_epi32(kLow));
        store_int(to, (i32v)_mm512_min_epi32(bounded, _mm512_set1_epi32(kHigh)), extent);
    }
}

/// 32 or 64 floats of any kind, to 16 or 8 bits: saturated, NaN as 0.
template <typename To, typename From>
PTO_INLINE void convert_to_narrow_integers(To* to, const From* from)
{
    constexpr bool kSigned = To(-1) < To(0);
    const auto words = [](f32v a, f32v b) __attribute__((always_inline)) {
        return _mm512_packs_epi32(nearly_saturated(a), nearly_saturated(b));
    };
    if constexpr (sizeof(To) == 2) {
        const __m512i a = nearly_saturated(load(from, Full{})), b = nearly_saturated(load(from + 16, Full{}));
        const __m512i packed = kSigned ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b);
        store_bits(to, _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), packed));
    } else {
        const __m512i a = words(load(from, Full{}), load(from + 16, Full{}));
        const __m512i b = words(load(from + 32, Full{}), load(from + 48, Full{}));
        const __m512i packed = kSigned ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
        const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
        store_bits(to, _mm512_permutexvar_epi32(order, packed));
    }
}

#if defined(__AVX512FP16__)

/// 64 halves to 8 bits: saturated, NaN as 0.
template <typename To>
PTO_INLINE void convert_to_narrow_integers(To* to, const half* from)
    requires(sizeof(To) == 1)
{
    const auto whole = [from](int at) __attribute__((always_inline)) {
        const __m512h v = (__m512h)load_bits<__m512i>(from + at);
        const __m512h bound = _mm512_set1_ph(static_cast<_Float16>(1000.0f));  // int16 holds it, and 8 bits do not
        return _mm512_maskz_cvtph_epi16(_mm512_cmp_ph_mask(v, v, _CMP_ORD_Q), _mm512_min_ph(v, bound));
    };
    const __m512i a = whole(0), b = whole(32);
    const __m512i packed = To(-1) < To(0) ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
    store_bits(to, _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), packed));
}

/// 32 bytes to half; exact.
template <typename From>
PTO_INLINE void convert_bytes_to_half(half* to, const From* from)
{
    const __m256i bytes = load_bits<__m256i>(from);
    const __m512i whole = is_same<From, int8_t> ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
    store_bits(to, (__m512i)_mm512_cvtepi16_ph(whole));
}

#endif

/// Converts as much of a line as there are whole groups of vectors, where there is a way that is shorter than one
/// vector of fp32 after the other. Returns how many elements that was.
template <typename To, typename From>
PTO_INLINE int64_t convert_groups(To* to, const From* from, int64_t n, bool nearest, bool saturate)
{
    int64_t i = 0;
    if constexpr ((is_same<From, float> || is_same<From, half>) && is_same<To, bfloat16_t>) {
        for (; nearest && i + 2 * kF32Lanes <= n; i += 2 * kF32Lanes) {
            store_two(to + i, load(from + i, Full{}), load(from + i + kF32Lanes, Full{}));
        }
    } else if constexpr (is_float<From> && !is_float<To> && sizeof(To) <= 2) {
        constexpr int kGroup = 64 / sizeof(To);
        for (; nearest && saturate && i + kGroup <= n; i += kGroup) {
            convert_to_narrow_integers(to + i, from + i);
        }
#if defined(__AVX512FP16__)
    } else if constexpr (is_same<To, half> && !is_float<From> && sizeof(From) == 1) {
        for (; i + 32 <= n; i += 32) {
            convert_bytes_to_half(to + i, from + i);
        }
#endif
    }
    return i;
}

}  // namespace pto::cpu
