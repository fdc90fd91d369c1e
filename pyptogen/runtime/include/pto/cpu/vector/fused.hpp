// Elementwise instructions of two steps: multiply-add, three-operand sums, and the leaky forms of relu.
//
// Each step rounds to the element type: a product of half values is rounded to half before it is added. TFUSEDMULADD
// alone keeps the product of narrow floats in fp32.
#pragma once

#include <pto/cpu/vector/binary.hpp>

namespace pto {

namespace cpu {

/// The values that a tile of T would hold after a store of v.
template <typename T>
PTO_INLINE compute_vec<T> rounded_to(compute_vec<T> v)
{
    if constexpr (is_same<T, half>) {
        return f16_to_f32(f32_to_f16(v));
    } else if constexpr (is_same<T, bfloat16_t>) {
        return bf16_to_f32(f32_to_bf16(v));
    } else {
        return v;
    }
}

/// a * b + c, with the product rounded to T.
template <typename T>
PTO_INLINE compute_vec<T> product_plus(compute_vec<T> a, compute_vec<T> b, compute_vec<T> c)
{
    using C = compute_t<T>;
    return Add::apply<C>(rounded_to<T>(Mul::apply<C>(a, b)), c);
}

/// v where v > 0, slope * v elsewhere (and NaN where either is NaN).
template <typename C>
PTO_INLINE vec<C> leaky(vec<C> v, vec<C> slope)
{
    return v > vec<C>{} ? v : Mul::apply<C>(v, slope);
}

}  // namespace cpu

/// dst = src0 * src1 + dst
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMULADDDST(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TMULADDDST, dst, src0, src1);
    using T = typename Dst::DType;
    using V = cpu::compute_vec<T>;
    cpu::map_tiles<4>(
        [](V d, V a, V b) __attribute__((always_inline)) { return cpu::product_plus<T>(a, b, d); }, dst, dst, src0,
        src1);
    return {};
}

/// dst = src0 * dst + src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TFUSEDMULADD(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TFUSEDMULADD, dst, src0, src1);
    using C = cpu::compute_t<typename Dst::DType>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>(
        [](V d, V a, V b) __attribute__((always_inline)) { return cpu::product_plus<C>(a, d, b); }, dst, dst, src0,
        src1);
    return {};
}

/// dst = max(src0 * dst + src1, 0)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TFUSEDMULADDRELU(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TFUSEDMULADDRELU, dst, src0, src1);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>(
        [](V d, V a, V b) __attribute__((always_inline)) { return cpu::relu<C>(cpu::product_plus<T>(a, d, b)); }, dst,
        dst, src0, src1);
    return {};
}

/// dst = max(src0 - src1, 0)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TSUBRELU(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TSUBRELU, dst, src0, src1);
    using C = cpu::compute_t<typename Dst::DType>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>(
        [](V a, V b) __attribute__((always_inline)) { return cpu::relu<C>(cpu::Sub::apply<C>(a, b)); }, dst, src0,
        src1);
    return {};
}

/// dst = scalar * src + dst; src may be half where dst is float
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TAXPY(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TAXPY, dst, src);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    using S = typename Src::DType;
    static_assert(
        cpu::is_same<T, S> || (cpu::is_same<T, float> && cpu::is_float<S>),
        "TAXPY: dst and src need the same element type, or dst is float and src a narrower float");
    const V s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_lines<4>(
        cpu::line_count(dst), cpu::line_length(dst),
        [s](V d, V a) __attribute__((always_inline)) { return cpu::product_plus<T>(a, s, d); }, cpu::lines_of(dst),
        cpu::lines_of(dst), cpu::lines_of(src));
    return {};
}

/// dst = (src0 + src1) + src2
template <typename Dst, typename Src0, typename Src1, typename Src2, typename... Events>
PTO_INST RecordEvent TADDC(Dst& dst, Src0& src0, Src1& src1, Src2& src2, const Events&...)
{
    PTO_OPERANDS(TADDC, dst, src0, src1, src2);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>(
        [](V a, V b, V c) __attribute__((always_inline)) {
            return cpu::Add::apply<C>(cpu::rounded_to<T>(cpu::Add::apply<C>(a, b)), c);
        },
        dst, src0, src1, src2);
    return {};
}

/// dst = (src0 - src1) + src2
template <typename Dst, typename Src0, typename Src1, typename Src2, typename... Events>
PTO_INST RecordEvent TSUBC(Dst& dst, Src0& src0, Src1& src1, Src2& src2, const Events&...)
{
    PTO_OPERANDS(TSUBC, dst, src0, src1, src2);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>(
        [](V a, V b, V c) __attribute__((always_inline)) {
            return cpu::Add::apply<C>(cpu::rounded_to<T>(cpu::Sub::apply<C>(a, b)), c);
        },
        dst, src0, src1, src2);
    return {};
}

/// dst = (src0 + scalar) + src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TADDSC(Dst& dst, Src0& src0, typename Src0::DType scalar, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TADDSC, dst, src0, src1);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    const V s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_tiles<4>(
        [s](V a, V b) __attribute__((always_inline)) {
            return cpu::Add::apply<C>(cpu::rounded_to<T>(cpu::Add::apply<C>(a, s)), b);
        },
        dst, src0, src1);
    return {};
}

/// dst = (src0 - scalar) + src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TSUBSC(Dst& dst, Src0& src0, typename Src0::DType scalar, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TSUBSC, dst, src0, src1);
    using T = typename Dst::DType;
    using C = cpu::compute_t<T>;
    using V = cpu::vec<C>;
    const V s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_tiles<4>(
        [s](V a, V b) __attribute__((always_inline)) {
            return cpu::Add::apply<C>(cpu::rounded_to<T>(cpu::Sub::apply<C>(a, s)), b);
        },
        dst, src0, src1);
    return {};
}

/// dst = src0 where src0 > 0, src0 * src1 elsewhere. A scratch tile may follow; it is not needed here.
template <typename Dst, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TPRELU(Dst& dst, Src0& src0, Src1& src1, const Rest&...)
{
    PTO_OPERANDS(TPRELU, dst, src0, src1);
    using C = cpu::compute_t<typename Dst::DType>;
    using V = cpu::vec<C>;
    cpu::map_tiles<4>([](V a, V b) __attribute__((always_inline)) { return cpu::leaky<C>(a, b); }, dst, src0, src1);
    return {};
}

/// dst = src where src > 0, src * scalar elsewhere
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TLRELU(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    PTO_OPERANDS(TLRELU, dst, src);
    using C = cpu::compute_t<typename Dst::DType>;
    using V = cpu::vec<C>;
    const V s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_tiles<4>([s](V a) __attribute__((always_inline)) { return cpu::leaky<C>(a, s); }, dst, src);
    return {};
}

}  // namespace pto
