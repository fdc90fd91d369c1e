// TASSIGN: where a tile lives.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/cpu/core.hpp>
#include <pto/cpu/fragments.hpp>

namespace pto {

/// Puts a tile at a byte offset of the calling core's memory of the tile's location, or moves a GlobalTensor to a pointer.
template <typename Object, typename Address>
PTO_INST RecordEvent TASSIGN(Object& object, Address address)
{
    if constexpr (is_tile_data_v<Object>) {
        char* at = cpu::pool_address(Object::Loc, static_cast<size_t>(address));
        object.data() = reinterpret_cast<typename Object::DType*>(at);
        if constexpr (Object::Loc == TileType::Right) {
            object.operand = at;
            object.operandPanelBytes = cpu::right_panel_bytes<Object>;
        }
    } else {
        static_assert(is_global_data_v<Object>, "TASSIGN takes a tile or a GlobalTensor");
        object.SetAddr(address);
    }
    return {};
}

template <size_t Address, typename Object>
PTO_INST RecordEvent TASSIGN(Object& object)
{
    return TASSIGN(object, Address);
}

}  // namespace pto
