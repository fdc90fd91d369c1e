// Lines of every second, fourth or eighth element: pairs taken apart, such as real and imaginary parts, and put
// together again.
#pragma once

#include <pto/cpu/lanes/raw.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// Whether a group of Step elements of type T is an integer, whose lowest bytes are the first of them.
template <typename T, int64_t Step>
inline constexpr bool takes_every = (Step == 2 || Step == 4 || Step == 8) && Step * sizeof(T) <= 8;

/// to[i] = from[i * Step] for `length` elements: groups of Step elements are narrowed, vector by vector. Behind the
/// last element nothing is read.
template <int Step, typename T>
PTO_INLINE void take_every(T* to, const T* from, int64_t length)
{
    int64_t i = 0;
    if constexpr (takes_every<T, Step>) {
        using Group = raw_of_size_t<Step* int(sizeof(T))>;
        using One = raw_t<T>;
        constexpr int kGroups = kVectorBytes / int(sizeof(Group));
        using Ones = typename VectorOf<One, kVectorBytes / Step>::type;
        const auto narrow = [&](int64_t at) __attribute__((always_inline)) {
            store_bits(to + at, __builtin_convertvector(load_bits<vec<Group>>(from + at * Step), Ones));
        };
        if (length > kGroups) {
            for (; i + kGroups < length; i += kGroups) {
                narrow(i);
            }
            narrow(length - 1 - kGroups);
            i = length - 1;
        }
    }
    for (; i < length; ++i) {
        to[i] = from[i * Step];
    }
}

#if defined(PTO_CPU_AVX512)

/// Stores 32 bytes of elements to every second place; what lies between stays, and is not even written.
template <typename T>
PTO_INLINE void store_even_elements(T* to, const T* from)
{
    const __m256i elements = load_bits<__m256i>(from);
    if constexpr (sizeof(T) == 4) {
        _mm512_mask_storeu_epi32(to, 0x5555, _mm512_cvtepu32_epi64(elements));
    } else if constexpr (sizeof(T) == 2) {
        _mm512_mask_storeu_epi16(to, 0x55555555, _mm512_cvtepu16_epi32(elements));
    } else {
        _mm512_mask_storeu_epi8(to, 0x5555555555555555, _mm512_cvtepu8_epi16(elements));
    }
}

#endif

/// to[2 * i] = from[i]. What lies between is not accessed: another core may write it meanwhile.
template <typename T>
PTO_INLINE void put_every_second(T* to, const T* from, int64_t length)
{
    int64_t i = 0;
    if constexpr (kHasAvx512 && sizeof(T) <= 4) {
        constexpr int64_t kCount = 32 / sizeof(T);
        for (; i + kCount <= length; i += kCount) {
            store_even_elements(to + 2 * i, from + i);
        }
    }
    for (; i < length; ++i) {
        to[2 * i] = from[i];
    }
}

}  // namespace pto::cpu
