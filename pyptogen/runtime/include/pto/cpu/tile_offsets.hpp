// Where an element of a tile is, counted in elements from data().
#pragma once

#include <pto/cpu/fragments.hpp>

namespace pto {

/// Offset of element (row, col) from the tile's data(), in elements, in this implementation's order of bytes.
template <typename Tile>
inline size_t GetTileElementOffset(int64_t row, int64_t col)
{
    using T = typename Tile::DType;
    alignas(64) static char origin[64];
    Tile tile{};
    tile.data() = reinterpret_cast<T*>(origin);
    if constexpr (Tile::Loc == TileType::Right) {
        tile.operand = origin;
        tile.operandPanelBytes = cpu::right_panel_bytes<Tile>;
    }
    const auto from = reinterpret_cast<uintptr_t>(cpu::element_address(tile, row, col));
    return (from - reinterpret_cast<uintptr_t>(origin)) / sizeof(T);
}

}  // namespace pto
