// Elementwise instructions of two operands: tile and tile, tile and scalar.
#pragma once

#include <pto/cpu/lanes/invariant_divisor.hpp>
#include <pto/cpu/vector/words.hpp>

namespace pto {

namespace cpu {

/// dst = src0 Op src1, on 16-bit lanes where on_words() says so.
template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void binary_tiles(Dst& dst, Src0& src0, Src1& src1)
{
    using T = typename Dst::DType;
    if constexpr (on_words<Op, T>()) {
        map_words(
            [](u16v a, u16v b) __attribute__((always_inline)) { return apply_words<Op, T>(a, b); }, dst, src0, src1);
    } else {
        using V = compute_vec<T>;
        map_tiles<4>([](V a, V b) __attribute__((always_inline)) { return apply_to<Op, T>(a, b); }, dst, src0, src1);
    }
}

template <typename Op, typename Dst, typename Src, typename Scalar>
PTO_INLINE void binary_scalar(Dst& dst, Src& src, Scalar scalar)
{
    using T = typename Dst::DType;
    if constexpr (on_words<Op, T>()) {
        const u16v s = splat_words<T>(scalar);
        if constexpr (kHasAvx512 && !kHasHalfArithmetic) {
            if (ExtremeWithScalar<Op, T>::takes(__builtin_bit_cast(uint16_t, static_cast<T>(scalar)))) {
                map_words(ExtremeWithScalar<Op, T>(s), dst, src);
                return;
            }
        }
        map_words([s](u16v a) __attribute__((always_inline)) { return apply_words<Op, T>(a, s); }, dst, src);
    } else if constexpr (is_same<Op, Div> && is_float<T>) {
        const InvariantDivisor by(static_cast<float>(scalar));
        map_tiles<4>([by](f32v a) __attribute__((always_inline)) { return by.quotient(a); }, dst, src);
    } else {
        using C = compute_t<T>;
        const vec<C> s = splat<C>(static_cast<C>(scalar));
        map_tiles<4>([s](vec<C> a) __attribute__((always_inline)) { return apply_to<Op, T>(a, s); }, dst, src);
    }
}

template <typename Op, typename Dst, typename Src, typename Scalar>
PTO_INLINE void scalar_binary(Dst& dst, Scalar scalar, Src& src)
{
    using C = compute_t<typename Dst::DType>;
    const vec<C> s = splat<C>(static_cast<C>(scalar));
    map_tiles<4>([s](vec<C> a) __attribute__((always_inline)) { return Op::template apply<C>(s, a); }, dst, src);
}

}  // namespace cpu

/// dst = src0 + src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TADD(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TADD, dst, src0, src1);
    cpu::binary_tiles<cpu::Add>(dst, src0, src1);
    return {};
}

/// dst = src0 - src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TSUB(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TSUB, dst, src0, src1);
    cpu::binary_tiles<cpu::Sub>(dst, src0, src1);
    return {};
}

/// dst = src0 * src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMUL(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TMUL, dst, src0, src1);
    cpu::binary_tiles<cpu::Mul>(dst, src0, src1);
    return {};
}

/// dst = src0 / src1, correctly rounded for floats
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TDIV(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TDIV, dst, src0, src1);
    cpu::binary_tiles<cpu::Div>(dst, src0, src1);
    return {};
}

/// dst = max(src0, src1)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMAX(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TMAX, dst, src0, src1);
    cpu::binary_tiles<cpu::Max>(dst, src0, src1);
    return {};
}

/// dst = min(src0, src1)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMIN(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TMIN, dst, src0, src1);
    cpu::binary_tiles<cpu::Min>(dst, src0, src1);
    return {};
}

/// dst = src + scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TADDS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TADDS, dst, src);
    cpu::binary_scalar<cpu::Add>(dst, src, scalar);
    return {};
}

/// dst = src - scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TSUBS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TSUBS, dst, src);
    cpu::binary_scalar<cpu::Sub>(dst, src, scalar);
    return {};
}

/// dst = src * scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMULS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TMULS, dst, src);
    cpu::binary_scalar<cpu::Mul>(dst, src, scalar);
    return {};
}

/// dst = src / scalar
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TDIVS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TDIVS, dst, src);
    cpu::binary_scalar<cpu::Div>(dst, src, scalar);
    return {};
}

/// dst = scalar / src
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TDIVS(Dst& dst, typename Src::DType scalar, Src& src, const Events&...)
{
    PTO_OPERANDS(TDIVS, dst, src);
    cpu::scalar_binary<cpu::Div>(dst, scalar, src);
    return {};
}

/// dst = max(src, scalar)
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMAXS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TMAXS, dst, src);
    cpu::binary_scalar<cpu::Max>(dst, src, scalar);
    return {};
}

/// dst = min(src, scalar)
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMINS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TMINS, dst, src);
    cpu::binary_scalar<cpu::Min>(dst, src, scalar);
    return {};
}

/// dst = scalar everywhere in its valid region
template <typename Dst, typename... Events>
PTO_INST RecordEvent TEXPANDS(Dst& dst, typename Dst::DType scalar, const Events&...)
{
    PTO_OPERANDS(TEXPANDS, dst);
    using C = cpu::compute_t<typename Dst::DType>;
    const cpu::vec<C> s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_tiles<4>([s]() __attribute__((always_inline)) { return s; }, dst);
    return {};
}

}  // namespace pto
