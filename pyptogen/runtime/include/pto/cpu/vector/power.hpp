// Powers. Floats follow IEEE 754 pow (pow(x, 0) = pow(1, y) = 1; a negative base needs a whole exponent), below 1 ulp
// in fp32. Integers wrap; a negative exponent gives 0 unless the base is 1 or -1.
#pragma once

#include <pto/cpu/lanes/rounding.hpp>
#include <pto/cpu/vector/binary.hpp>

namespace pto {

namespace cpu {

using f64v = vec<double>;
using u64v = vec<uint64_t>;

}  // namespace cpu

}  // namespace pto

#if defined(PTO_CPU_AVX512)
#include <pto/cpu/vector/power_avx512.hpp>
#elif defined(PTO_CPU_AVX2)
#include <pto/cpu/vector/power_avx2.hpp>
#else
#include <pto/cpu/vector/power_generic.hpp>
#endif

namespace pto {

namespace cpu {

/// log2 of positive normal numbers, to about 5e-12 of it. x = m 2^e with m in [sqrt(1/2), sqrt(2)); log2 m is
/// 2 atanh(s) / ln 2, s = (m - 1) / (m + 1), by the polynomial in s^2 that comes nearest to it. Terms are taken in pairs: a
/// short chain of operations keeps the units busy.
PTO_INLINE f64v log2_f64(f64v x)
{
    const u64v shifted = (u64v)x + (0x3ff0000000000000U - 0x3fe6a09e667f3bcdU);
    const f64v m = (f64v)((shifted & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
    const f64v e = (f64v)((shifted >> 52) | 0x4330000000000000U) - (4503599627370496.0 + 1023.0);
    const f64v f = m - 1.0;
    const f64v s = quotient_f64(f, f + 2.0);
    const f64v z = s * s;
    const f64v square = z * z;
    const f64v first_terms = multiply_add_f64(z, splat(0.9617966733416872), splat(2.8853900817900864));
    f64v p = multiply_add_f64(z, splat(0.4116727187642962), splat(0.5770835849752418));
    p = multiply_add_f64(square, splat(0.3407301067200124), p);
    p = multiply_add_f64(square, p, first_terms);
    return multiply_add_f64(s, p, e);
}

/// 2^t for |t| < 1000, to about 2e-9, a thirtieth of a unit in the last place of fp32: by the polynomial of degree 6 that
/// comes nearest to 2^r for |r| <= 1/2.
PTO_INLINE f64v exp2_f64(f64v t)
{
    const f64v magic = splat(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to a whole number
    const f64v moved = t + magic;
    const f64v r = t - (moved - magic);
    const f64v square = r * r;
    const f64v first_terms = multiply_add_f64(r, splat(0.6931472057372681), splat(1.0000000005541665));
    const f64v next_terms = multiply_add_f64(r, splat(0.055503287769647344), splat(0.24022646890634097));
    f64v p = multiply_add_f64(r, splat(0.0013399931219338595), splat(0.009618488957114145));
    p = multiply_add_f64(square, splat(0.0001534581200314317), p);
    p = multiply_add_f64(square, p, next_terms);
    p = multiply_add_f64(square, p, first_terms);
    return p * (f64v)(((u64v)moved + 1023U) << 52);
}

/// 2^t in fp32's range; beyond it 0 and infinity come out.
PTO_INLINE f64v bounded_exp2(f64v t) { return exp2_f64(bounded_f64(t, -160.0, 140.0)); }

/// base^exponent for base >= 0; 1 where the product of exponent and logarithm is undefined.
PTO_INLINE f64v power_f64(f64v base, f64v exponent)
{
    const double infinity = __builtin_inf();
    f64v logarithm = log2_f64(base);
    logarithm = base == 0.0 ? splat(-infinity) : base == infinity ? splat(infinity) : logarithm;
    const f64v t = logarithm * exponent;
    return bounded_exp2(t == t ? t : f64v{});
}

PTO_INLINE f32v pow_f32(f32v x, f32v y)
{
    if (__builtin_expect(has_plain_powers(x, y), 1)) {
        return in_doubles(x, y, [](f64v base, f64v exponent) __attribute__((always_inline)) {
            return bounded_exp2(log2_f64(base) * exponent);
        });
    }
    const f32v magnitude = in_doubles(
        (f32v)((u32v)x & 0x7fffffffU), y,
        [](f64v base, f64v exponent) __attribute__((always_inline)) { return power_f64(base, exponent); });
    const i32v whole = trunc_f32(y) == y;
    const f32v half_y = y * 0.5f;
    const i32v odd = whole & (trunc_f32(half_y) != half_y);
    const i32v negative = (i32v)x < 0;
    f32v r = (negative & odd) ? -magnitude : magnitude;
    const i32v invalid = (x < 0.0f) & (x > -__builtin_inff()) & ~whole;
    r = (invalid | (x != x) | (y != y)) ? splat(__builtin_nanf("")) : r;
    return ((y == 0.0f) | (x == 1.0f)) ? splat(1.0f) : r;
}

template <typename T>
PTO_INLINE T integer_power(T base, T exponent)
{
    if (exponent < T(0)) {
        return base == T(1) ? T(1) : base == static_cast<T>(-1) ? (exponent & 1 ? base : T(1)) : T(0);
    }
    uint64_t result = 1;
    uint64_t factor = static_cast<uint64_t>(base);
    for (uint64_t left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
        result *= left & 1 ? factor : 1;
        factor *= factor;
    }
    return static_cast<T>(result);
}

struct Pow {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        if constexpr (is_same<T, float>) {
            return pow_f32(a, b);
        } else {
            vec<T> r{};
            for (int i = 0; i < kLanes<T>; ++i) {
                r[i] = integer_power<T>(a[i], b[i]);
            }
            return r;
        }
    }
};

}  // namespace cpu

/// dst = base to the power exponent. A scratch tile may follow; it is not needed here.
template <auto Precision = PowAlgorithm::DEFAULT, typename Dst, typename Base, typename Exponent, typename... Rest>
PTO_INST RecordEvent TPOW(Dst& dst, Base& base, Exponent& exponent, const Rest&...)
{
    PTO_OPERANDS(TPOW, dst, base, exponent);
    cpu::binary_tiles<cpu::Pow>(dst, base, exponent);
    return {};
}

/// dst = base to the power exponent, a scalar. A scratch tile may follow; it is not needed here.
template <auto Precision = PowAlgorithm::DEFAULT, typename Dst, typename Base, typename... Rest>
PTO_INST RecordEvent TPOWS(Dst& dst, Base& base, typename Base::DType exponent, const Rest&...)
{
    PTO_OPERANDS(TPOWS, dst, base);
    cpu::binary_scalar<cpu::Pow>(dst, base, exponent);
    return {};
}

}  // namespace pto
