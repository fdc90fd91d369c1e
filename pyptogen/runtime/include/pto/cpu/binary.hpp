// Elementwise instructions of two operands: tile and tile, tile and scalar.
#pragma once

#include <pto/cpu/elementwise.hpp>

namespace pto {

namespace cpu {

#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)

/// Whether the machine computes Op on half itself, with the same results: a sum or a product of halves in fp32, rounded
/// to half, is the correctly rounded one.
template <typename Op, typename T>
constexpr bool in_native_half()
{
    return is_same<T, half> &&
           (is_same<Op, Add> || is_same<Op, Sub> || is_same<Op, Mul> || is_same<Op, Max> || is_same<Op, Min>);
}

template <typename Op>
PTO_INLINE vec<uint16_t> native_half(vec<uint16_t> a, vec<uint16_t> b)
{
    const __m512h x = (__m512h)a, y = (__m512h)b;
    if constexpr (is_same<Op, Add>) {
        return (vec<uint16_t>)_mm512_add_ph(x, y);
    } else if constexpr (is_same<Op, Sub>) {
        return (vec<uint16_t>)_mm512_sub_ph(x, y);
    } else if constexpr (is_same<Op, Mul>) {
        return (vec<uint16_t>)_mm512_mul_ph(x, y);
    } else {  // what vmaxph and vminph lose is a NaN in the first operand
        const __mmask32 nan = _mm512_cmp_ph_mask(x, x, _CMP_UNORD_Q);
        const __m512h extreme = is_same<Op, Max> ? _mm512_max_ph(x, y) : _mm512_min_ph(x, y);
        return (vec<uint16_t>)_mm512_mask_mov_epi16((__m512i)extreme, nan, (__m512i)x);
    }
}

/// The lines of a tile of half as their bits.
template <typename Tile>
PTO_INLINE Lines<uint16_t> half_lines_of(const Tile& tile)
{
    const auto lines = lines_of(tile);
    return {reinterpret_cast<uint16_t*>(lines.start), lines.pitch};
}

template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void binary_native_half(Dst& dst, Src0& src0, Src1& src1)
{
    check_same_shape_tiles<Dst, Src0, Src1>();
    using V = vec<uint16_t>;
    map_lines<4>(
        line_count(dst), line_length(dst),
        [](V a, V b) __attribute__((always_inline)) { return native_half<Op>(a, b); }, half_lines_of(dst),
        half_lines_of(src0), half_lines_of(src1));
}

template <typename Op, typename Dst, typename Src>
PTO_INLINE void binary_scalar_native_half(Dst& dst, Src& src, half scalar)
{
    check_same_shape_tiles<Dst, Src>();
    using V = vec<uint16_t>;
    const V s = splat(__builtin_bit_cast(uint16_t, scalar));
    map_lines<4>(
        line_count(dst), line_length(dst),
        [s](V a) __attribute__((always_inline)) { return native_half<Op>(a, s); }, half_lines_of(dst),
        half_lines_of(src));
}

#endif

template <typename Op, typename Dst, typename Src0, typename Src1>
PTO_INLINE void binary_tiles(Dst& dst, Src0& src0, Src1& src1)
{
#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)
    if constexpr (in_native_half<Op, typename Dst::DType>()) {
        binary_native_half<Op>(dst, src0, src1);
        return;
    }
#endif
    using C = compute_t<typename Dst::DType>;
    map_tiles<4>(
        [](vec<C> a, vec<C> b) __attribute__((always_inline)) { return Op::template apply<C>(a, b); }, dst, src0, src1);
}

template <typename Op, typename Dst, typename Src, typename T>
PTO_INLINE void binary_scalar(Dst& dst, Src& src, T scalar)
{
#if defined(PTO_CPU_AVX512) && defined(__AVX512FP16__)
    if constexpr (in_native_half<Op, typename Dst::DType>()) {
        binary_scalar_native_half<Op>(dst, src, static_cast<half>(scalar));
        return;
    }
#endif
    using C = compute_t<typename Dst::DType>;
    const vec<C> s = splat<C>(static_cast<C>(scalar));
    map_tiles<4>([s](vec<C> a) __attribute__((always_inline)) { return Op::template apply<C>(a, s); }, dst, src);
}

template <typename Op, typename Dst, typename Src, typename T>
PTO_INLINE void scalar_binary(Dst& dst, T scalar, Src& src)
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
    cpu::binary_tiles<cpu::Add>(dst, src0, src1);
    return {};
}

/// dst = src0 - src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TSUB(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    cpu::binary_tiles<cpu::Sub>(dst, src0, src1);
    return {};
}

/// dst = src0 * src1
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMUL(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    cpu::binary_tiles<cpu::Mul>(dst, src0, src1);
    return {};
}

/// dst = src0 / src1, correctly rounded for floats
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TDIV(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    cpu::binary_tiles<cpu::Div>(dst, src0, src1);
    return {};
}

/// dst = max(src0, src1)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMAX(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    cpu::binary_tiles<cpu::Max>(dst, src0, src1);
    return {};
}

/// dst = min(src0, src1)
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TMIN(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    cpu::binary_tiles<cpu::Min>(dst, src0, src1);
    return {};
}

/// dst = src + scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TADDS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Add>(dst, src, scalar);
    return {};
}

/// dst = src - scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TSUBS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Sub>(dst, src, scalar);
    return {};
}

/// dst = src * scalar
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMULS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Mul>(dst, src, scalar);
    return {};
}

/// dst = src / scalar
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TDIVS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Div>(dst, src, scalar);
    return {};
}

/// dst = scalar / src
template <auto Precision = DivAlgorithm::DEFAULT, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TDIVS(Dst& dst, typename Src::DType scalar, Src& src, const Events&...)
{
    cpu::scalar_binary<cpu::Div>(dst, scalar, src);
    return {};
}

/// dst = max(src, scalar)
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMAXS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Max>(dst, src, scalar);
    return {};
}

/// dst = min(src, scalar)
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMINS(Dst& dst, Src& src, typename Src::DType scalar, const Events&...)
{
    cpu::binary_scalar<cpu::Min>(dst, src, scalar);
    return {};
}

/// dst = scalar everywhere in its valid region
template <typename Dst, typename... Events>
PTO_INST RecordEvent TEXPANDS(Dst& dst, typename Dst::DType scalar, const Events&...)
{
    using C = cpu::compute_t<typename Dst::DType>;
    const cpu::vec<C> s = cpu::splat<C>(static_cast<C>(scalar));
    cpu::map_tiles<4>([s]() __attribute__((always_inline)) { return s; }, dst);
    return {};
}

}  // namespace pto
