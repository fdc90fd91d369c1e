// Bitwise instructions and shifts of integer tiles, and TAND of the bits of floats.
//
// A shift count is taken as unsigned: counts of the element's width and more give 0, or the sign for a signed TSHR.
#pragma once

#include <pto/cpu/vector/binary.hpp>

namespace pto {

namespace cpu {

struct And {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return a & b;
    }
};

struct Or {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return a | b;
    }
};

struct Xor {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return a ^ b;
    }
};

struct ShiftLeft {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        using U = typename Unsigned<T>::type;
        const vec<U> count = (vec<U>)b;
        const auto inside = count < splat<U>(8 * sizeof(T));
        const vec<U> safe = inside ? count : vec<U>{};
        return (vec<T>)(inside ? (vec<U>)a << safe : vec<U>{});
    }
};

struct ShiftRight {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        using U = typename Unsigned<T>::type;
        constexpr U kLast = 8 * sizeof(T) - 1;
        const vec<U> count = (vec<U>)b;
        const auto inside = count <= splat(kLast);
        if constexpr (T(-1) < T(0)) {
            return a >> (vec<T>)(inside ? count : splat(kLast));
        } else {
            const vec<U> safe = inside ? count : vec<U>{};
            return inside ? a >> safe : vec<U>{};
        }
    }
};

template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void bitwise_tiles(Dst& dst, Src0& src0, Src1& src1)
{
    if constexpr (is_integer<typename Dst::DType>) {
        binary_tiles<Op>(dst, src0, src1);
    }
}

/// Integers, and floats as integers of their width: A2/A3 takes half and bfloat16_t so, A5 fp32, too.
template <typename Dst, typename Src0, typename Src1>
PTO_INLINE void and_tiles(Dst& dst, Src0& src0, Src1& src1)
{
    using T = typename Dst::DType;
    if constexpr (is_half_width_float<T>) {
        map_words([](u16v a, u16v b) __attribute__((always_inline)) { return a & b; }, dst, src0, src1);
    } else if constexpr (is_float<T>) {
        using Bits = vec<uint32_t>;
        map_tiles<4>(
            [](f32v a, f32v b) __attribute__((always_inline)) { return (f32v)((Bits)a & (Bits)b); }, dst, src0, src1);
    } else {
        bitwise_tiles<And>(dst, src0, src1);
    }
}

template <typename Op, typename Dst, typename Src, typename T>
PTO_INLINE void bitwise_scalar(Dst& dst, Src& src, T scalar)
{
    if constexpr (is_integer<typename Dst::DType>) {
        binary_scalar<Op>(dst, src, scalar);
    }
}

}  // namespace cpu

/// dst = ~src
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TNOT(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TNOT, dst, src);
    using C = typename Dst::DType;
    if constexpr (cpu::is_integer<C>) {
        cpu::map_tiles<4>([](cpu::vec<C> v) __attribute__((always_inline)) { return ~v; }, dst, src);
    }
    return {};
}

/// dst = src0 & src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TAND(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TAND, dst, src0, src1);
    cpu::and_tiles(dst, src0, src1);
    return {};
}

// TNAME(dst, src0, src1): dst = src0 op src1. TNAMES(dst, src, scalar): dst = src op scalar.
#define PTO_CPU_BITWISE(NAME, OP) \
    template <typename Dst, typename Src0, typename Src1, typename... Events> \
    PTO_INST RecordEvent T##NAME(Dst& dst, Src0& src0, Src1& src1, const Events&...) \
    { \
        PTO_OPERANDS(T##NAME, dst, src0, src1); \
        cpu::bitwise_tiles<cpu::OP>(dst, src0, src1); \
        return {}; \
    } \
    PTO_CPU_BITWISE_SCALAR(NAME, OP)
#define PTO_CPU_BITWISE_SCALAR(NAME, OP) \
    template <typename Dst, typename Src, typename... Events> \
    PTO_INST RecordEvent T##NAME##S(Dst& dst, Src& src, typename Src::DType scalar, const Events&...) \
    { \
        PTO_OPERANDS(T##NAME##S, dst, src); \
        cpu::bitwise_scalar<cpu::OP>(dst, src, scalar); \
        return {}; \
    }

PTO_CPU_BITWISE_SCALAR(AND, And)
PTO_CPU_BITWISE(OR, Or)
PTO_CPU_BITWISE(XOR, Xor)  // a scratch tile may follow; it is not needed here
PTO_CPU_BITWISE(SHL, ShiftLeft)
PTO_CPU_BITWISE(SHR, ShiftRight)
#undef PTO_CPU_BITWISE
#undef PTO_CPU_BITWISE_SCALAR

}  // namespace pto
