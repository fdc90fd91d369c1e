// Candidates of TTOPK a vector at a time: how many elements were done, what is left goes one by one.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

#if defined(PTO_CPU_AVX512)

/// Keys above and below a pivot.
PTO_INLINE int64_t split_vectors(
    const uint32_t* keys, int64_t n, uint32_t pivot, uint32_t* above, int64_t& more, uint32_t* below, int64_t& less)
{
    const __m512i middle = _mm512_set1_epi32(static_cast<int>(pivot));
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i x = _mm512_loadu_si512(keys + i);
        const __mmask16 up = _mm512_cmpgt_epu32_mask(x, middle), down = _mm512_cmplt_epu32_mask(x, middle);
        _mm512_storeu_si512(above + more, _mm512_maskz_compress_epi32(up, x));
        _mm512_storeu_si512(below + less, _mm512_maskz_compress_epi32(down, x));
        more += __builtin_popcount(up);
        less += __builtin_popcount(down);
    }
    return i;
}

/// Those of a block of keys that are above the floor, or all, behind the candidates; `first` is the place of the first
/// one.
PTO_INLINE int64_t append_vectors(
    uint32_t* keys, uint32_t* positions, int64_t& count, const uint32_t* block, int64_t n, uint32_t first,
    uint32_t floor, bool all)
{
    const __m512i least = _mm512_set1_epi32(static_cast<int>(floor));
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i x = _mm512_loadu_si512(block + i);
        const __mmask16 in = all ? __mmask16(0xffff) : _mm512_cmpgt_epu32_mask(x, least);
        if (in == 0) {
            continue;
        }
        const __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first + i)));
        _mm512_storeu_si512(keys + count, _mm512_maskz_compress_epi32(in, x));
        _mm512_storeu_si512(positions + count, _mm512_maskz_compress_epi32(in, at));
        count += __builtin_popcount(in);
    }
    return i;
}

/// Moves the candidates that are above the floor together, and the first `equal` ones that equal it.
PTO_INLINE int64_t
keep_vectors(uint32_t* keys, uint32_t* positions, int64_t count, uint32_t floor, int64_t& kept, int64_t& equal)
{
    const __m512i least = _mm512_set1_epi32(static_cast<int>(floor));
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512i x = _mm512_loadu_si512(keys + i), at = _mm512_loadu_si512(positions + i);
        __mmask16 in = _mm512_cmpgt_epu32_mask(x, least), same = _mm512_cmpeq_epi32_mask(x, least);
        while (__builtin_popcount(same) > equal) {
            same = static_cast<__mmask16>(same & ~(0x8000U >> (__builtin_clz(same) - 16)));
        }
        equal -= __builtin_popcount(same);
        in |= same;
        _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi32(in, x));
        _mm512_storeu_si512(positions + kept, _mm512_maskz_compress_epi32(in, at));
        kept += __builtin_popcount(in);
    }
    return i;
}

#else

PTO_INLINE int64_t split_vectors(const uint32_t*, int64_t, uint32_t, uint32_t*, int64_t&, uint32_t*, int64_t&)
{
    return 0;
}
PTO_INLINE int64_t append_vectors(uint32_t*, uint32_t*, int64_t&, const uint32_t*, int64_t, uint32_t, uint32_t, bool)
{
    return 0;
}
PTO_INLINE int64_t keep_vectors(uint32_t*, uint32_t*, int64_t, uint32_t, int64_t&, int64_t&) { return 0; }

#endif

}  // namespace pto::cpu
