// The arithmetic of the elementwise instructions on vectors of T (fp32 for the narrow floats).
//
// Integer arithmetic wraps. max and min propagate NaN, as IEEE 754-2019 maximum/minimum and numpy do.
#pragma once

#include <pto/cpu/lanes/integer_divide.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

template <typename T>
struct Unsigned {
    using type = T;
};
template <>
struct Unsigned<int8_t> {
    using type = uint8_t;
};
template <>
struct Unsigned<int16_t> {
    using type = uint16_t;
};
template <>
struct Unsigned<int32_t> {
    using type = uint32_t;
};
template <>
struct Unsigned<int64_t> {
    using type = uint64_t;
};

template <typename T>
inline constexpr bool is_integer =
    is_same<T, int8_t> || is_same<T, int16_t> || is_same<T, int32_t> || is_same<T, int64_t> || is_same<T, uint8_t> ||
    is_same<T, uint16_t> || is_same<T, uint32_t> || is_same<T, uint64_t>;

/// Vector type in which the arithmetic of T cannot overflow into undefined behaviour.
template <typename T>
using wrap_vec = vec<typename Unsigned<T>::type>;

struct Add {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return (vec<T>)((wrap_vec<T>)a + (wrap_vec<T>)b);
    }
    template <typename T>
    static constexpr T neutral()
    {
        return T(0);
    }
};

struct Sub {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return (vec<T>)((wrap_vec<T>)a - (wrap_vec<T>)b);
    }
};

struct Mul {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
#if defined(PTO_CPU_AVX512)
        if constexpr (sizeof(T) == 1) {
            // Products of the even bytes in 16-bit lanes, whose low bytes do not depend on the odd ones; and those of the odd
            // bytes as sums of two products of which one is of zero. The low bytes of both are put side by side.
            const __m512i x = (__m512i)a, y = (__m512i)b, upper = _mm512_set1_epi16(static_cast<short>(0xff00));
            const __m512i even = _mm512_mullo_epi16(x, y);
            const __m512i odd = _mm512_maddubs_epi16(x, _mm512_and_si512(y, upper));
            const __m512i low_bytes = _mm512_set4_epi32(0x0e000c00, 0x0a000800, 0x06000400, 0x02000000);
            return (vec<T>)_mm512_mask_shuffle_epi8(even, 0xaaaaaaaaaaaaaaaaULL, odd, low_bytes);
        }
#elif defined(PTO_CPU_AVX2)
        if constexpr (sizeof(T) == 1) {  // the same, put together by a shift
            const __m256i x = (__m256i)a, y = (__m256i)b, upper = _mm256_set1_epi16(static_cast<short>(0xff00));
            const __m256i even = _mm256_mullo_epi16(x, y);
            const __m256i odd = _mm256_maddubs_epi16(x, _mm256_and_si256(y, upper));
            return (vec<T>)_mm256_blendv_epi8(even, _mm256_slli_epi16(odd, 8), upper);
        }
#endif
        return (vec<T>)((wrap_vec<T>)a * (wrap_vec<T>)b);
    }
    template <typename T>
    static constexpr T neutral()
    {
        return T(1);
    }
};

/// Integer division truncates; a division by zero gives 0, and the lowest value over -1 wraps.
struct Div {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        if constexpr (is_same<T, float>) {
            return a / b;
        } else {
            return divided<T>(a, b);
        }
    }
};

template <typename T>
constexpr T highest()
{
    if constexpr (is_same<T, float>) {
        return __builtin_inff();
    } else {
        using U = typename Unsigned<T>::type;
        return T(-1) < T(0) ? static_cast<T>(static_cast<U>(~U(0)) >> 1) : static_cast<T>(~U(0));
    }
}
template <typename T>
constexpr T lowest()
{
    if constexpr (is_same<T, float>) {
        return -__builtin_inff();
    } else {
        return static_cast<T>(~highest<T>());
    }
}

struct Max {
    /// As apply, but a NaN may get lost.
#if defined(PTO_CPU_AVX512)
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return (f32v)_mm512_max_ps((__m512)a, (__m512)b); }
#elif defined(PTO_CPU_AVX2)
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return (f32v)_mm256_max_ps((__m256)a, (__m256)b); }
#else
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return a > b ? a : b; }
#endif
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
#if defined(PTO_CPU_AVX512)
        if constexpr (is_same<T, float>) {  // vmaxps gives b when either is NaN; what is missing is a NaN in a
            const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
            return (f32v)_mm512_mask_mov_ps(_mm512_max_ps((__m512)a, (__m512)b), nan, (__m512)a);
        }
#endif
        if constexpr (is_same<T, float>) {
            return a != a ? a : ignoring_nan(a, b);
        } else {
            return a > b ? a : b;
        }
    }
    template <typename T>
    static constexpr T neutral()
    {
        return lowest<T>();
    }
};

struct Min {
    /// As apply, but a NaN may get lost.
#if defined(PTO_CPU_AVX512)
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return (f32v)_mm512_min_ps((__m512)a, (__m512)b); }
#elif defined(PTO_CPU_AVX2)
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return (f32v)_mm256_min_ps((__m256)a, (__m256)b); }
#else
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return a < b ? a : b; }
#endif
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
#if defined(PTO_CPU_AVX512)
        if constexpr (is_same<T, float>) {
            const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
            return (f32v)_mm512_mask_mov_ps(_mm512_min_ps((__m512)a, (__m512)b), nan, (__m512)a);
        }
#endif
        if constexpr (is_same<T, float>) {
            return a != a ? a : ignoring_nan(a, b);
        } else {
            return a < b ? a : b;
        }
    }
    template <typename T>
    static constexpr T neutral()
    {
        return highest<T>();
    }
};

/// Op on fp32 beside conversions or shifts: on Zen 5 sums take the units that these need, so they are made where products are.
template <typename Op>
PTO_INLINE f32v apply_beside(f32v a, f32v b)
{
#if defined(PTO_CPU_AVX512)
    if constexpr (is_same<Op, Add>) {
        return plus_product(a, b, 1.0f);
    } else if constexpr (is_same<Op, Sub>) {
        return plus_product(a, b, -1.0f);
    }
#endif
    return Op::template apply<float>(a, b);
}

/// Op of an elementwise instruction on elements of T.
template <typename Op, typename T>
PTO_INLINE compute_vec<T> apply_to(compute_vec<T> a, compute_vec<T> b)
{
    if constexpr (is_same<T, half>) {
        return apply_beside<Op>(a, b);
    } else {
        return Op::template apply<compute_t<T>>(a, b);
    }
}

/// max(v, 0); a NaN stays.
template <typename C>
PTO_INLINE vec<C> relu(vec<C> v)
{
#if defined(PTO_CPU_AVX512)
    if constexpr (is_same<C, float>) {
        const __mmask16 kept = _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_NLE_UQ);
        return (f32v)_mm512_maskz_mov_ps(kept, (__m512)v);
    }
#elif defined(PTO_CPU_AVX2)
    if constexpr (is_same<C, float>) {
        return (f32v)_mm256_and_ps((__m256)v, _mm256_cmp_ps((__m256)v, _mm256_setzero_ps(), _CMP_NLE_UQ));
    }
#endif
    return v <= C(0) ? vec<C>{} : v;
}

}  // namespace pto::cpu
