// The type of a tile's memory, by location; a path of the public library.
#pragma once

#include <pto/common/type.hpp>

namespace pto {

/// On a CPU all of a core's memories are addressed alike.
template <TileType Loc, typename DType>
struct MemoryQualifier {
#if defined(__PTO_AUTO__)
    using type = DType;
#else
    using type = DType*;
#endif
};

}  // namespace pto
