// What the kernels of this directory share: tiles filled and read as raw bytes, so that tests see every byte.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

template <typename Tile>
inline void fill_tile(Tile& tile, const void* bytes)
{
    __builtin_memcpy(static_cast<void*>(tile.data()), bytes, Tile::GetSizeInBytes());
}

template <typename Tile>
inline void read_tile(void* bytes, const Tile& tile)
{
    __builtin_memcpy(bytes, static_cast<const void*>(tile.data()), Tile::GetSizeInBytes());
}
