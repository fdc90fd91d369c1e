// Vectors of one machine register: loads with conversion to the type that is computed in, stores with rounding.
//
// half and bfloat16_t are computed in fp32, one vector of fp32 at a time; every other type in its own width. A load or
// store takes Full{} or Part{n}: with Part only the first n lanes are accessed in memory.
#pragma once

#include <pto/common/type.hpp>

#if !defined(PTO_PORTABLE) && defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512DQ__)
#define PTO_CPU_AVX512 1
#elif !defined(PTO_PORTABLE) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define PTO_CPU_AVX2 1
#endif

// What is beside AVX-512.
#if defined(PTO_CPU_AVX512) && defined(__AVX512BF16__)
#define PTO_CPU_BF16 1
#endif
#if defined(PTO_CPU_AVX512) && defined(__AVX512VNNI__)
#define PTO_CPU_VNNI 1
#endif
#if defined(PTO_CPU_AVX512) && defined(__AVX512VBMI__)
#define PTO_CPU_VBMI 1
#endif
#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)
#define PTO_CPU_FP16 1
#endif
#if defined(PTO_CPU_AVX512) && defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__AMX_BF16__)
#define PTO_CPU_AMX 1
#endif

#if defined(PTO_CPU_AVX512) || defined(PTO_CPU_AVX2)
#define PTO_CPU_STREAMS 1  // stores that go around the cache, which a release has to wait for
// gcc 12 writes "undefined" operands as variables initialised with themselves and then warns about them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#if defined(__clang__)
#define PTO_CPU_UNROLL _Pragma("clang loop unroll(full)")
#define PTO_CPU_UNROLL_BY_4 _Pragma("clang loop unroll_count(4)")
#define PTO_CPU_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define PTO_CPU_UNROLL _Pragma("GCC unroll 16")
#define PTO_CPU_UNROLL_BY_4 _Pragma("GCC unroll 4")
#define PTO_CPU_ROLLED _Pragma("GCC unroll 1")
#endif

namespace pto::cpu {

// What the machine has, for algorithms that do something else without it. Functions that use its instructions stand in
// parts of their own, and are called where these say so.
#if defined(PTO_CPU_AVX512)
inline constexpr bool kHasAvx512 = true, kHasAvx2 = false;
#elif defined(PTO_CPU_AVX2)
inline constexpr bool kHasAvx512 = false, kHasAvx2 = true;
#else
inline constexpr bool kHasAvx512 = false, kHasAvx2 = false;
#endif
/// One of the vector units that these headers have instructions for.
inline constexpr bool kHasVectorUnit = kHasAvx512 || kHasAvx2;

#if defined(PTO_CPU_BF16)
inline constexpr bool kHasBf16 = true;  ///< conversions to bf16, dot products of it
#else
inline constexpr bool kHasBf16 = false;
#endif
#if defined(PTO_CPU_VNNI)
inline constexpr bool kHasByteDots = true;
#else
inline constexpr bool kHasByteDots = false;
#endif
#if defined(PTO_CPU_VBMI)
inline constexpr bool kHasBytePermutes = true;
#else
inline constexpr bool kHasBytePermutes = false;
#endif
#if defined(PTO_CPU_FP16)
inline constexpr bool kHasHalfArithmetic = true;
#else
inline constexpr bool kHasHalfArithmetic = false;
#endif
#if defined(PTO_CPU_AMX)
inline constexpr bool kHasMatrixUnit = true;
#else
inline constexpr bool kHasMatrixUnit = false;
#endif

#if defined(PTO_CPU_AVX512)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T, int Bytes = kVectorBytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes)));
};
template <typename T>
using vec = typename VectorOf<T>::type;
using f32v = vec<float>;
using i32v = vec<int32_t>;
using u32v = vec<uint32_t>;

constexpr int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

template <typename A, typename B>
inline constexpr bool is_same = false;
template <typename A>
inline constexpr bool is_same<A, A> = true;

template <typename T>
inline constexpr bool is_half_width_float = is_same<T, half> || is_same<T, bfloat16_t>;
template <typename T>
inline constexpr bool is_float = is_same<T, float> || is_half_width_float<T>;

/// The type that values of T are computed in, and how many of them one vector holds.
template <typename T, bool = is_float<T>>
struct Compute {
    using type = T;
};
template <typename T>
struct Compute<T, true> {
    using type = float;
};
template <typename T>
using compute_t = typename Compute<T>::type;
template <typename T>
using compute_vec = vec<compute_t<T>>;
template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(compute_t<T>));
constexpr int kF32Lanes = kLanes<float>;

struct Full {};
struct Part {
    int n;
};

template <typename V, typename P>
PTO_INLINE V load_bits(const P* p)
{
    V v;
    __builtin_memcpy(&v, p, sizeof(V));
    return v;
}
template <typename V, typename P>
PTO_INLINE void store_bits(P* p, V v)
{
    __builtin_memcpy(p, &v, sizeof(V));
}

template <typename T>
PTO_INLINE vec<T> splat(T value)
{
    return value - vec<T>{};
}

/// Lane numbers 0, 1, 2, ... in a vector of T.
template <typename T>
PTO_INLINE vec<T> lane_numbers()
{
    vec<T> v{};
    for (int i = 0; i < kVectorBytes / static_cast<int>(sizeof(T)); ++i) {
        v[i] = static_cast<T>(i);
    }
    return v;
}

/// Two vectors side by side as bf16, denormals as zeros; where kHasBf16.
template <typename T>
PTO_INLINE void store_two_flushed(T* p, f32v low, f32v high);

}  // namespace pto::cpu

#if defined(PTO_CPU_AVX512)
#include <pto/cpu/lanes/simd_avx512.hpp>

#include <pto/cpu/lanes/arithmetic_avx512.hpp>
#elif defined(PTO_CPU_AVX2)
#include <pto/cpu/lanes/simd_avx2.hpp>

#include <pto/cpu/lanes/arithmetic_avx2.hpp>
#else
#include <pto/cpu/lanes/simd_generic.hpp>

#include <pto/cpu/lanes/arithmetic_generic.hpp>
#endif

namespace pto::cpu {

/// A partial load whose missing lanes are `fill` instead of zero.
template <typename T>
PTO_INLINE compute_vec<T> load_or(const T* p, Full, compute_t<T>)
{
    return load(p, Full{});
}
template <typename T>
PTO_INLINE compute_vec<T> load_or(const T* p, Part part, compute_t<T> fill)
{
    compute_vec<T> v = load(p, part);
    for (int i = 0; i < kLanes<T>; ++i) {
        v[i] = i < part.n ? v[i] : fill;
    }
    return v;
}

PTO_INLINE f32v only(Full, f32v v, float) { return v; }

/// Runs body(first, extent) over n elements in vectors of `Lanes`, `Unroll` per iteration, then the tail as a Part.
template <int Lanes, int Unroll, typename Body>
PTO_INLINE void sweep(int64_t n, Body body)
{
    int64_t i = 0;
    if constexpr (Unroll > 1) {
        for (; i + Unroll * Lanes <= n; i += Unroll * Lanes) {
            PTO_CPU_UNROLL
            for (int u = 0; u < Unroll; ++u) {
                body(i + u * Lanes, Full{});
            }
        }
    }
    for (; i + Lanes <= n; i += Lanes) {
        body(i, Full{});
    }
    if (i < n) {
        body(i, Part{static_cast<int>(n - i)});
    }
}

}  // namespace pto::cpu
