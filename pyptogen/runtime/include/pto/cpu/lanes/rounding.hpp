// Rounding: fp32 vectors to whole numbers in every mode, and single values between any two element types.
#pragma once

#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu {

PTO_INLINE f32v floor_f32(f32v v)
{
    const f32v r = rint_f32(v);
    return r > v ? r - 1.0f : r;
}

PTO_INLINE f32v trunc_f32(f32v v)
{
    const u32v sign = (u32v)v & 0x80000000U;
    const f32v magnitude = (f32v)((u32v)v & 0x7fffffffU);
    return (f32v)((u32v)floor_f32(magnitude) | sign);
}

/// Rounds to a whole number in any mode. CAST_NONE rounds as CAST_RINT.
PTO_INLINE f32v round_f32(f32v v, RoundMode mode)
{
    const u32v sign = (u32v)v & 0x80000000U;
    switch (mode) {
        case RoundMode::CAST_FLOOR: return floor_f32(v);
        case RoundMode::CAST_CEIL: {
            const f32v r = rint_f32(v);
            return (f32v)((u32v)(r < v ? r + 1.0f : r) | sign);  // -0.5 gives -0
        }
        case RoundMode::CAST_TRUNC: return trunc_f32(v);
        case RoundMode::CAST_ROUND: {
            const f32v t = trunc_f32(v);
            const f32v rest = (f32v)((u32v)(v - t) & 0x7fffffffU);
            return rest >= 0.5f ? t + (f32v)(sign | 0x3f800000U) : t;
        }
        case RoundMode::CAST_ODD: {
            const f32v t = trunc_f32(v);
            const f32v half_t = t * 0.5f;
            const i32v even = trunc_f32(half_t) == half_t;
            return (even & (t != v)) ? t + (f32v)(sign | 0x3f800000U) : t;
        }
        default: return rint_f32(v);
    }
}

/// Rounds finite fp32 values to `Mantissa` binary places below their exponent, which counts as at least MinExponent.
template <int Mantissa, int MinExponent>
PTO_INLINE f32v round_to_grid(f32v v, RoundMode mode)
{
    const u32v sign = (u32v)v & 0x80000000U;
    i32v exponent = (i32v)((u32v)v << 1 >> 24) - 127;
    exponent = exponent < MinExponent ? splat<int32_t>(MinExponent) : exponent;
    // The last place 2^(exponent - mantissa), applied in two exact steps so that no factor leaves the normal range.
    const i32v places = Mantissa - exponent;
    const i32v first = places >> 1;
    const f32v up_a = (f32v)((first + 127) << 23), up_b = (f32v)((places - first + 127) << 23);
    const f32v down_a = (f32v)((127 - first) << 23), down_b = (f32v)((127 - places + first) << 23);
    const f32v whole = round_f32(v * up_a * up_b, mode);
    return (f32v)(((u32v)(whole * down_a * down_b) & 0x7fffffffU) | sign);
}

/// Rounds fp32 values to the precision of a narrower float in any mode; the result is exact in that type, or beyond
/// its largest value where the mode rounds away from zero.
template <typename T>
PTO_INLINE f32v round_to_precision(f32v v, RoundMode mode)
{
    constexpr float kLargest = is_same<T, half> ? 65504.0f : 3.38953139e38f;
    const u32v sign = (u32v)v & 0x80000000U;
    const f32v magnitude = (f32v)((u32v)v & 0x7fffffffU);
    f32v r = round_to_grid<is_same<T, half> ? 10 : 7, is_same<T, half> ? -14 : -126>(v, mode);
    const bool toward_zero = mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD;
    const i32v keeps = toward_zero                     ? i32v{} - 1
                       : mode == RoundMode::CAST_FLOOR ? v > 0.0f
                       : mode == RoundMode::CAST_CEIL  ? v < 0.0f
                                                       : i32v{};
    const f32v limit = (f32v)(sign | (u32v)splat(kLargest));
    const f32v result = (f32v)((u32v)r & 0x7fffffffU);
    r = (keeps & (result > kLargest)) ? limit : r;
    return magnitude < __builtin_inff() ? r : v;  // infinities and NaN stay
}

template <typename T>
constexpr double lowest_as_double()
{
    return T(-1) < T(0) ? -static_cast<double>(uint64_t(1) << (8 * sizeof(T) - 1)) : 0.0;
}
template <typename T>
constexpr double limit_as_double()  // one beyond the highest value
{
    return static_cast<double>(uint64_t(1) << (8 * sizeof(T) - 1)) * (T(-1) < T(0) ? 1.0 : 2.0);
}

/// Rounds one double to a whole number in any mode.
inline double round_double(double v, RoundMode mode)
{
    const double down = __builtin_floor(v);
    const double rest = v - down;
    const bool down_is_even = __builtin_floor(down * 0.5) * 2.0 == down;
    switch (mode) {
        case RoundMode::CAST_FLOOR: return down;
        case RoundMode::CAST_CEIL: return rest > 0 ? down + 1 : down;
        case RoundMode::CAST_TRUNC: return v < 0 && rest > 0 ? down + 1 : down;
        case RoundMode::CAST_ROUND: return rest > 0.5 || (rest == 0.5 && v > 0) ? down + 1 : down;
        case RoundMode::CAST_ODD: return rest > 0 && down_is_even ? down + 1 : down;
        default: return rest > 0.5 || (rest == 0.5 && !down_is_even) ? down + 1 : down;
    }
}

/// One float value to an integer type: rounded, saturated; NaN becomes 0.
template <typename To>
inline To float_to_integer(double v, RoundMode mode)
{
    if (v != v) {
        return To(0);
    }
    if (v >= limit_as_double<To>()) {
        return highest<To>();
    }
    if (v <= lowest_as_double<To>()) {
        return static_cast<To>(~highest<To>());
    }
    const double r = round_double(v, mode);
    return r >= limit_as_double<To>() ? highest<To>() : static_cast<To>(r);
}

/// One integer of any type to a float, rounded once, in any mode.
template <typename To, typename From>
inline To integer_to_float(From value, RoundMode mode)
{
    constexpr int kDigits = is_same<To, float> ? 24 : is_same<To, half> ? 11 : 8;
    const bool negative = value < From(0);
    const uint64_t magnitude = negative ? uint64_t(0) - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    const int length = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
    if (length <= kDigits) {
        return static_cast<To>(static_cast<float>(value));
    }
    const int dropped = length - kDigits;
    const uint64_t kept = magnitude >> dropped;
    const uint64_t rest = magnitude & ((uint64_t(1) << dropped) - 1);
    const uint64_t tie = uint64_t(1) << (dropped - 1);
    bool up = false;
    switch (mode) {
        case RoundMode::CAST_FLOOR: up = negative && rest != 0; break;
        case RoundMode::CAST_CEIL: up = !negative && rest != 0; break;
        case RoundMode::CAST_TRUNC: break;
        case RoundMode::CAST_ROUND: up = rest >= tie; break;
        case RoundMode::CAST_ODD: up = rest != 0 && (kept & 1) == 0; break;
        default: up = rest > tie || (rest == tie && (kept & 1) != 0); break;
    }
    float scaled = __builtin_ldexpf(static_cast<float>(kept + (up ? 1 : 0)), dropped);
    const bool toward_zero = mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD ||
                             mode == (negative ? RoundMode::CAST_CEIL : RoundMode::CAST_FLOOR);
    if (is_same<To, half> && toward_zero && scaled > 65504.0f) {
        scaled = 65504.0f;
    }
    return static_cast<To>(negative ? -scaled : scaled);
}

}  // namespace pto::cpu
