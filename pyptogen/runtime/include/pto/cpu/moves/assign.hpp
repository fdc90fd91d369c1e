// TASSIGN: where a tile lives.
#pragma once

#include <pto/common/conv_tile.hpp>
#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/layout/fragments.hpp>

namespace pto {

namespace cpu {

/// Bytes that a tile occupies in the memory of its location.
template <typename Tile>
constexpr size_t tile_bytes()
{
    if constexpr (Tile::Loc == TileType::Left) {
        return static_cast<size_t>(round_up(Tile::Rows, 32) / 32 * left_panel_bytes<Tile>);
    } else if constexpr (Tile::Loc == TileType::Right) {
        return static_cast<size_t>(round_up(Tile::Cols, 32) / 32 * right_panel_bytes<Tile>);
    } else if constexpr (Tile::Loc == TileType::Acc) {
        return static_cast<size_t>(round_up(Tile::Rows, 32) / 32 * acc_panel_bytes<Tile>);
    } else {
        return Tile::GetSizeInBytes();
    }
}

/// The memory that an address of TASSIGN means: a byte offset in the pool of a location, or, as kernels write it that pass
/// on another tile's data(), the address of such memory itself.
PTO_INLINE char* place_address(TileType loc, size_t address)
{
    return address < CorePools::kBytes ? pool_address(loc, address) : reinterpret_cast<char*>(address);
}

}  // namespace cpu

/// Puts a tile at a byte offset of the calling core's memory of the tile's location (or at another tile's data(), as an
/// integer), or moves a GlobalTensor to a pointer.
template <typename Object, typename Address>
PTO_INST RecordEvent TASSIGN(Object& object, Address address)
{
    if constexpr (is_tile_data_v<Object>) {
        static_assert(
            cpu::tile_bytes<Object>() <= cpu::kCpu.memory(Object::Loc),
            "TASSIGN: the tile must not be larger than its memory");
        char* at = cpu::place_address(Object::Loc, static_cast<size_t>(address));
        object.address() = reinterpret_cast<typename Object::DType*>(at);
        if constexpr (Object::Loc == TileType::Right) {
            object.operand = at;
            object.operandPanelBytes = cpu::right_panel_bytes<Object>;
        }
    } else if constexpr (is_conv_tile_v<Object>) {
        object.data() =
            reinterpret_cast<typename Object::DType*>(cpu::place_address(Object::Loc, static_cast<size_t>(address)));
    } else {
        static_assert(is_global_data_v<Object>, "TASSIGN takes a tile, a ConvTile or a GlobalTensor");
        object.SetAddr(address);
    }
    return {};
}

namespace cpu {

/// A tile of `Bytes` bytes at an address that is a number, in a memory of `Room` bytes. Bytes are counted as the device's
/// headers do: all rows, and one for each number of four bits. Their simulator asks nothing.
#if !defined(__CPU_SIM)
template <size_t Address, size_t Bytes, size_t Room>
struct PlaceOfTile {
    static_assert(Address % TileConfig::alignedSize == 0, "TASSIGN: the address must be a multiple of 32 bytes");
    static_assert(Address + Bytes <= Room, "TASSIGN: the tile must end inside of its memory");
    static constexpr bool kGood = true;
};
#else
template <size_t Address, size_t Bytes, size_t Room>
struct PlaceOfTile {
    static constexpr bool kGood = true;
};
#endif

}  // namespace cpu

/// The same with an address that is a number: whether the tile fits there is known when it is compiled.
template <size_t Address, typename Object>
PTO_INST RecordEvent TASSIGN(Object& object)
{
    if constexpr (is_tile_data_v<Object>) {
        constexpr size_t kBytes = size_t(Object::Numel) * sizeof(typename Object::DType);
        static_assert(cpu::PlaceOfTile<Address, kBytes, cpu::kCpu.memory(Object::Loc)>::kGood);
    }
    return TASSIGN(object, Address);
}

}  // namespace pto
