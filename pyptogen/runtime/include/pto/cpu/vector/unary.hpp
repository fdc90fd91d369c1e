// Elementwise instructions of one operand.
#pragma once

#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/lanes/rounding.hpp>
#include <pto/cpu/vector/words.hpp>

namespace pto {

namespace cpu {

/// dst = f(src) in fp32 for the float types. Integer tiles, which no device takes, go through `exact` in double, one
/// element at a time, truncated and saturated.
template <int Unroll, typename F, typename G, typename Dst, typename Src>
PTO_INLINE void float_unary(F f, G exact, Dst& dst, Src& src)
{
    using T = typename Dst::DType;
    if constexpr (is_float<T>) {
        map_tiles<Unroll>(f, dst, src);
    } else if constexpr (is_integer<T>) {
        map_tiles<1>(
            [exact](vec<T> v) {
                for (int i = 0; i < kLanes<T>; ++i) {
                    v[i] = float_to_integer<T>(exact(static_cast<double>(v[i])), RoundMode::CAST_TRUNC);
                }
                return v;
            },
            dst, src);
    }
}

template <typename C>
PTO_INLINE vec<C> absolute(vec<C> v)
{
    if constexpr (is_same<C, float>) {
        return (vec<C>)((u32v)v & 0x7fffffffU);
    } else {
        return v < 0 ? (vec<C>)(-(wrap_vec<C>)v) : v;
    }
}

template <typename C>
PTO_INLINE vec<C> negated(vec<C> v)
{
    if constexpr (is_same<C, float>) {
        return (vec<C>)((u32v)v ^ 0x80000000U);
    } else {
        return (vec<C>)(-(wrap_vec<C>)v);
    }
}

}  // namespace cpu

/// dst = e to the power src; at most 1 ulp off in fp32
template <auto Precision = ExpAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TEXP(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TEXP, dst, src);
    cpu::float_unary<4>(
        [](cpu::f32v v) __attribute__((always_inline)) { return cpu::exp_f32(v); },
        [](double v) { return __builtin_exp(v); }, dst, src);
    return {};
}

/// dst = natural logarithm of src; at most 2 ulp off in fp32
template <auto Precision = LogAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TLOG(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TLOG, dst, src);
    cpu::float_unary<2>(
        [](cpu::f32v v) __attribute__((always_inline)) { return cpu::log_f32(v); },
        [](double v) { return __builtin_log(v); }, dst, src);
    return {};
}

/// dst = |src|
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TABS(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TABS, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    if constexpr (cpu::is_half_width_float<T>) {
        cpu::map_words(
            [](cpu::u16v v) __attribute__((always_inline)) { return v & static_cast<uint16_t>(0x7fff); }, dst, src);
    } else {
        cpu::map_tiles<4>([](cpu::vec<C> v) __attribute__((always_inline)) { return cpu::absolute<C>(v); }, dst, src);
    }
    return {};
}

/// dst = -src
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TNEG(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TNEG, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    if constexpr (cpu::is_half_width_float<T>) {
        cpu::map_words(
            [](cpu::u16v v) __attribute__((always_inline)) { return v ^ static_cast<uint16_t>(0x8000); }, dst, src);
    } else {
        cpu::map_tiles<4>([](cpu::vec<C> v) __attribute__((always_inline)) { return cpu::negated<C>(v); }, dst, src);
    }
    return {};
}

/// dst = max(src, 0)
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TRELU(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TRELU, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    if constexpr (cpu::is_half_width_float<T>) {
        cpu::map_words([](cpu::u16v v) __attribute__((always_inline)) { return cpu::relu_words<T>(v); }, dst, src);
    } else {
        cpu::map_tiles<4>([](cpu::vec<C> v) __attribute__((always_inline)) { return cpu::relu<C>(v); }, dst, src);
    }
    return {};
}

/// dst = square root of src, correctly rounded
template <auto Precision = SqrtAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TSQRT(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TSQRT, dst, src);
    cpu::float_unary<2>(
        [](cpu::f32v v) __attribute__((always_inline)) { return cpu::sqrt_f32(v); },
        [](double v) { return __builtin_sqrt(v); }, dst, src);
    return {};
}

/// dst = 1 / square root of src: both steps correctly rounded. A scratch tile may follow; it is not needed here.
template <auto Precision = RsqrtAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TRSQRT(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TRSQRT, dst, src);
    cpu::float_unary<2>(
        [](cpu::f32v v) __attribute__((always_inline)) { return 1.0f / cpu::sqrt_f32(v); },
        [](double v) { return 1.0 / __builtin_sqrt(v); }, dst, src);
    return {};
}

/// dst = 1 / src, correctly rounded
template <auto Precision = RecipAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TRECIP(Dst& dst, Src& src, const Events&...)
{
    PTO_OPERANDS(TRECIP, dst, src);
    cpu::float_unary<2>(
        [](cpu::f32v v) __attribute__((always_inline)) { return 1.0f / v; }, [](double v) { return 1.0 / v; }, dst,
        src);
    return {};
}

}  // namespace pto
