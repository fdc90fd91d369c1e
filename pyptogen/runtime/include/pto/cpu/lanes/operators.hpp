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
        if constexpr (sizeof(T) == 1) {
            return (vec<T>)product_of_bytes((vec<uint8_t>)a, (vec<uint8_t>)b);
        } else {
            return (vec<T>)((wrap_vec<T>)a * (wrap_vec<T>)b);
        }
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
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return larger_ignoring_nan(a, b); }
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        if constexpr (is_same<T, float>) {
            return larger(a, b);
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
    PTO_INLINE static f32v ignoring_nan(f32v a, f32v b) { return smaller_ignoring_nan(a, b); }
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        if constexpr (is_same<T, float>) {
            return smaller(a, b);
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

/// Op on fp32 beside conversions or shifts.
template <typename Op>
PTO_INLINE f32v apply_beside(f32v a, f32v b)
{
    if constexpr (is_same<Op, Add>) {
        return sum_beside(a, b);
    } else if constexpr (is_same<Op, Sub>) {
        return difference_beside(a, b);
    } else {
        return Op::template apply<float>(a, b);
    }
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
    if constexpr (is_same<C, float>) {
        return relu_f32(v);
    } else {
        return v <= C(0) ? vec<C>{} : v;
    }
}

}  // namespace pto::cpu
