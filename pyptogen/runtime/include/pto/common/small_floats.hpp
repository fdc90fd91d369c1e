// Element types of at most eight bits: fp8 (e4m3, e5m2), HiFloat8, MX scales (e8m0), fp4 (e2m1, e1m2) and int4.
//
// Each is one byte with the code in its low bits. Tiles and tensors of the four-bit types hold two elements in a byte,
// the first in the low nibble; see is_packed4_v.
#pragma once

#include <cstdint>

#include <pto/common/type.hpp>

namespace pto {

namespace detail {

/// A whole number next to |x| >= 0 (below 2^52), rounded in any mode; `negative` is the sign that x had.
constexpr uint64_t round_magnitude(double x, bool negative, RoundMode mode)
{
    const uint64_t down = static_cast<uint64_t>(x);
    const double rest = x - static_cast<double>(down);
    bool up = false;
    switch (mode) {
        case RoundMode::CAST_FLOOR: up = negative && rest > 0; break;
        case RoundMode::CAST_CEIL: up = !negative && rest > 0; break;
        case RoundMode::CAST_TRUNC: break;
        case RoundMode::CAST_ROUND: up = rest >= 0.5; break;
        case RoundMode::CAST_ODD: up = rest > 0 && down % 2 == 0; break;
        default: up = rest > 0.5 || (rest == 0.5 && down % 2 != 0); break;
    }
    return down + (up ? 1 : 0);
}

constexpr double power_of_two(int exponent)
{
    return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

/// floor(log2(x)) of a normal positive double; smaller ones count as the least normal.
constexpr int exponent_of(double x) { return static_cast<int>(__builtin_bit_cast(uint64_t, x) >> 52 & 0x7ff) - 1023; }

}  // namespace detail

/// What a format does with values that it has no code for.
enum class SpecialCodes : uint8_t {
    None,      // no NaN, no infinity: everything saturates, NaN becomes the largest value
    NanOnly,   // the highest magnitude code is NaN (e4m3)
    Ieee,      // the highest exponent holds infinity and NaN (e5m2)
};

/// A sign-magnitude float with subnormals in the low 1 + Exponent + Mantissa bits of a byte.
template <int Exponent, int Mantissa, int Bias, SpecialCodes Special>
struct SmallFloat {
    static constexpr int kMantissa = Mantissa;
    static constexpr int kMinExponent = 1 - Bias;
    static constexpr int kSignBit = Exponent + Mantissa;
    static constexpr uint8_t kLastCode = static_cast<uint8_t>((1 << kSignBit) - 1);
    static constexpr uint8_t kMaxCode = static_cast<uint8_t>(
        Special == SpecialCodes::Ieee      ? kLastCode - (1 << Mantissa)
        : Special == SpecialCodes::NanOnly ? kLastCode - 1
                                           : kLastCode);
    static constexpr uint8_t kNan = Special == SpecialCodes::None ? kMaxCode : kLastCode;
    static constexpr uint8_t kOverflow = Special == SpecialCodes::Ieee ? kMaxCode + 1 : kNan;

    uint8_t data;

    SmallFloat() = default;
    /// To nearest even; beyond the largest value saturates.
    constexpr SmallFloat(double value) : data(encode(value, RoundMode::CAST_RINT, true)) {}

    static constexpr SmallFloat FromRaw(uint8_t raw)
    {
        SmallFloat made{};
        made.data = raw;
        return made;
    }
    constexpr uint8_t RawData() const { return data; }
    constexpr operator double() const { return decode(data); }

    /// The code of a value, rounded once in any mode. Without saturation an overflow is infinity, or NaN where the format
    /// has no infinity.
    static constexpr uint8_t encode(double value, RoundMode mode, bool saturate)
    {
        const bool negative = (__builtin_bit_cast(uint64_t, value) >> 63) != 0;
        const uint8_t sign = negative ? static_cast<uint8_t>(1 << kSignBit) : uint8_t(0);
        if (value != value) {
            return kNan;
        }
        const double magnitude = negative ? -value : value;
        const uint8_t limit = static_cast<uint8_t>(sign | (saturate ? kMaxCode : kOverflow));
        if (magnitude >= detail::power_of_two(100)) {
            return limit;
        }
        int exponent = detail::exponent_of(magnitude);
        exponent = exponent < kMinExponent ? kMinExponent : exponent;
        const double places = magnitude * detail::power_of_two(Mantissa - exponent);
        const uint64_t code = (static_cast<uint64_t>(exponent - kMinExponent) << Mantissa) +
                              detail::round_magnitude(places, negative, mode);
        return code > kMaxCode ? limit : static_cast<uint8_t>(sign | code);
    }

    static constexpr double decode(uint8_t code)
    {
        const int magnitude = code & kLastCode;
        const double sign = (code >> kSignBit & 1) != 0 ? -1.0 : 1.0;
        if (magnitude > kMaxCode) {
            return Special == SpecialCodes::Ieee && magnitude == kOverflow ? sign * __builtin_inf() : __builtin_nan("");
        }
        const int field = magnitude >> Mantissa;
        const int fraction = magnitude & ((1 << Mantissa) - 1);
        const int significand = field == 0 ? fraction : fraction + (1 << Mantissa);
        return sign * significand * detail::power_of_two((field == 0 ? 1 : field) - Bias - Mantissa);
    }
};

/// An MX scale: 2^(code - 127), 255 is NaN. From a number: the power of two at or below it.
struct ScaleFloat {
    uint8_t data;

    ScaleFloat() = default;
    constexpr ScaleFloat(double value) : data(encode(value)) {}
    static constexpr ScaleFloat FromRaw(uint8_t raw)
    {
        ScaleFloat made{};
        made.data = raw;
        return made;
    }
    constexpr uint8_t RawData() const { return data; }
    constexpr operator double() const { return data == 255 ? __builtin_nan("") : detail::power_of_two(data - 127); }

private:
    static constexpr uint8_t encode(double value)
    {
        if (value != value) {
            return 255;
        }
        const double magnitude = value < 0 ? -value : value;
        const int code = detail::exponent_of(magnitude) + 127;
        return static_cast<uint8_t>(code < 0 ? 0 : code > 254 ? 254 : code);
    }
};

/// HiFloat8: sign, a prefix code of the number of exponent bits (0 to 4), the exponent as sign and magnitude with a hidden
/// leading one, and what is left as mantissa. 2^-22 to 2^15 in magnitude; 0x80 is NaN, 0x6f and 0xef are the infinities.
struct HiFloat8 {
    static constexpr uint8_t kNan = 0x80;
    static constexpr uint8_t kInfinity = 0x6f;
    static constexpr int kMinExponent = -22;

    uint8_t data;

    HiFloat8() = default;
    constexpr HiFloat8(double value) : data(encode(value, true)) {}
    static constexpr HiFloat8 FromRaw(uint8_t raw)
    {
        HiFloat8 made{};
        made.data = raw;
        return made;
    }
    constexpr uint8_t RawData() const { return data; }
    constexpr operator double() const { return decode(data); }

    /// To nearest, ties away from zero: the only mode that the hardware has for this format.
    static constexpr uint8_t encode(double value, bool saturate)
    {
        if (value != value) {
            return kNan;
        }
        const bool negative = value < 0;
        const uint8_t sign = negative ? 0x80 : 0;
        const double magnitude = negative ? -value : value;
        const uint8_t limit = static_cast<uint8_t>(sign | (saturate ? kInfinity - 1 : kInfinity));
        if (magnitude < detail::power_of_two(-23)) {
            return 0;
        }
        if (magnitude >=
            1.25 * detail::power_of_two(15)) {  // halfway from the last finite value to the code of infinity
            return limit;
        }
        int exponent = detail::exponent_of(magnitude);
        exponent = exponent < kMinExponent ? kMinExponent : exponent;
        int digits = mantissa_bits(exponent);
        uint64_t rounded = detail::round_magnitude(
            magnitude * detail::power_of_two(digits - exponent), negative, RoundMode::CAST_ROUND);
        if (rounded >> digits == 2) {
            ++exponent;
            digits = mantissa_bits(exponent);
            rounded = uint64_t(1) << digits;
        }
        return static_cast<uint8_t>(sign | place(exponent, static_cast<int>(rounded - (uint64_t(1) << digits))));
    }

    static constexpr double decode(uint8_t code)
    {
        const double sign = (code & 0x80) != 0 ? -1.0 : 1.0;
        const int rest = code & 0x7f;
        if (rest < 8) {
            return rest != 0 ? sign * detail::power_of_two(rest - 23) : code == 0 ? 0.0 : __builtin_nan("");
        }
        if (rest == kInfinity) {
            return sign * __builtin_inf();
        }
        const int bits = rest >= 0x60 ? 4 : rest >= 0x40 ? 3 : rest >= 0x20 ? 2 : rest >= 0x10 ? 1 : 0;
        const int digits = bits > 1 ? 5 - bits : 3;
        const int field = rest >> digits & ((1 << bits) - 1);
        const int hidden = bits == 0 ? 0 : 1 << (bits - 1);
        const int size = bits == 0 ? 0 : hidden | (field & (hidden - 1));
        const int exponent = (field & hidden) != 0 ? -size : size;
        const int fraction = rest & ((1 << digits) - 1);
        return sign * ((1 << digits) + fraction) * detail::power_of_two(exponent - digits);
    }

private:
    static constexpr int mantissa_bits(int exponent)
    {
        const int size = exponent < 0 ? -exponent : exponent;
        return exponent < -15 ? 0 : size < 4 ? 3 : size < 8 ? 2 : 1;
    }
    static constexpr uint8_t place(int exponent, int fraction)
    {
        const int size = exponent < 0 ? -exponent : exponent;
        if (exponent < -15) {
            return static_cast<uint8_t>(exponent + 23);
        }
        const int bits = size == 0 ? 0 : size == 1 ? 1 : size < 4 ? 2 : size < 8 ? 3 : 4;
        const int prefix = bits == 0 ? 0x08 : bits == 1 ? 0x10 : 0x20 * (bits - 1);
        const int hidden = bits == 0 ? 0 : 1 << (bits - 1);
        const int field = bits == 0 ? 0 : (size - hidden) | (exponent < 0 ? hidden : 0);
        return static_cast<uint8_t>(prefix | field << mantissa_bits(exponent) | fraction);
    }
};

/// A signed integer of four bits, in the low bits of a byte.
struct int4b_t {
    uint8_t storage;

    int4b_t() = default;
    constexpr explicit int4b_t(int32_t value) : storage(static_cast<uint8_t>(value & 15)) {}
    static constexpr int4b_t FromRaw(uint8_t raw) { return int4b_t(raw); }
    constexpr uint8_t RawData() const { return storage; }
    constexpr operator int8_t() const { return static_cast<int8_t>((storage & 15) - ((storage & 8) != 0 ? 16 : 0)); }
};

}  // namespace pto

using float8_e4m3_t = pto::SmallFloat<4, 3, 7, pto::SpecialCodes::NanOnly>;
using float8_e5m2_t = pto::SmallFloat<5, 2, 15, pto::SpecialCodes::Ieee>;
using float4_e2m1x2_t = pto::SmallFloat<2, 1, 1, pto::SpecialCodes::None>;
using float4_e1m2x2_t = pto::SmallFloat<1, 2, 1, pto::SpecialCodes::None>;
using float8_e8m0_t = pto::ScaleFloat;
using hifloat8_t = pto::HiFloat8;

namespace pto {

template <typename T>
inline constexpr bool is_small_float_v = false;
template <int E, int M, int B, SpecialCodes S>
inline constexpr bool is_small_float_v<SmallFloat<E, M, B, S>> = true;
template <>
inline constexpr bool is_small_float_v<HiFloat8> = true;

/// Types of which two elements share a byte: element i is in byte i / 2, in the low nibble where i is even.
template <typename T>
inline constexpr bool is_packed4_v = false;
template <>
inline constexpr bool is_packed4_v<float4_e2m1x2_t> = true;
template <>
inline constexpr bool is_packed4_v<float4_e1m2x2_t> = true;

/// Element i of an array, of which the four-bit types have two in a byte.
template <typename T>
PTO_INLINE T load_element(const T* from, int64_t i)
{
    if constexpr (is_packed4_v<T>) {
        return T::FromRaw(static_cast<uint8_t>(from[i >> 1].RawData() >> (i & 1) * 4 & 15));
    } else {
        return from[i];
    }
}
template <typename T>
PTO_INLINE void store_element(T* to, int64_t i, T value)
{
    if constexpr (is_packed4_v<T>) {
        const int shift = static_cast<int>(i & 1) * 4;
        const int kept = to[i >> 1].RawData() & (0xf0 >> shift);
        to[i >> 1] = T::FromRaw(static_cast<uint8_t>(kept | (value.RawData() & 15) << shift));
    } else {
        to[i] = value;
    }
}

}  // namespace pto

/// The public library's name for is_packed4_v.
template <typename T>
constexpr bool IsTwinType()
{
    return pto::is_packed4_v<T>;
}
