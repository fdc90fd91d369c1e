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

/// One half of a vector of fp32 as doubles, and two such halves as fp32 again.
template <int Half>
PTO_INLINE f64v doubles_of(f32v v)
{
    using HalfVector = VectorOf<float, kVectorBytes / 2>::type;
    float lanes[kF32Lanes];
    store_bits(lanes, v);
    return __builtin_convertvector(load_bits<HalfVector>(lanes + Half * kF32Lanes / 2), f64v);
}
PTO_INLINE f32v floats_of(f64v low, f64v high)
{
    using HalfVector = VectorOf<float, kVectorBytes / 2>::type;
    float lanes[kF32Lanes];
    store_bits(lanes, __builtin_convertvector(low, HalfVector));
    store_bits(lanes + kF32Lanes / 2, __builtin_convertvector(high, HalfVector));
    return load_bits<f32v>(lanes);
}

/// All powers go the way that is right for any: a look at the operands would cost as much as it saves.
constexpr bool has_plain_powers(f32v, f32v) { return false; }

}  // namespace pto::cpu
