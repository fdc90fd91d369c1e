// TCVT with AVX2. Included by cvt.hpp only.
#pragma once

namespace pto::cpu {

/// Rounding to nearest is part of the conversion below.
template <typename To>
PTO_INLINE f32v nearest_for_int(f32v v)
{
    return v;
}

PTO_INLINE __m256i is_number(f32v v) { return (__m256i)_mm256_cmp_ps((__m256)v, (__m256)v, _CMP_ORD_Q); }

/// Whole fp32 values as int32: saturated, NaN as 0. What is too large becomes the lowest int32, whose bits are flipped.
PTO_INLINE i32v saturated_int32(f32v v)
{
    const __m256i over = (__m256i)_mm256_cmp_ps((__m256)v, _mm256_set1_ps(2147483648.0f), _CMP_GE_OQ);
    const __m256i r = _mm256_and_si256(_mm256_cvtps_epi32((__m256)v), is_number(v));
    return (i32v)_mm256_xor_si256(r, over);
}

/// As saturated_int32 where only the sign and up to 31 bits matter: for types that saturate at less.
PTO_INLINE __m256i nearly_saturated(f32v v)
{
    const __m256 bounded = _mm256_min_ps((__m256)v, _mm256_set1_ps(2147483520.0f));
    return _mm256_and_si256(_mm256_cvtps_epi32(bounded), is_number(v));
}

/// Two vectors of int32 as 16 bits, saturated, in order.
template <typename To>
PTO_INLINE __m256i packed_words(__m256i a, __m256i b)
{
    const __m256i words = To(-1) < To(0) ? _mm256_packs_epi32(a, b) : _mm256_packus_epi32(a, b);
    return _mm256_permute4x64_epi64(words, 0xd8);
}

/// Two vectors of int16 as bytes, saturated, in order.
template <typename To>
PTO_INLINE __m256i packed_bytes(__m256i a, __m256i b)
{
    const __m256i bytes = To(-1) < To(0) ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
    return _mm256_permute4x64_epi64(bytes, 0xd8);
}

/// Stores fp32 values as integers of at most 32 bits: rounded to nearest, saturated, NaN as 0.
template <typename To, typename Extent>
PTO_INLINE void store_saturated(To* to, f32v v, Extent extent)
{
    if constexpr (is_same<To, int32_t>) {
        store_int(to, saturated_int32(v), extent);
        return;
    } else if constexpr (is_same<Extent, Full>) {
        const __m256i r = nearly_saturated(v);
        const __m128i low = _mm256_castsi256_si128(r), high = _mm256_extracti128_si256(r, 1);
        if constexpr (is_same<To, uint16_t>) {
            store_bits(to, _mm_packus_epi32(low, high));
        } else if constexpr (is_same<To, int16_t>) {
            store_bits(to, _mm_packs_epi32(low, high));
        } else {
            const __m128i words = _mm_packs_epi32(low, high);
            const __m128i bytes = To(-1) < To(0) ? _mm_packs_epi16(words, words) : _mm_packus_epi16(words, words);
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
        }
    } else {
        To lanes[kF32Lanes];
        store_saturated(lanes, v, Full{});
        __builtin_memcpy(to, lanes, extent.n * sizeof(To));
    }
}

/// 32 floats of any kind to 8 or 16 bits: saturated, NaN as 0.
template <typename To, typename From>
PTO_INLINE void convert_to_narrow(To* to, const From* from)
{
    const auto whole = [from](int u) __attribute__((always_inline)) {
        return nearly_saturated(load(from + kF32Lanes * u, Full{}));
    };
    if constexpr (sizeof(To) == 2) {
        store_bits(to, packed_words<To>(whole(0), whole(1)));
        store_bits(to + 16, packed_words<To>(whole(2), whole(3)));
    } else {
        const __m256i first = packed_words<int16_t>(whole(0), whole(1));
        store_bits(to, packed_bytes<To>(first, packed_words<int16_t>(whole(2), whole(3))));
    }
}

/// Converts as much of a line as there are whole groups of vectors, where there is a way that is shorter than one
/// vector of fp32 after the other. Returns how many elements that was.
template <typename To, typename From>
PTO_INLINE int64_t convert_groups(
    [[maybe_unused]] To* to, [[maybe_unused]] const From* from, [[maybe_unused]] int64_t n,
    [[maybe_unused]] bool nearest, [[maybe_unused]] bool saturate)
{
    int64_t i = 0;
    if constexpr (is_float<From> && !is_float<To> && sizeof(To) <= 2) {
        for (; nearest && saturate && i + 32 <= n; i += 32) {
            convert_to_narrow(to + i, from + i);
        }
    }
    return i;
}

}  // namespace pto::cpu
