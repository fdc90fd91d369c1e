// std::numeric_limits of the four-bit types, as host code of tests asks for them.
#pragma once

#include <pto/common/small_floats.hpp>

#include <limits>

namespace pto::detail {

/// Limits of a packed four-bit type without infinities: raw 7 is the largest value, 1 the least above 0, 15 the lowest.
template <typename T>
struct PackedLimits {
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool has_infinity = false;
    static constexpr bool has_quiet_NaN = false;
    static T max() { return T::FromRaw(7); }
    static T infinity() { return max(); }
    static T lowest() { return T::FromRaw(15); }
    static T min() { return T::FromRaw(1); }
};

}  // namespace pto::detail

template <>
class std::numeric_limits<float4_e2m1x2_t> : public pto::detail::PackedLimits<float4_e2m1x2_t> {};
template <>
class std::numeric_limits<float4_e1m2x2_t> : public pto::detail::PackedLimits<float4_e1m2x2_t> {};
