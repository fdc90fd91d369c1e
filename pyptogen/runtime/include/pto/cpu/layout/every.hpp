// Lines of every second, fourth or eighth element.
#pragma once

#include <pto/cpu/core/atomics.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// Whether a group of Step elements of type T is an integer, whose lowest bytes are the first of them.
template <typename T, int64_t Step>
inline constexpr bool takes_every = (Step == 2 || Step == 4 || Step == 8) && Step * sizeof(T) <= 8;

/// to[i] = from[i * Step] for `length` elements: groups of Step elements are narrowed, vector by vector. Behind the last
/// element nothing is read.
template <int Step, typename T>
PTO_INLINE void every(T* to, const T* from, int64_t length)
{
    using Group = typename UnsignedOfSize<Step * int(sizeof(T))>::type;
    using One = typename UnsignedOfSize<sizeof(T)>::type;
    constexpr int kGroups = kVectorBytes / int(sizeof(Group));
    using Ones = typename VectorOf<One, kVectorBytes / Step>::type;
    const auto narrow = [&](int64_t i) __attribute__((always_inline)) {
        store_bits(to + i, __builtin_convertvector(load_bits<vec<Group>>(from + i * Step), Ones));
    };
    int64_t i = 0;
    if (length > kGroups) {
        for (; i + kGroups < length; i += kGroups) {
            narrow(i);
        }
        narrow(length - 1 - kGroups);
        i = length - 1;
    }
    for (; i < length; ++i) {
        to[i] = from[i * Step];
    }
}

}  // namespace pto::cpu
