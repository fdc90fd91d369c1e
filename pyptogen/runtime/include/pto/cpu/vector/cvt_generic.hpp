// TCVT on GNU vector extensions. Included by cvt.hpp only.
#pragma once

namespace pto::cpu {

template <typename To>
PTO_INLINE f32v nearest_for_int(f32v v)
{
    return is_same<To, int32_t> ? rint_f32(v) : v;
}

/// Whole fp32 values as int32: saturated, NaN as 0.
PTO_INLINE i32v saturated_int32(f32v v)
{
    v = v == v ? v : f32v{};
    const i32v over = v >= 2147483648.0f;
    const i32v under = v < -2147483648.0f;
    const i32v r = __builtin_convertvector((over | under) ? f32v{} : v, i32v);
    return over ? splat<int32_t>(0x7fffffff) : under ? splat<int32_t>(-0x7fffffff - 1) : r;
}

/// Stores fp32 values as integers of at most 32 bits: rounded to nearest (int32: whole already), saturated, NaN as 0.
template <typename To, typename Extent>
PTO_INLINE void store_saturated(To* to, f32v v, Extent extent)
{
    if constexpr (is_same<To, int32_t>) {
        store_int(to, saturated_int32(v), extent);
    } else {
        v = v == v ? v : f32v{};
        constexpr float kLow = static_cast<float>(lowest_as_double<To>());
        constexpr float kHigh = static_cast<float>(limit_as_double<To>() - 1);
        v = v < kLow ? splat(kLow) : v;
        v = v > kHigh ? splat(kHigh) : v;
        store_int(to, round_to_int(v), extent);
    }
}

template <typename To, typename From>
PTO_INLINE int64_t convert_groups(To*, const From*, int64_t, bool, bool)
{
    return 0;
}

}  // namespace pto::cpu
