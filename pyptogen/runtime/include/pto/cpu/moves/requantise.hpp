// What the fixpipe does to an accumulator value on its way out: scale, round, saturate, relu.
//
// A quantisation word holds a factor in bits 13 to 31 (sign, exponent and ten bits of the fraction of an fp32), a
// shift in bits 32 to 35, a signed offset in bits 37 to 45 (-256 to 255), and in bit 46 whether an 8-bit result is
// signed. The scaled value is rounded and kept to nine bits before the offset is added (the goldens of the public A2/A3
// tests), so an odd offset does not change which way a tie goes.
//
// The public simulator reads words otherwise: offsets from 0 to 511, added before rounding, and all 32 bits of the
// factor where one word serves all columns. Sources for that simulator (__CPU_SIM) get its reading, unless PTO_QUANT_WORDS_AS_ON_DEVICES is
// defined; PTO_QUANT_WORDS_AS_SIMULATED gives it to others.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/isa/products.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu {

#if defined(PTO_QUANT_WORDS_AS_SIMULATED) || (defined(__CPU_SIM) && !defined(PTO_QUANT_WORDS_AS_ON_DEVICES))
constexpr bool kWordsAsSimulated = true;
#else
constexpr bool kWordsAsSimulated = false;
#endif

template <bool PerColumn>
PTO_INLINE float quantisation_factor(uint64_t word)
{
    constexpr uint32_t kUsed = kWordsAsSimulated && !PerColumn ? 0xffffffffU : 0xffffe000U;
    return __builtin_bit_cast(float, static_cast<uint32_t>(word) & kUsed);
}

PTO_INLINE float quantisation_offset(uint64_t word)
{
    const int32_t field = static_cast<int32_t>((word >> 37) & 0x1ff);
    return static_cast<float>(field >= 256 && !kWordsAsSimulated ? field - 512 : field);
}

PTO_INLINE float clamped(float v, float low, float high) { return v < low ? low : v > high ? high : v; }

/// Rounds to nearest, ties to even; the result is exact for |v| < 2^22, beyond which v is returned as it is.
PTO_INLINE float rounded_even(float v)
{
    const float magnitude = v < 0 ? -v : v;
    if (!(magnitude < 4194304.0f)) {
        return v;
    }
    const float shifted = magnitude + 8388608.0f;
    const float whole = shifted - 8388608.0f;
    return v < 0 ? -whole : whole;
}

PTO_INLINE float offset_and_rounded(float v, float offset)
{
    return kWordsAsSimulated ? rounded_even(v + offset) : clamped(rounded_even(v), -256.0f, 255.0f) + offset;
}

/// Bit 48 of the cookie of a task, where launches keep the control word: infinities become the largest finite values,
/// NaN becomes 0.
PTO_INLINE bool saturates_infinity() { return ((core_state().task_cookie >> 48) & 1) != 0; }

/// An accumulator value under a quantisation word. NaN becomes 0 in an integer, and under relu everywhere.
template <typename To, bool Relu, bool PerColumn, typename From>
PTO_INLINE To requantised(From value, uint64_t word)
{
    static_assert(isa::requantises<From, To>, "TMOV, TEXTRACT, TINSERT, TSTORE and TPUSH quantise " PTO_REQUANTISED);
    if constexpr (is_same<From, int32_t> && is_same<To, int16_t>) {
        const int32_t shifted = value >> (((word >> 32) & 0xf) + 1);
        const int32_t limited = shifted < -32768 ? -32768 : shifted > 32767 ? 32767 : shifted;
        return static_cast<To>(Relu && limited < 0 ? 0 : limited);
    } else {
        float v = static_cast<float>(value) * quantisation_factor<PerColumn>(word);
        if constexpr (is_same<To, int8_t> || is_same<To, uint8_t>) {
            const bool is_signed = ((word >> 46) & 1) != 0;
            v = v == v ? offset_and_rounded(v, quantisation_offset(word)) : 0.0f;
            v = clamped(v, is_signed ? -128.0f : 0.0f, is_signed ? 127.0f : 255.0f);
            v = Relu && v < 0 ? 0.0f : v;
            return static_cast<To>(static_cast<int32_t>(v));
        } else {
            v = Relu && !(v > 0) ? 0.0f : v;
            if (__builtin_expect(saturates_infinity(), 0)) {
                v = v != v ? 0.0f : clamped(v, -3.4028235e38f, 3.4028235e38f);
            }
            const bool finite = v - v == 0;
            if constexpr (is_same<To, half>) {
                v = finite || is_same<From, int32_t> ? clamped(v, -65504.0f, 65504.0f) : v;
            } else if constexpr (is_same<To, bfloat16_t>) {
                v = finite ? clamped(v, -3.38953139e38f, 3.38953139e38f) : v;
            }
            return static_cast<To>(v);
        }
    }
}

/// A converter of accumulator values: (value, column) -> To. The plain one casts; the others apply quantisation words.
template <typename To, bool Relu>
struct CastValue {
    template <typename From>
    PTO_INLINE To operator()(From value, int64_t) const
    {
        return static_cast<To>(!Relu || value > From(0) ? value : From(0));
    }
};
template <typename To, bool Relu>
struct QuantiseByScalar {
    uint64_t word;
    template <typename From>
    PTO_INLINE To operator()(From value, int64_t) const
    {
        return requantised<To, Relu, false>(value, word);
    }
};
template <typename To, bool Relu>
struct QuantiseByColumn {
    const uint64_t* words;
    template <typename From>
    PTO_INLINE To operator()(From value, int64_t column) const
    {
        return words == nullptr ? CastValue<To, Relu>{}(value, column)
                                : requantised<To, Relu, true>(value, words[column]);
    }
};

}  // namespace pto::cpu
