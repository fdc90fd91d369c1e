// Pad values: what fills a tile outside its valid region.
#pragma once

#include <pto/common/type.hpp>

namespace pto {

/// True for a pad value that carries its own bits.
constexpr bool isCustomPadValue(PadValue pad)
{
    return static_cast<uint64_t>(pad) >= static_cast<uint64_t>(PadValue::CustomBase);
}

/// The bit pattern of a custom pad value, in the low bits for elements of fewer than 32 bits.
constexpr uint32_t getCustomPadBits(PadValue pad) { return static_cast<uint32_t>(static_cast<uint64_t>(pad)); }

/// A pad value from the bits of a 16-bit element.
constexpr PadValue PadValueCustom16(uint16_t bits)
{
    return static_cast<PadValue>(static_cast<uint64_t>(PadValue::CustomBase) | bits);
}

/// A pad value that is a number of the element type: 4, 2 or 1 bytes.
template <typename T>
constexpr PadValue PadValueCustom(T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 2 || sizeof(T) == 1, "a pad value has 1, 2 or 4 bytes");
    if constexpr (sizeof(T) == 4) {
        return static_cast<PadValue>(static_cast<uint64_t>(PadValue::CustomBase) | __builtin_bit_cast(uint32_t, value));
    } else if constexpr (sizeof(T) == 2) {
        return PadValueCustom16(__builtin_bit_cast(uint16_t, value));
    } else {
        return PadValueCustom16(__builtin_bit_cast(uint8_t, value));
    }
}

namespace detail {

template <typename T>
constexpr PadValue pad_of_constant(T value)
{
    if constexpr (static_cast<T>(0.5) != static_cast<T>(0)) {
        return PadValueCustom(static_cast<float>(value));
    } else {
        return PadValueCustom(static_cast<int32_t>(value));
    }
}

}  // namespace detail

/// PadCustom<-1.0f>, PadCustom<42>: a pad value from a constant.
template <auto V>
inline constexpr PadValue PadCustom = detail::pad_of_constant(V);

}  // namespace pto
