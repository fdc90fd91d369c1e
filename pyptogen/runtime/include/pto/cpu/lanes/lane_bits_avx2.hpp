// Predicates as bits, with AVX2. Included by lane_bits.hpp only.
#pragma once

namespace pto::cpu {

/// Bit i is set where lane i of a comparison's result is true.
template <typename M>
PTO_INLINE uint64_t lane_bits(M mask)
{
    constexpr int kLane = static_cast<int>(sizeof(mask[0]));
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
}

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

/// Lane i of a where bit i is set, of b elsewhere. R is an unsigned integer type.
template <typename R>
PTO_INLINE vec<R> select_lanes(uint64_t bits, vec<R> a, vec<R> b)
{
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
}

/// Of 32 elements, whose bits are one word, lanes `first` to `first` + 7: those of a where the bit is set, of b elsewhere.
template <typename V>
PTO_INLINE V select_of_word(int32_t word, int first, V a, V b)
{
    const __m256i to_sign = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);  // how far the bit of a lane is from it
    const __m256i shifts = _mm256_sub_epi32(to_sign, _mm256_set1_epi32(first));
    const __m256 chosen = (__m256)_mm256_sllv_epi32(_mm256_set1_epi32(word), shifts);
    return (V)_mm256_blendv_ps((__m256)b, (__m256)a, chosen);
}

}  // namespace pto::cpu
