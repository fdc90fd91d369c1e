// The value that a PadValue stands for in an element type.
#pragma once

#include <pto/common/pad_value.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu {

/// Null and Zero are 0; Max and Min are the infinities of a float and the ends of an integer's range.
template <typename T>
inline T pad_value(PadValue pad)
{
    T value{};
    if (isCustomPadValue(pad)) {
        const uint32_t bits = getCustomPadBits(pad);
        __builtin_memcpy(&value, &bits, sizeof(T) < 4 ? sizeof(T) : 4);
    } else if (pad == PadValue::Max || pad == PadValue::Min) {
        if constexpr (is_integer<T>) {
            value = pad == PadValue::Max ? highest<T>() : lowest<T>();
        } else {
            value = static_cast<T>(pad == PadValue::Max ? __builtin_inff() : -__builtin_inff());
        }
    }
    return value;
}

}  // namespace pto::cpu
