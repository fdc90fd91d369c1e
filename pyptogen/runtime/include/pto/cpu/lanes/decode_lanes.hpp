// Codes of fp8, HiFloat8 and fp4 as fp32 values, and pairs of int4 as int8 or bf16, a vector at a time.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/lanes/hif8_lanes.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

template <typename T>
inline constexpr bool is_fp8 = is_same<T, float8_e4m3_t> || is_same<T, float8_e5m2_t>;
template <typename T>
inline constexpr bool is_byte_float = is_fp8<T> || is_same<T, hifloat8_t>;

/// The values of codes, one in each lane.
template <typename T>
PTO_INLINE f32v decode_lanes(u32v codes)
    requires(is_same<T, hifloat8_t>)
{
    return hif8_values(codes);
}
template <typename T>
PTO_INLINE f32v decode_lanes(u32v codes)
{
    constexpr int kBias = 1 - T::kMinExponent;
    const u32v magnitude = codes & static_cast<uint32_t>(T::kLastCode);
    const u32v sign = (codes >> T::kSignBit) << 31;
    const f32v placed = (f32v)(magnitude << (23 - T::kMantissa));
    // From the format's bias to fp32's; what was a subnormal becomes normal.
    f32v v = placed * (f32v)splat<uint32_t>(static_cast<uint32_t>(254 - kBias) << 23);
    if constexpr (T::kMaxCode != T::kLastCode) {
        f32v special = splat(__builtin_nanf(""));
        if constexpr (T::kOverflow != T::kNan) {
            special = magnitude == static_cast<uint32_t>(T::kOverflow) ? splat(__builtin_inff()) : special;
        }
        v = magnitude > static_cast<uint32_t>(T::kMaxCode) ? special : v;
    }
    return (f32v)((u32v)v | sign);
}

/// The two codes of a byte in each lane, the one in the low bits first: as bytes, in the lower half of the lane.
PTO_INLINE u32v codes_as_bytes(u32v bytes) { return (bytes & 0x0fU) | (bytes & 0xf0U) << 4; }

/// The two int4 of a byte in each lane, the one in the low bits first: as int8, in the lower half of the lane.
PTO_INLINE u32v int4_as_int8(u32v bytes)
{
    const u32v pair = codes_as_bytes(bytes);
    return pair | (pair & 0x0808U) * 0x1eU;
}

/// The same as bf16, of which each lane has room for two.
PTO_INLINE u32v int4_as_bf16(u32v bytes)
{
    const f32v first = __builtin_convertvector((i32v)(bytes << 28) >> 28, f32v);
    const f32v second = __builtin_convertvector((i32v)(bytes << 24) >> 28, f32v);
    return (u32v)first >> 16 | ((u32v)second & 0xffff0000U);
}

}  // namespace pto::cpu
