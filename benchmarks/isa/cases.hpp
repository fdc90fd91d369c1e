// What the benchmark's shared objects export: a table of cases, each of which times itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include <time.h>

#include <pto/pto-inst.hpp>

namespace bench {

/// One thing that is measured. `run` does the work `repeats` times and returns the seconds that took.
struct Case {
    const char* name;
    const char* limit;    // what bounds it: the name of a case of machine.cpp
    double elements;      // per repeat
    double bytes_read;
    double bytes_written;
    double operations;    // arithmetic, where that is the bound
    double (*run)(int64_t repeats);
};

inline double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds for `repeats` calls of body, each of which has to be done in full.
template <typename Body>
inline double timed(int64_t repeats, Body body)
{
    const double start = now();
    for (int64_t i = 0; i < repeats; ++i) {
        body();
        asm volatile("" ::: "memory");
    }
    return now() - start;
}

/// Values between -2 and 2 without zeros: any type, never the same line twice.
template <typename T>
inline void fill(T* p, int64_t n, uint32_t seed = 1)
{
    uint32_t state = seed * 2654435761U + 12345U;
    for (int64_t i = 0; i < n; ++i) {
        state = state * 1664525U + 1013904223U;
        const float unit = static_cast<float>(state >> 9) * (1.0f / 8388608.0f);
        if constexpr (static_cast<T>(0.5f) == T(0)) {
            p[i] = static_cast<T>(1 + static_cast<int>(unit * 100));
        } else {
            p[i] = static_cast<T>((state & 256U) != 0 ? 0.1f + unit : -0.1f - unit);
        }
    }
}

}  // namespace bench
