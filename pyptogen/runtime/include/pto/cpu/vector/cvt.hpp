// TCVT: conversion between element types.
//
// NaN becomes 0 as an integer. With SaturationMode::ON integers saturate. With OFF a float becomes an int32 first
// (saturated), and of that or of an integer source the low bits stay. Results of 32 and 64 bits from floats always
// saturate. float to narrower float follows IEEE 754 (to nearest even overflows to infinity). Without a mode, the pairs
// that the devices narrow as PyTorch does (see narrows_by_default) take OFF and all others ON.
#pragma once

#include <pto/cpu/lanes/rounding.hpp>
#include <pto/cpu/vector/cvt_small.hpp>
#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

template <typename T>
inline constexpr bool is_small_integer = !is_float<T> && (sizeof(T) <= 2 || is_same<T, int32_t>);

constexpr bool is_nearest(RoundMode mode) { return mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE; }

}  // namespace cpu

}  // namespace pto

#if defined(PTO_CPU_AVX512)
#include <pto/cpu/vector/cvt_avx512.hpp>
#elif defined(PTO_CPU_AVX2)
#include <pto/cpu/vector/cvt_avx2.hpp>
#else
#include <pto/cpu/vector/cvt_generic.hpp>
#endif

namespace pto {

namespace cpu {

/// One line between types of at most 32 bits, a vector of 32-bit lanes at a time.
template <typename To, typename From>
PTO_INLINE void convert_line(To* to, const From* from, int64_t n, RoundMode mode, bool saturate)
{
    const int64_t done = convert_groups(to, from, n, is_nearest(mode), saturate);
    to += done;
    from += done;
    n -= done;
    sweep<kF32Lanes, 4>(n, [=](int64_t i, auto extent) __attribute__((always_inline)) {
        if constexpr (is_float<From> && is_float<To>) {
            f32v v = load(from + i, extent);
            if constexpr (is_same<From, To>) {
                v = round_f32(v, mode);
            } else if constexpr (is_half_width_float<To>) {
                v = is_nearest(mode) ? v : round_to_precision<To>(v, mode);
            }
            store(to + i, v, extent);
        } else if constexpr (is_float<From>) {
            const f32v v = load(from + i, extent);
            if constexpr (sizeof(To) < 4) {
                if (!saturate) {
                    const f32v whole = is_nearest(mode) ? nearest_for_int<int32_t>(v) : round_f32(v, mode);
                    store_int(to + i, saturated_int32(whole), extent);
                    return;
                }
            }
            const f32v rounded = is_nearest(mode) ? nearest_for_int<To>(v) : round_f32(v, mode);
            store_saturated<To>(to + i, rounded, extent);
        } else if constexpr (is_float<To>) {
            f32v v = __builtin_convertvector(load_int(from + i, extent), f32v);
            if constexpr (is_half_width_float<To>) {
                v = is_nearest(mode) ? v : round_to_precision<To>(v, mode);
            }
            store(to + i, v, extent);
        } else {
            i32v v = load_int(from + i, extent);
            if (saturate) {
                constexpr int32_t kLow = static_cast<int32_t>(sizeof(To) == 4 ? lowest<int32_t>() : lowest<To>());
                constexpr int32_t kHigh = static_cast<int32_t>(sizeof(To) == 4 ? highest<int32_t>() : highest<To>());
                v = v < kLow ? splat<int32_t>(kLow) : v;
                v = v > kHigh ? splat<int32_t>(kHigh) : v;
            }
            store_int(to + i, v, extent);
        }
    });
}

/// One value between any two types: the slow way, for 64-bit and unsigned 32-bit integers, and for int32 to a float
/// that cannot hold it in a mode other than to nearest.
template <typename To, typename From>
inline To convert_value(From value, RoundMode mode, bool saturate)
{
    if constexpr (is_float<From> && is_float<To>) {
        return static_cast<To>(static_cast<float>(value));
    } else if constexpr (is_float<From>) {
        return float_to_integer<To>(static_cast<double>(static_cast<float>(value)), mode);
    } else if constexpr (is_float<To>) {
        return static_cast<To>(integer_to_float<To>(value, mode));
    } else {
        const bool negative = value < From(0);
        const bool over = !negative && static_cast<uint64_t>(value) > static_cast<uint64_t>(highest<To>());
        const bool under = negative && static_cast<int64_t>(value) < static_cast<int64_t>(lowest<To>());
        return !saturate ? static_cast<To>(value)
               : over    ? highest<To>()
               : under   ? lowest<To>()
                         : static_cast<To>(value);
    }
}

template <typename To, typename From>
PTO_INLINE void convert_lines(int64_t m, int64_t n, Lines<To> to, Lines<From> from, RoundMode mode, bool saturate)
{
    if (to.pitch == n && from.pitch == n) {
        n *= m;
        m = m > 0 ? 1 : 0;
    }
    constexpr bool kVectors = (is_float<From> || is_small_integer<From>) && (is_float<To> || is_small_integer<To>);
    // int32 has more digits than a float: anything but one rounding to nearest fp32 takes the slow way.
    constexpr bool kTwoRoundings = is_same<From, int32_t> && is_same<To, bfloat16_t>;
    const bool slow = !kVectors || kTwoRoundings || (is_same<From, int32_t> && is_float<To> && !is_nearest(mode));
    for (int64_t line = 0; line < m; ++line) {
        To* d = to.start + line * to.pitch;
        const From* s = from.start + line * from.pitch;
        if constexpr (kVectors && !kTwoRoundings) {
            if (!slow) {
                convert_line(d, s, n, mode, saturate);
                continue;
            }
        }
        for (int64_t i = 0; i < n; ++i) {
            d[i] = convert_value<To>(s[i], mode, saturate);
        }
    }
}

template <typename Dst, typename Src>
PTO_INLINE void convert_tiles(Dst& dst, Src& src, RoundMode mode, SaturationMode saturation)
{
    PTO_OPERANDS(TCVT, dst, src);
    const bool saturate = saturation == SaturationMode::ON;
    if constexpr (is_small_type<typename Dst::DType> || is_small_type<typename Src::DType>) {
        convert_small_lines(line_count(dst), line_length(dst), lines_of(dst), lines_of(src), mode, saturate);
    } else {
        convert_lines(line_count(dst), line_length(dst), lines_of(dst), lines_of(src), mode, saturate);
    }
}

/// The pairs for which the devices keep low bits unless told otherwise (public A2/A3 and A5 headers).
template <typename To, typename From>
inline constexpr bool narrows_by_default =
    (is_same<From, half> && (is_same<To, uint8_t> || is_same<To, int8_t> || is_same<To, int16_t>)) ||
    (is_same<To, int16_t> && (is_same<From, float> || is_same<From, int32_t>)) ||
    (is_same<To, int32_t> && is_same<From, int64_t>);
template <typename Dst, typename Src>
inline constexpr SaturationMode default_saturation =
    narrows_by_default<typename Dst::DType, typename Src::DType> ? SaturationMode::OFF : SaturationMode::ON;

}  // namespace cpu

/// dst = src converted. CAST_NONE rounds to nearest even where the value does not fit exactly.
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, const Events&... events)
{
    TSYNC(events...);
    cpu::convert_tiles(dst, src, mode, cpu::default_saturation<Dst, Src>);
    return {};
}

/// dst = src converted, with saturation of integers switched on or off
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, SaturationMode saturation, const Events&... events)
{
    TSYNC(events...);
    cpu::convert_tiles(dst, src, mode, saturation);
    return {};
}

/// The forms with a scratch tile, which is not needed here
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename Tmp, typename... Events>
    requires is_tile_data_v<Tmp>
PTO_INST RecordEvent TCVT(Dst& dst, Src& src, Tmp&, RoundMode mode, const Events&... events)
{
    TSYNC(events...);
    cpu::convert_tiles(dst, src, mode, cpu::default_saturation<Dst, Src>);
    return {};
}
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename Tmp, typename... Events>
    requires is_tile_data_v<Tmp>
PTO_INST RecordEvent TCVT(Dst& dst, Src& src, Tmp&, RoundMode mode, SaturationMode saturation, const Events&... events)
{
    TSYNC(events...);
    cpu::convert_tiles(dst, src, mode, saturation);
    return {};
}

}  // namespace pto
