// Division of vectors of integers by way of floating point, where that is exact.
//
// The quotient truncates; a division by zero gives 0, and the lowest value over -1 wraps. Included by operators.hpp
// only.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// One pair of 64-bit integers.
template <typename T>
PTO_INLINE T divided_one(T a, T b)
{
    if (b == 0) {
        return 0;
    }
    if (T(-1) < T(0) && b == T(-1)) {
        return static_cast<T>(uint64_t(0) - static_cast<uint64_t>(a));
    }
    return a / b;
}

/// Up to 16 bits: a quotient of whole numbers below 2^16 never rounds up to a whole number in fp32.
template <typename T>
PTO_INLINE void divide_short(T* q, const T* a, const T* b)
{
    const i32v x = load_int(a, Full{}), y = load_int(b, Full{});
    const i32v safe = y == 0 ? splat<int32_t>(1) : y;
    const i32v quotient =
        __builtin_convertvector(__builtin_convertvector(x, f32v) / __builtin_convertvector(safe, f32v), i32v);
    store_int(q, y == 0 ? i32v{} : quotient, Full{});
}

/// 32 bits: the same in fp64, half a vector at a time.
template <typename T>
PTO_INLINE void divide_words(T* q, const T* a, const T* b)
{
    typedef typename VectorOf<T, kVectorBytes / 2>::type half_vector;
    const half_vector y = load_bits<half_vector>(b);
    const half_vector safe = y == 0 ? y - y + 1 : y;
    const vec<double> exact =
        __builtin_convertvector(load_bits<half_vector>(a), vec<double>) / __builtin_convertvector(safe, vec<double>);
    const half_vector quotient = __builtin_convertvector(__builtin_convertvector(exact, vec<int64_t>), half_vector);
    store_bits(q, y == 0 ? y - y : quotient);
}

template <typename T>
PTO_INLINE vec<T> divided(vec<T> a, vec<T> b)
{
    constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
    T x[kCount], y[kCount], q[kCount];
    store_bits(x, a);
    store_bits(y, b);
    if constexpr (sizeof(T) < 4) {
        for (int i = 0; i < kCount; i += kF32Lanes) {
            divide_short(q + i, x + i, y + i);
        }
    } else if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < kCount; i += kCount / 2) {
            divide_words(q + i, x + i, y + i);
        }
    } else {
        for (int i = 0; i < kCount; ++i) {
            q[i] = divided_one<T>(x[i], y[i]);
        }
    }
    return load_bits<vec<T>>(q);
}

}  // namespace pto::cpu
