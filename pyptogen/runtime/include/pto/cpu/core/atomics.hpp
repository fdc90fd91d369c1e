// Read-modify-write of elements of global memory that other cores may change at the same time.
#pragma once

#include <pto/cpu/lanes/operators.hpp>
#include <pto/cpu/lanes/raw.hpp>

namespace pto::cpu {

/// *at = f(*at), as one step.
template <typename T, typename F>
inline void atomic_update(T* at, F f)
{
    using Bits = raw_t<T>;
    Bits* memory = reinterpret_cast<Bits*>(at);
    Bits seen = __atomic_load_n(memory, __ATOMIC_RELAXED);
    Bits wanted;
    do {
        wanted = __builtin_bit_cast(Bits, static_cast<T>(f(__builtin_bit_cast(T, seen))));
    } while (!__atomic_compare_exchange_n(memory, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/// *at += value; integers wrap, narrow floats are added in fp32 and rounded once.
template <typename T>
inline void atomic_add(T* at, T value)
{
    if constexpr (is_integer<T>) {
        using Bits = raw_t<T>;
        __atomic_fetch_add(reinterpret_cast<Bits*>(at), static_cast<Bits>(value), __ATOMIC_RELAXED);
    } else {
        atomic_update(at, [value](T old) {
            return static_cast<T>(static_cast<compute_t<T>>(old) + static_cast<compute_t<T>>(value));
        });
    }
}

}  // namespace pto::cpu
