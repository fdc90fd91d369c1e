// Predicates as bits: one bit for each lane of a comparison, and selection of raw elements by such bits.
#pragma once

#include <pto/cpu/lanes/raw.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

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

#if defined(PTO_CPU_AVX512)
#include <pto/cpu/lanes/lane_bits_avx512.hpp>
#elif defined(PTO_CPU_AVX2)
#include <pto/cpu/lanes/lane_bits_avx2.hpp>
#else
#include <pto/cpu/lanes/lane_bits_generic.hpp>
#endif
