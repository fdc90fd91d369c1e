// HiFloat8 codes and fp32, a vector at a time.
//
// A code has fields where a prefix says (pto::HiFloat8), so each length of the exponent is computed, and one chosen.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

/// Magnitudes with an exponent of `kBits` bits and `kFraction` bits of fraction, as the bits of fp32.
template <int kBits, int kFraction>
PTO_INLINE u32v hif8_magnitude(u32v code)
{
    constexpr uint32_t kLeading = 1U << (kBits - 1);  // not in the code; in its place stands the exponent's sign
    const u32v field = code >> kFraction & (2 * kLeading - 1);
    const u32v size = field | kLeading;
    const u32v exponent = field >= kLeading ? 127 - size : 127 + size;
    return exponent << 23 | (code & ((1U << kFraction) - 1)) << (23 - kFraction);
}

/// The values of codes, one in each lane.
PTO_INLINE f32v hif8_values(u32v codes)
{
    const u32v code = codes & 0x7fU, sign = (codes & 0x80U) << 24;
    u32v bits = code == 0U ? code : (code + 104) << 23;  // powers of two from 2^-22 on
    bits = code >= 0x08U ? 127U << 23 | (code & 7U) << 20 : bits;
    bits = code >= 0x10U ? hif8_magnitude<1, 3>(code) : bits;
    bits = code >= 0x20U ? hif8_magnitude<2, 3>(code) : bits;
    bits = code >= 0x40U ? hif8_magnitude<3, 2>(code) : bits;
    bits = code >= 0x60U ? hif8_magnitude<4, 1>(code) : bits;
    bits = code == static_cast<uint32_t>(HiFloat8::kInfinity) ? splat<uint32_t>(0x7f800000U) : bits;
    bits = codes == static_cast<uint32_t>(HiFloat8::kNan) ? splat<uint32_t>(0x7fc00000U) : bits;
    return (f32v)(bits | sign);
}

/// The code behind prefix `kPrefix` of magnitudes that are rounded already.
template <int kBits, int kFraction, uint32_t kPrefix>
PTO_INLINE u32v hif8_code(u32v bits)
{
    constexpr uint32_t kLeading = 1U << (kBits - 1);
    const u32v exponent = (bits >> 23) - 127;
    const u32v negative = exponent >> 31;
    const u32v size = negative != 0U ? -exponent : exponent;
    const u32v field = (size & (kLeading - 1)) | negative * kLeading;
    return kPrefix | field << kFraction | (bits >> (23 - kFraction) & ((1U << kFraction) - 1));
}

/// Values as codes, one in each lane: to nearest, ties away from zero.
PTO_INLINE i32v hif8_codes(f32v v, bool saturate)
{
    const u32v exact = (u32v)v & 0x7fffffffU;
    const u32v places = exact >> 23;
    const u32v size = places < 127U ? 127 - places : places - 127;
    u32v dropped = size < 4U ? splat<uint32_t>(20) : size < 8U ? splat<uint32_t>(21) : splat<uint32_t>(22);
    dropped = places < 127U - 15 ? splat<uint32_t>(23) : dropped;
    const u32v bits = (exact + (1U << (dropped - 1))) >> dropped << dropped;  // what is carried raises the exponent
    const u32v scale = bits >> 23;
    const u32v away = scale < 127U ? 127 - scale : scale - 127;
    u32v code = 0x08U | (bits >> 20 & 7U);
    code = away >= 1U ? hif8_code<1, 3, 0x10>(bits) : code;
    code = away >= 2U ? hif8_code<2, 3, 0x20>(bits) : code;
    code = away >= 4U ? hif8_code<3, 2, 0x40>(bits) : code;
    code = away >= 8U ? hif8_code<4, 1, 0x60>(bits) : code;
    code = scale < 127U - 15 ? scale - 104 : code;
    code = scale < 105U ? (exact < 0x34000000U ? u32v{} : splat<uint32_t>(1)) : code;  // to zero below 2^-23
    const uint32_t limit = HiFloat8::kInfinity - (saturate ? 1 : 0);
    code = exact >= 0x47200000U ? splat(limit) : code;  // from 1.25 * 2^15 on
    code = code | (code == 0U ? code : (u32v)v >> 31 << 7);
    return (i32v)(v == v ? code : splat<uint32_t>(HiFloat8::kNan));
}

}  // namespace pto::cpu
