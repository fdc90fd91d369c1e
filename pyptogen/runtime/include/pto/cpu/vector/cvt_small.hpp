// TCVT to and from the element types of at most eight bits: fp8, HiFloat8, fp4 and int4.
//
// All of them are exact in fp32. To HiFloat8 the mode is ignored: the hardware rounds to nearest, ties away from zero.
// The lines of an fp4 tile follow each other without gaps; those of an int4 tile start Cols bytes apart, as on A2/A3.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/lanes/decode_lanes.hpp>
#include <pto/cpu/lanes/rounding.hpp>
#include <pto/cpu/vector/elementwise.hpp>

namespace pto::cpu {

template <typename T>
inline constexpr bool is_int4 = is_same<T, int4b_t>;
template <typename T>
inline constexpr bool is_small_type = is_small_float_v<T> || is_same<T, ScaleFloat> || is_int4<T>;

/// Two codes in a byte: fp4 and int4.
template <typename T>
inline constexpr bool is_nibble = is_packed4_v<T> || is_int4<T>;

/// The value of every code.
template <typename T>
struct CodeValues {
    static constexpr int kCodes = is_nibble<T> ? 16 : 256;
    float of[kCodes];

    constexpr CodeValues() : of{}
    {
        for (int code = 0; code < kCodes; ++code) {
            if constexpr (is_int4<T>) {
                of[code] = static_cast<float>(static_cast<int8_t>(T(code)));
            } else {
                of[code] = static_cast<float>(static_cast<double>(T::FromRaw(static_cast<uint8_t>(code))));
            }
        }
    }
};
template <typename T>
inline constexpr CodeValues<T> code_values{};

/// fp32 values as codes of a SmallFloat, one in each lane.
template <typename T>
PTO_INLINE i32v encode_lanes(f32v v, RoundMode mode, bool saturate)
{
    constexpr int kBias = 1 - T::kMinExponent;
    const i32v sign = (i32v)((u32v)v >> 31 << T::kSignBit);
    const f32v magnitude = (f32v)((u32v)v & 0x7fffffffU);
    const f32v finite = magnitude < 1e38f ? v : splat(1e38f);
    const f32v rounded = (f32v)((u32v)round_to_grid<T::kMantissa, T::kMinExponent>(finite, mode) & 0x7fffffffU);
    // With the format's bias in place of fp32's the code is the upper part of the bits, subnormals included.
    const f32v moved = rounded * (f32v)splat<int32_t>(kBias << 23);
    i32v code = (i32v)((u32v)moved >> (23 - T::kMantissa));
    const i32v limit = splat<int32_t>(saturate ? T::kMaxCode : T::kOverflow);
    code = (code > T::kMaxCode ? limit : code) | sign;
    return v == v ? code : splat<int32_t>(T::kNan);
}

/// fp32 values rounded to whole numbers of four bits, one in each lane; without saturation the low bits stay.
PTO_INLINE i32v int4_lanes(f32v v, RoundMode mode, bool saturate)
{
    f32v r = round_f32(v == v ? v : f32v{}, mode);
    const float low = saturate ? -8.0f : -2147483648.0f, high = saturate ? 7.0f : 2147483520.0f;
    const i32v wrapped = (r >= 2147483648.0f) & splat<int32_t>(saturate ? 0 : -1);
    r = r < low ? splat(low) : r;
    r = r > high ? splat(high) : r;
    return (wrapped ? splat<int32_t>(-1) : __builtin_convertvector(r, i32v)) & 15;
}

/// Line `line` of a tile of a small type: its first byte. Every line of the tile must start on a whole byte.
template <typename T>
PTO_INLINE T* small_line(Lines<T> lines, int64_t line)
{
    return lines.start + (is_packed4_v<T> ? line * lines.pitch / 2 : line * lines.pitch);
}

/// Puts n codes, one in each byte of `codes`, at the start of a line.
template <typename T>
PTO_INLINE void store_codes(T* to, const uint8_t* codes, int64_t first, int64_t n)
{
    uint8_t* bytes = reinterpret_cast<uint8_t*>(to);
    if constexpr (!is_nibble<T>) {
        __builtin_memcpy(bytes + first, codes, static_cast<size_t>(n));
    } else {
        int64_t i = 0;
        for (; i + 2 <= n; i += 2) {
            bytes[(first + i) / 2] = static_cast<uint8_t>(codes[i] | codes[i + 1] << 4);
        }
        if (i < n) {  // the upper half of the last byte belongs to somebody else
            bytes[(first + i) / 2] = static_cast<uint8_t>((bytes[(first + i) / 2] & 0xf0) | codes[i]);
        }
    }
}

constexpr int kCodeBlock = 256;  // codes at a time; even

/// One line of numbers to a small type.
template <typename To, typename From>
PTO_INLINE void encode_line(To* to, const From* from, int64_t n, RoundMode mode, bool saturate)
{
    for (int64_t first = 0; first < n; first += kCodeBlock) {
        uint8_t codes[kCodeBlock + kF32Lanes];
        const int64_t count = n - first < kCodeBlock ? n - first : kCodeBlock;
        const From* source = from + first;
        if constexpr (is_float<From> && !is_same<To, ScaleFloat>) {
            sweep<kF32Lanes, 1>(count, [&](int64_t i, auto extent) __attribute__((always_inline)) {
                const f32v v = load(source + i, extent);
                if constexpr (is_int4<To>) {
                    store_int(codes + i, int4_lanes(v, mode, saturate), Full{});
                } else if constexpr (is_same<To, HiFloat8>) {
                    store_int(codes + i, hif8_codes(v, saturate), Full{});
                } else {
                    store_int(codes + i, encode_lanes<To>(v, mode, saturate), Full{});
                }
            });
        } else {
            for (int64_t i = 0; i < count; ++i) {
                const double value = is_float<From> ? static_cast<double>(static_cast<float>(source[i]))
                                                    : static_cast<double>(source[i]);
                if constexpr (is_same<To, HiFloat8>) {
                    codes[i] = HiFloat8::encode(value, saturate);
                } else if constexpr (is_same<To, ScaleFloat>) {
                    codes[i] = ScaleFloat(value).RawData();
                } else if constexpr (is_int4<To>) {
                    const int64_t whole = static_cast<int64_t>(source[i]);
                    codes[i] = static_cast<uint8_t>((!saturate ? whole : whole < -8 ? -8 : whole > 7 ? 7 : whole) & 15);
                } else {
                    codes[i] = To::encode(value, mode, saturate);
                }
            }
        }
        store_codes(to, codes, first, count);
    }
}

/// One line of int4, two in a byte, to numbers; of negative ones unsigned types get 0, or without saturation the low bits.
template <typename To>
PTO_INLINE void decode_int4_line(To* to, const uint8_t* bytes, int64_t n, bool saturate)
{
    if constexpr (is_same<To, bfloat16_t>) {
        int64_t i = 0;
        for (; i + 2 * kF32Lanes <= n; i += 2 * kF32Lanes) {
            store_bits(to + i, int4_as_bf16((u32v)load_int(bytes + i / 2, Full{})));
        }
        to += i, bytes += i / 2, n -= i;
    }
    for (int64_t first = 0; first < n; first += kCodeBlock) {
        int8_t numbers[kCodeBlock + 2 * kF32Lanes];
        const int64_t count = n - first < kCodeBlock ? n - first : kCodeBlock;
        sweep<kF32Lanes, 1>((count + 1) / 2, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            const u32v pairs = int4_as_int8((u32v)load_int(bytes + first / 2 + i, extent));
            store_int(reinterpret_cast<uint16_t*>(numbers) + i, (i32v)pairs, Full{});
        });
        if constexpr (is_float<To>) {
            sweep<kF32Lanes, 1>(count, [&](int64_t i, auto extent) __attribute__((always_inline)) {
                const i32v whole = load_int(numbers + i, Full{});
                store(to + first + i, __builtin_convertvector(whole, f32v), extent);
            });
        } else {
            const int8_t least = static_cast<To>(-1) > 0 && saturate ? 0 : -8;
            for (int64_t i = 0; i < count; ++i) {
                to[first + i] = static_cast<To>(numbers[i] < least ? least : numbers[i]);
            }
        }
    }
}

/// One line of fp4, two in a byte, to floats.
template <typename From, typename To>
PTO_INLINE void decode_fp4_line(To* to, const uint8_t* bytes, int64_t n)
{
    for (int64_t first = 0; first < n; first += kCodeBlock) {
        uint8_t codes[kCodeBlock + 2 * kF32Lanes];
        const int64_t count = n - first < kCodeBlock ? n - first : kCodeBlock;
        sweep<kF32Lanes, 1>((count + 1) / 2, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            const u32v pairs = codes_as_bytes((u32v)load_int(bytes + first / 2 + i, extent));
            store_int(reinterpret_cast<uint16_t*>(codes) + i, (i32v)pairs, Full{});
        });
        sweep<kF32Lanes, 1>(count, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            store(to + first + i, decode_lanes<From>((u32v)load_int(codes + i, Full{})), extent);
        });
    }
}

/// One line of a small type to numbers.
template <typename To, typename From>
PTO_INLINE void decode_line(To* to, const From* from, int64_t n, bool saturate)
{
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(from);
    if constexpr (is_byte_float<From> && is_float<To>) {
        sweep<kF32Lanes, 1>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) {
            store(to + i, decode_lanes<From>((u32v)load_int(bytes + i, extent)), extent);
        });
        return;
    }
    if constexpr (is_packed4_v<From> && is_float<To>) {
        decode_fp4_line<From>(to, bytes, n);
        return;
    }
    if constexpr (is_int4<From>) {
        decode_int4_line(to, bytes, n, saturate);
        return;
    }
    for (int64_t i = 0; i < n; ++i) {
        const int code = is_nibble<From> ? bytes[i >> 1] >> (i & 1) * 4 & 15 : bytes[i];
        const float value = code_values<From>.of[code];
        if constexpr (is_float<To>) {
            to[i] = static_cast<To>(value);
        } else {
            to[i] = float_to_integer<To>(value, RoundMode::CAST_RINT);
        }
    }
}

/// m lines of n elements, where at least one side is a small type; two different small types go by fp32.
template <typename To, typename From>
PTO_INLINE void convert_small_lines(int64_t m, int64_t n, Lines<To> to, Lines<From> from, RoundMode mode, bool saturate)
{
    for (int64_t line = 0; line < m; ++line) {
        if constexpr (is_small_type<To> && is_small_type<From>) {
            To* d = small_line(to, line);
            const From* s = small_line(from, line);
            for (int64_t first = 0; first < n; first += kCodeBlock) {
                float wide[kCodeBlock];
                const int64_t count = n - first < kCodeBlock ? n - first : kCodeBlock;
                decode_line(wide, s + (is_nibble<From> ? first / 2 : first), count, saturate);
                encode_line(d + (is_nibble<To> ? first / 2 : first), wide, count, mode, saturate);
            }
        } else if constexpr (is_small_type<To>) {
            encode_line(small_line(to, line), from.start + line * from.pitch, n, mode, saturate);
        } else {
            decode_line(to.start + line * to.pitch, static_cast<const From*>(small_line(from, line)), n, saturate);
        }
    }
}

}  // namespace pto::cpu
