// Steps of powers that machines have instructions for, on GNU vector extensions. Included by power.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f64v multiply_add_f64(f64v a, f64v b, f64v c) { return a * b + c; }

/// a / b to a unit or two in the last place, for b of moderate size.
PTO_INLINE f64v quotient_f64(f64v a, f64v b) { return a / b; }

PTO_INLINE f64v bounded_f64(f64v v, double least, double most)
{
    v = v > most ? splat(most) : v;
    return v < least ? splat(least) : v;
}

/// f in two halves of doubles.
template <typename F>
PTO_INLINE f32v in_doubles(f32v x, f32v y, F f)
{
    typedef typename VectorOf<float, kVectorBytes / 2>::type half_vector;
    constexpr int kHalf = kF32Lanes / 2;
    float bases[kF32Lanes], exponents[kF32Lanes], results[kF32Lanes];
    store_bits(bases, x);
    store_bits(exponents, y);
    for (int at = 0; at < kF32Lanes; at += kHalf) {
        const f64v base = __builtin_convertvector(load_bits<half_vector>(bases + at), f64v);
        const f64v exponent = __builtin_convertvector(load_bits<half_vector>(exponents + at), f64v);
        store_bits(results + at, __builtin_convertvector(f(base, exponent), half_vector));
    }
    return load_bits<f32v>(results);
}

/// All powers go the way that is right for any: a look at the operands would cost as much as it saves.
constexpr bool has_plain_powers(f32v, f32v) { return false; }

}  // namespace pto::cpu
