// Remainders: TFMOD has the sign of the dividend (C fmod), TREM that of the divisor (floored division, as numpy's %).
//
// Both are exact for floats. A division by zero gives NaN; for integers it gives 0, and the lowest value by -1 gives 0.
#pragma once

#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/lanes/rounding.hpp>
#include <pto/cpu/vector/binary.hpp>
#include <pto/cpu/vector/lane_fold.hpp>

namespace pto {

namespace cpu {

PTO_INLINE f32v magnitude_of(f32v v) { return (f32v)((u32v)v & 0x7fffffffU); }
PTO_INLINE f32v with_sign_of(f32v magnitude, f32v sign)
{
    return (f32v)(((u32v)magnitude & 0x7fffffffU) | ((u32v)sign & 0x80000000U));
}

/// x - trunc(x / y) y without rounding. Quotients below 2^22 take one exact multiply-subtract, larger ones the library.
PTO_INLINE f32v fmod_f32(f32v x, f32v y)
{
    const f32v ax = magnitude_of(x), ay = magnitude_of(y);
    f32v r;
    if constexpr (kHasVectorUnit) {
        const f32v q = floor_f32(ax / ay);
        r = multiply_add(-q, ay, ax);
        r = r < 0.0f ? r + ay : r;  // the quotient had been rounded up to a whole number
        r = ay == __builtin_inff() ? ax : r;
        const i32v large = (q >= 4194304.0f) & (ay > 0.0f) & (ax < __builtin_inff());
        if (__builtin_expect(any_lane(large), 0)) {
            for (int i = 0; i < kF32Lanes; ++i) {
                r[i] = large[i] ? __builtin_fmodf(ax[i], ay[i]) : r[i];
            }
        }
    } else {
        for (int i = 0; i < kF32Lanes; ++i) {
            r[i] = ax[i] < ay[i] ? ax[i] : __builtin_fmodf(ax[i], ay[i]);
        }
    }
    const i32v invalid = (ay == 0.0f) | (ax == __builtin_inff()) | (x != x) | (y != y);
    return invalid ? splat(__builtin_nanf("")) : with_sign_of(r, x);
}

struct Fmod {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        if constexpr (is_same<T, float>) {
            return fmod_f32(a, b);
        } else {
            const vec<T> r = Sub::apply<T>(a, Mul::apply<T>(Div::apply<T>(a, b), b));
            return b == vec<T>{} ? vec<T>{} : r;
        }
    }
};

struct Remainder {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        const vec<T> r = Fmod::apply<T>(a, b);
        const auto differs = (r < vec<T>{}) ^ (b < vec<T>{});
        if constexpr (is_same<T, float>) {
            const f32v moved = differs ? r + b : r;
            return r == 0.0f ? with_sign_of(r, b) : moved;
        } else {
            return ((r != vec<T>{}) & differs) ? r + b : r;
        }
    }
};

}  // namespace cpu

/// dst = the remainder of src0 / src1 with the sign of src0
template <auto Precision = FmodAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TFMOD(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TFMOD, dst, src0, src1);
    cpu::binary_tiles<cpu::Fmod>(dst, src0, src1);
    return {};
}

/// dst = the remainder of src / scalar with the sign of src
template <auto Precision = FmodSAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TFMODS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TFMODS, dst, src);
    cpu::binary_scalar<cpu::Fmod>(dst, src, scalar);
    return {};
}

/// dst = the remainder of src0 / src1 with the sign of src1. A scratch tile may follow; it is not needed here.
template <auto Precision = RemAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TREM(Dst& dst, Src0& src0, Src1& src1, const Rest&...)
{
    PTO_OPERANDS(TREM, dst, src0, src1);
    cpu::binary_tiles<cpu::Remainder>(dst, src0, src1);
    return {};
}

/// dst = the remainder of src / scalar with the sign of scalar. A scratch tile may follow; it is not needed here.
template <auto Precision = RemSAlgorithm::DEFAULT, typename Dst, typename Src, typename... Rest>
PTO_INST RecordEvent TREMS(Dst& dst, Src& src, typename Src::DType scalar, const Rest&...)
{
    PTO_OPERANDS(TREMS, dst, src);
    cpu::binary_scalar<cpu::Remainder>(dst, src, scalar);
    return {};
}

}  // namespace pto
