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

/// What the machine's conversions make of NaN and of numbers that do not fit: the lowest integer. Vectors with one of
/// those, which may be right, are converted again, carefully.
PTO_INLINE bool has_lowest_dword(__m512i v)
{
    return _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(static_cast<int>(0x80000000U))) != 0;
}
PTO_INLINE bool has_lowest_word(__m512i v)
{
    return _mm512_cmpeq_epi16_mask(v, _mm512_set1_epi16(static_cast<short>(0x8000))) != 0;
}
PTO_INLINE __m512i converted(f32v v) { return _mm512_cvtps_epi32((__m512)v); }

/// 64 fp32 to int32: saturated, NaN as 0.
PTO_INLINE void convert_to_int32(int32_t* to, const float* from)
{
    i32v r[4];
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        r[u] = (i32v)converted(load(from + 16 * u, Full{}));
    }
    const __m512i least = _mm512_min_epi32(
        _mm512_min_epi32((__m512i)r[0], (__m512i)r[1]), _mm512_min_epi32((__m512i)r[2], (__m512i)r[3]));
    if (__builtin_expect(has_lowest_dword(least), 0)) {
        for (int u = 0; u < 4; ++u) {
            r[u] = saturated_int32(load(from + 16 * u, Full{}));
        }
    }
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        store_bits(to + 16 * u, r[u]);
    }
}

#if defined(PTO_CPU_BF16)

/// 64 floats to bf16. As store_two; results of two conversions share the look for zeros. No half is a denormal in bf16.
template <typename From>
PTO_INLINE void convert_to_bf16(bfloat16_t* to, const From* from)
{
    f32v v[4];
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        v[u] = load(from + 16 * u, Full{});
    }
    const __m512i first = (__m512i)_mm512_cvtne2ps_pbh((__m512)v[1], (__m512)v[0]);
    const __m512i second = (__m512i)_mm512_cvtne2ps_pbh((__m512)v[3], (__m512)v[2]);
    const __m512i magnitude = _mm512_set1_epi16(0x7fff);
    const __mmask32 none = _mm512_testn_epi16_mask(first, magnitude), nor = _mm512_testn_epi16_mask(second, magnitude);
    if (is_same<From, float> && __builtin_expect(_kortestz_mask32_u8(none, nor) == 0, 0)) {
        store_two(to, v[0], v[1]);
        store_two(to + 32, v[2], v[3]);
        return;
    }
    store_bits(to, first);
    store_bits(to + 32, second);
}

#endif

/// 128 floats of any kind to 16 bits: saturated, NaN as 0.
template <typename To, typename From>
PTO_INLINE void convert_to_words(To* to, const From* from)
{
    constexpr bool kSigned = To(-1) < To(0);  // packed int16 still show the lowest int32: as their own lowest
    const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    const auto packed = [](__m512i a, __m512i b) __attribute__((always_inline)) {
        return kSigned ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b);
    };
    __m512i w[4], least;
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        const __m512i a = converted(load(from + 32 * u, Full{})), b = converted(load(from + 32 * u + 16, Full{}));
        w[u] = packed(a, b);
        const __m512i low = kSigned ? w[u] : _mm512_min_epi32(a, b);
        least = u == 0 ? low : kSigned ? _mm512_min_epi16(least, low) : _mm512_min_epi32(least, low);
    }
    if (__builtin_expect(kSigned ? has_lowest_word(least) : has_lowest_dword(least), 0)) {
        for (int u = 0; u < 4; ++u) {
            const f32v a = load(from + 32 * u, Full{}), b = load(from + 32 * u + 16, Full{});
            w[u] = packed(nearly_saturated(a), nearly_saturated(b));
        }
    }
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        store_bits(to + 32 * u, _mm512_permutexvar_epi64(order, w[u]));
    }
}

/// Two vectors of int16 as bytes, saturated; 8 bytes of the one and of the other in turn.
template <typename To>
PTO_INLINE __m512i packed_bytes(__m512i a, __m512i b)
{
    return To(-1) < To(0) ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
}

/// 128 floats of any kind to 8 bits: saturated, NaN as 0.
template <typename To, typename From>
PTO_INLINE void convert_to_bytes(To* to, const From* from)
{
    const auto words = [from](int at) __attribute__((always_inline)) {
        return _mm512_packs_epi32(converted(load(from + at, Full{})), converted(load(from + at + 16, Full{})));
    };
    const auto careful = [from](int at) __attribute__((always_inline)) {
        return _mm512_packs_epi32(
            nearly_saturated(load(from + at, Full{})), nearly_saturated(load(from + at + 16, Full{})));
    };
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    __m512i w[4];
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        w[u] = words(32 * u);
    }
    if (__builtin_expect(
            has_lowest_word(_mm512_min_epi16(_mm512_min_epi16(w[0], w[1]), _mm512_min_epi16(w[2], w[3]))), 0)) {
        for (int u = 0; u < 4; ++u) {
            w[u] = careful(32 * u);
        }
    }
    store_bits(to, _mm512_permutexvar_epi32(order, packed_bytes<To>(w[0], w[1])));
    store_bits(to + 64, _mm512_permutexvar_epi32(order, packed_bytes<To>(w[2], w[3])));
}

/// As how many bytes at a time convert_bytes_to_half takes values of From, 0 where it does not.
template <typename From>
inline constexpr int kBytesToHalf = 0;

#if defined(PTO_CPU_FP16)

/// 128 halves to 8 bits: saturated, NaN as 0.
template <typename To>
PTO_INLINE void convert_to_bytes(To* to, const half* from)
{
    const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    __m512i w[4];
    PTO_CPU_UNROLL
    for (int u = 0; u < 4; ++u) {
        w[u] = _mm512_cvtph_epi16((__m512h)load_bits<__m512i>(from + 32 * u));
    }
    if (__builtin_expect(
            has_lowest_word(_mm512_min_epi16(_mm512_min_epi16(w[0], w[1]), _mm512_min_epi16(w[2], w[3]))), 0)) {
        for (int u = 0; u < 4; ++u) {
            const __m512h v = (__m512h)load_bits<__m512i>(from + 32 * u);
            const __m512h bound = _mm512_set1_ph(static_cast<_Float16>(1000.0f));  // int16 holds it, and 8 bits do not
            w[u] = _mm512_maskz_cvtph_epi16(_mm512_cmp_ph_mask(v, v, _CMP_ORD_Q), _mm512_min_ph(v, bound));
        }
    }
    store_bits(to, _mm512_permutexvar_epi64(order, packed_bytes<To>(w[0], w[1])));
    store_bits(to + 64, _mm512_permutexvar_epi64(order, packed_bytes<To>(w[2], w[3])));
}

template <>
inline constexpr int kBytesToHalf<int8_t> = 32;
template <>
inline constexpr int kBytesToHalf<uint8_t> = 32;

/// 32 bytes to half; exact.
template <typename From>
PTO_INLINE void convert_bytes_to_half(half* to, const From* from)
{
    const __m256i bytes = load_bits<__m256i>(from);
    const __m512i whole = is_same<From, int8_t> ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
    store_bits(to, (__m512i)_mm512_cvtepi16_ph(whole));
}

#elif defined(PTO_CPU_VBMI)

/// The bits of half for 0 to 127: the lower bytes of all of them, then the upper bytes.
struct HalvesOfBytes {
    alignas(64) uint8_t bytes[2][128] = {};

    constexpr HalvesOfBytes()
    {
        for (int value = 1; value < 128; ++value) {
            int exponent = 0;
            while (value >> (exponent + 1) != 0) {
                ++exponent;
            }
            const int bits = ((exponent + 15) << 10) | ((value << (10 - exponent)) & 0x3ff);
            bytes[0][value] = static_cast<uint8_t>(bits);
            bytes[1][value] = static_cast<uint8_t>(bits >> 8);
        }
    }
};
inline constexpr HalvesOfBytes kHalvesOfBytes;

template <>
inline constexpr int kBytesToHalf<int8_t> = 64;

/// 64 int8 to half; exact. Magnitudes are looked up, all but that of -128.
PTO_INLINE void convert_bytes_to_half(half* to, const int8_t* from)
{
    const auto looked_up = [](__m512i at, int which) __attribute__((always_inline)) {
        const uint8_t* table = kHalvesOfBytes.bytes[which];
        return _mm512_permutex2var_epi8(load_bits<__m512i>(table), at, load_bits<__m512i>(table + 64));
    };
    const __m512i order = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), sign = _mm512_set1_epi8(static_cast<char>(0x80));
    const __m512i v = _mm512_permutexvar_epi64(order, load_bits<__m512i>(from)), magnitude = _mm512_abs_epi8(v);
    const __m512i lower = looked_up(magnitude, 0);
    const __m512i upper = _mm512_mask_blend_epi8(
        _mm512_cmpeq_epi8_mask(v, sign), looked_up(magnitude, 1), _mm512_set1_epi8(0x58));  // 128 is 0x5800
    constexpr int kOrOfAnd = 0xf8;  // a | (b & c)
    const __m512i with_sign = _mm512_ternarylogic_epi64(upper, v, sign, kOrOfAnd);
    store_bits(to, _mm512_unpacklo_epi8(lower, with_sign));
    store_bits(to + 32, _mm512_unpackhi_epi8(lower, with_sign));
}

#endif

/// Converts as much of a line as there are whole groups of vectors, where there is a way that is shorter than one
/// vector of fp32 after the other. Returns how many elements that was.
template <typename To, typename From>
PTO_INLINE int64_t convert_groups(To* to, const From* from, int64_t n, bool nearest, bool saturate)
{
    int64_t i = 0;
    if constexpr ((is_same<From, float> || is_same<From, half>) && is_same<To, bfloat16_t>) {
        if constexpr (kHasBf16) {
            for (; nearest && i + 64 <= n; i += 64) {
                convert_to_bf16(to + i, from + i);
            }
        }
        for (; nearest && i + 2 * kF32Lanes <= n; i += 2 * kF32Lanes) {
            store_two(to + i, load(from + i, Full{}), load(from + i + kF32Lanes, Full{}));
        }
    } else if constexpr (is_same<From, float> && is_same<To, int32_t>) {
        for (; nearest && i + 64 <= n; i += 64) {
            convert_to_int32(to + i, from + i);
        }
    } else if constexpr (is_float<From> && !is_float<To> && sizeof(To) == 2) {
        for (; nearest && saturate && i + 128 <= n; i += 128) {
            convert_to_words(to + i, from + i);
        }
    } else if constexpr (is_float<From> && !is_float<To> && sizeof(To) == 1) {
        for (; nearest && saturate && i + 128 <= n; i += 128) {
            convert_to_bytes(to + i, from + i);
        }
    } else if constexpr (is_same<To, half> && kBytesToHalf<From> != 0) {
        for (; i + kBytesToHalf<From> <= n; i += kBytesToHalf<From>) {
            convert_bytes_to_half(to + i, from + i);
        }
    }
    return i;
}

}  // namespace pto::cpu
