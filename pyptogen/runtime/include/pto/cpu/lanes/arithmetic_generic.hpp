// Arithmetic that some machines have instructions of their own for, on GNU vector extensions. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

/// a * b + c, fused where the machine has it.
PTO_INLINE f32v multiply_add(f32v a, f32v b, f32v c) { return a * b + c; }

/// Sums and differences beside conversions or shifts.
PTO_INLINE f32v sum_beside(f32v a, f32v b) { return a + b; }
PTO_INLINE f32v difference_beside(f32v a, f32v b) { return a - b; }

PTO_INLINE f32v sqrt_f32(f32v v)
{
    for (int i = 0; i < kF32Lanes; ++i) {
        v[i] = __builtin_sqrtf(v[i]);
    }
    return v;
}

/// Rounds to a whole number, ties to even (the FP environment's default mode is assumed).
PTO_INLINE f32v rint_f32(f32v v)
{
    const u32v sign = (u32v)v & 0x80000000U;
    const f32v magic = (f32v)(sign | 0x4b000000U);  // 2^23 with v's sign; larger magnitudes are whole already
    const f32v magnitude = (f32v)((u32v)v & 0x7fffffffU);
    const f32v rounded = (f32v)((u32v)((v + magic) - magic) | sign);
    return magnitude < 8388608.0f ? rounded : v;
}

/// The larger, or smaller, of two, where a NaN may get lost.
PTO_INLINE f32v larger_ignoring_nan(f32v a, f32v b) { return a > b ? a : b; }
PTO_INLINE f32v smaller_ignoring_nan(f32v a, f32v b) { return a < b ? a : b; }

/// The larger, or smaller, of two; a NaN stays.
PTO_INLINE f32v larger(f32v a, f32v b) { return a != a ? a : larger_ignoring_nan(a, b); }
PTO_INLINE f32v smaller(f32v a, f32v b) { return a != a ? a : smaller_ignoring_nan(a, b); }

/// max(v, 0); a NaN stays.
PTO_INLINE f32v relu_f32(f32v v) { return v <= 0.0f ? f32v{} : v; }

/// v where it is above a bound as a signed number, 0 elsewhere.
PTO_INLINE vec<uint16_t> words_above(vec<uint16_t> v, int16_t bound)
{
    return v & (vec<uint16_t>)((vec<int16_t>)v > bound);
}

PTO_INLINE vec<uint8_t> product_of_bytes(vec<uint8_t> a, vec<uint8_t> b) { return a * b; }

/// The lanes that an extent covers, `fill` in the others.
PTO_INLINE f32v only(Part part, f32v v, float fill) { return lane_numbers<int32_t>() < part.n ? v : splat(fill); }

}  // namespace pto::cpu
