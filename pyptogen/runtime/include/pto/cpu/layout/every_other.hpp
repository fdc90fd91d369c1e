// Every second element: pairs taken apart, such as real and imaginary parts, and put together again.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

#if defined(PTO_CPU_AVX512)

/// The elements of even index in 64 bytes of elements of Size bytes.
template <int Size>
PTO_INLINE auto even_elements(__m512i pairs)
{
    if constexpr (Size == 4) {
        return _mm512_cvtepi64_epi32(pairs);
    } else if constexpr (Size == 2) {
        return _mm512_cvtepi32_epi16(pairs);
    } else {
        return _mm512_cvtepi16_epi8(pairs);
    }
}

/// Stores 32 bytes of elements of Size bytes to every second place; what lies between stays, and is not even written.
template <int Size>
PTO_INLINE void store_even_elements(void* to, __m256i elements)
{
    if constexpr (Size == 4) {
        _mm512_mask_storeu_epi32(to, 0x5555, _mm512_cvtepu32_epi64(elements));
    } else if constexpr (Size == 2) {
        _mm512_mask_storeu_epi16(to, 0x55555555, _mm512_cvtepu16_epi32(elements));
    } else {
        _mm512_mask_storeu_epi8(to, 0x5555555555555555, _mm512_cvtepu8_epi16(elements));
    }
}

#endif

/// to[j] = from[2 * j]. Nothing behind the last element is read.
template <typename T>
PTO_INLINE void take_every_other(T* to, const T* from, int64_t length)
{
    int64_t j = 0;
#if defined(PTO_CPU_AVX512)
    if constexpr (sizeof(T) <= 4) {
        constexpr int64_t kCount = 32 / sizeof(T);
        for (; j + kCount < length; j += kCount) {
            store_bits(to + j, even_elements<sizeof(T)>(load_bits<__m512i>(from + 2 * j)));
        }
    }
#endif
    for (; j < length; ++j) {
        to[j] = from[2 * j];
    }
}

/// to[2 * j] = from[j]. What lies between is not touched: another core may write it meanwhile.
template <typename T>
PTO_INLINE void put_every_other(T* to, const T* from, int64_t length)
{
    int64_t j = 0;
#if defined(PTO_CPU_AVX512)
    if constexpr (sizeof(T) <= 4) {
        constexpr int64_t kCount = 32 / sizeof(T);
        for (; j + kCount <= length; j += kCount) {
            store_even_elements<sizeof(T)>(to + 2 * j, load_bits<__m256i>(from + j));
        }
    }
#endif
    for (; j < length; ++j) {
        to[2 * j] = from[j];
    }
}

}  // namespace pto::cpu
