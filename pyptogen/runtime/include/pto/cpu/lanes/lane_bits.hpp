// Predicates as bits: one bit for each lane of a comparison, and selection of raw elements by such bits.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// The unsigned integer that has the size of T; elements that are only moved are handled as such.
template <int Bytes>
struct RawOfSize;
template <>
struct RawOfSize<1> {
    using type = uint8_t;
};
template <>
struct RawOfSize<2> {
    using type = uint16_t;
};
template <>
struct RawOfSize<4> {
    using type = uint32_t;
};
template <>
struct RawOfSize<8> {
    using type = uint64_t;
};
template <typename T>
using raw_t = typename RawOfSize<sizeof(T)>::type;

/// Bit i is set where lane i of a comparison's result is true.
template <typename M>
PTO_INLINE uint64_t lane_bits(M mask)
{
    constexpr int kLane = static_cast<int>(sizeof(mask[0]));
#if defined(PTO_CPU_AVX512)
    if constexpr (kLane == 1) {
        return _mm512_movepi8_mask((__m512i)mask);
    } else if constexpr (kLane == 2) {
        return _mm512_movepi16_mask((__m512i)mask);
    } else if constexpr (kLane == 4) {
        return _mm512_movepi32_mask((__m512i)mask);
    } else {
        return _mm512_movepi64_mask((__m512i)mask);
    }
#elif defined(PTO_CPU_AVX2)
    if constexpr (kLane == 1) {
        return static_cast<uint32_t>(_mm256_movemask_epi8((__m256i)mask));
    } else if constexpr (kLane == 2) {
        const __m256i m = (__m256i)mask;
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
        return static_cast<uint32_t>(_mm_movemask_epi8(bytes));
    } else if constexpr (kLane == 4) {
        return static_cast<uint32_t>(_mm256_movemask_ps((__m256)mask));
    } else {
        return static_cast<uint32_t>(_mm256_movemask_pd((__m256d)mask));
    }
#else
    uint64_t bits = 0;
    for (int i = 0; i < kVectorBytes / kLane; ++i) {
        bits |= static_cast<uint64_t>(mask[i] & 1) << i;
    }
    return bits;
#endif
}

#if defined(PTO_CPU_AVX2)
/// As lane_bits, of masks of 32 lanes in all, whose lanes have 2 or 4 bytes: packed to one byte a lane first.
template <typename M, int Count>
PTO_INLINE uint64_t packed_lane_bits(const M (&masks)[Count])
{
    const __m256i* m = reinterpret_cast<const __m256i*>(masks);
    if constexpr (Count == 2) {
        const __m256i bytes = _mm256_packs_epi16(m[0], m[1]);
        return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8)));
    } else {
        static_assert(Count == 4);
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packing works in each half
        const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(m[0], m[1]), _mm256_packs_epi32(m[2], m[3]));
        return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)));
    }
}
#endif

/// Lane i of a where bit i is set, of b elsewhere. R is an unsigned integer type.
template <typename R>
PTO_INLINE vec<R> select_lanes(uint64_t bits, vec<R> a, vec<R> b)
{
#if defined(PTO_CPU_AVX512)
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
#elif defined(PTO_CPU_AVX2)
    __m256i of_lane, spread;  // the bit of each lane, and where it would be
    if constexpr (sizeof(R) == 1) {
        const __m256i byte_of_lane = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
        of_lane = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
        spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte_of_lane);
    } else if constexpr (sizeof(R) == 2) {
        of_lane = (__m256i)(splat<uint16_t>(1) << lane_numbers<uint16_t>());
        spread = _mm256_set1_epi16(static_cast<short>(bits));
    } else if constexpr (sizeof(R) == 4) {
        of_lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        spread = _mm256_set1_epi32(static_cast<int>(bits));
    } else {
        of_lane = _mm256_setr_epi64x(1, 2, 4, 8);
        spread = _mm256_set1_epi64x(static_cast<long long>(bits));
    }
    const __m256i chosen = (__m256i)((vec<R>)_mm256_and_si256(spread, of_lane) == (vec<R>)of_lane);
    return (vec<R>)_mm256_blendv_epi8((__m256i)b, (__m256i)a, chosen);
#else
    for (int i = 0; i < kVectorBytes / static_cast<int>(sizeof(R)); ++i) {
        b[i] = (bits >> i) & 1 ? a[i] : b[i];
    }
    return b;
#endif
}

/// Up to 64 bits that start at a bit of a mask row; `count` of them are read, the others are 0.
PTO_INLINE uint64_t load_mask_bits(const char* row, int64_t first, int count)
{
    uint64_t bits = 0;
    const int64_t byte = first >> 3;
    const int shift = static_cast<int>(first & 7);
    __builtin_memcpy(&bits, row + byte, static_cast<size_t>((count + shift + 7) >> 3));
    return bits >> shift;
}

}  // namespace pto::cpu
