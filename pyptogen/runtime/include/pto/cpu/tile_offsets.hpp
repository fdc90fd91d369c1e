// Where an element of a tile is, counted in elements from data().
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/layout/fragments.hpp>

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

/// Bytes of one element, or of the pair of four-bit elements that share a byte.
template <typename T>
constexpr int GetTypeSize()
{
    return static_cast<int>(sizeof(T));
}

/// Element `offset` of an array, of which the four-bit types have two in a byte.
template <typename T>
inline T GetProperDataPart(const T* from, size_t offset)
{
    return load_element(from, static_cast<int64_t>(offset));
}
template <typename T>
inline void SetProperDataPart(T* to, size_t offset, T value)
{
    store_element(to, static_cast<int64_t>(offset), value);
}

}  // namespace pto
