// The type of a tile's memory, by location; a path of the public library.
#pragma once

#include <pto/common/tile_memory.hpp>

namespace pto {

/// On a CPU all of a core's memories are addressed alike.
template <TileType Loc, typename DType>
struct MemoryQualifier {
    using type = typename cpu::Chosen<cpu::kTilesOwnMemory, DType, DType*>::type;
};

}  // namespace pto
