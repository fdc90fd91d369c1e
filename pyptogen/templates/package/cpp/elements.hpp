// Element types that C++17 has not: their bits, and for those of 16 bits the numbers.
#ifndef PYPTOGEN_ELEMENTS_HPP
#define PYPTOGEN_ELEMENTS_HPP

#include <cstdint>
#include <cstring>

namespace pyptogen {

namespace detail {

inline uint32_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float of_bits(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// To nearest, ties to even, as all conversions here.
inline uint16_t to_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline uint16_t to_fp16(float value)
{
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and more
    if (magnitude < 0x38800000u) {  // below 2^-14: adding 2^-1 * 2^-13 rounds at the last bit that fp16 keeps
        const float shifted = of_bits(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (bits_of(shifted) - 0x3f000000u));
    }
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13));
}

inline float from_fp16(uint16_t bits)
{
    const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu, digits = bits & 0x3ffu;
    if (exponent == 0) {
        const float small = static_cast<float>(digits) * 0x1p-24f;
        return sign != 0 ? -small : small;
    }
    return of_bits(sign | (exponent == 0x1fu ? 0x7f800000u : (exponent + 112u) << 23) | digits << 13);
}

}  // namespace detail

struct bf16 {
    uint16_t bits = 0;
    bf16() = default;
    explicit bf16(float value) : bits(detail::to_bf16(value)) {}
    explicit operator float() const { return detail::of_bits(static_cast<uint32_t>(bits) << 16); }
};

struct fp16 {
    uint16_t bits = 0;
    fp16() = default;
    explicit fp16(float value) : bits(detail::to_fp16(value)) {}
    explicit operator float() const { return detail::from_fp16(bits); }
};

// Codes of eight bits.
struct fp8_e4m3 { uint8_t bits; };
struct fp8_e5m2 { uint8_t bits; };
struct fp8_e8m0 { uint8_t bits; };
struct hif8 { uint8_t bits; };
// Two elements of a row in a byte, the first in the low bits: sizes count bytes.
struct int4x2 { uint8_t bits; };
struct fp4_e2m1x2 { uint8_t bits; };

}  // namespace pyptogen

#endif
