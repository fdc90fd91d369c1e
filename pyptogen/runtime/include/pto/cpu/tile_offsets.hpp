// Where an element of a tile is, counted in elements from data().
#pragma once

#include <pto/cpu/fragments.hpp>

namespace pto {

/// Offset of element (row, col) from the tile's data(), in elements, in this implementation's order of bytes.
template <typename Tile>
inline size_t GetTileElementOffset(int64_t row, int64_t col)
{
    return static_cast<size_t>(cpu::element_offset<Tile>(row, col));
}

template <typename Tile>
inline size_t GetTileOffset(int64_t row, int64_t col)
{
    return GetTileElementOffset<Tile>(row, col);
}

}  // namespace pto
