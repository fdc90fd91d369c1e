// Codes of fp8 and fp4 as fp32 values, a vector at a time.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

template <typename T>
inline constexpr bool is_fp8 = is_same<T, float8_e4m3_t> || is_same<T, float8_e5m2_t>;

/// The values of codes, one in each lane.
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

}  // namespace pto::cpu
