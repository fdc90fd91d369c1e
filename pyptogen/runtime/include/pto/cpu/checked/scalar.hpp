// Scalar access to vector tiles: what GetValue and SetValue of a Tile do among the pipes.
#pragma once

#include <pto/cpu/checked/engine.hpp>
#include <pto/cpu/checked/platform.hpp>

namespace pto::cpu::checked {

/// One element of a tile, `offset` elements from its start, read or written by the scalar unit. False when it lies
/// outside of the tile.
inline bool on_element(const void* tile, size_t offset, size_t elements, size_t bytes, bool writes, Site site)
{
    const Place place{site.file, site.line, true};
    const char* const name = writes ? "SetValue" : "GetValue";
    if (tile == nullptr) {
        report(place, "%s: a UB tile has no address; TASSIGN it first", name);
        return false;
    }
    if (offset >= elements) {
        report(place, "%s: element %zu leaves its tile of %zu elements", name, offset, elements);
        return false;
    }
    engine().place = place;
    const auto size = static_cast<int64_t>(bytes);
    const Region region{reinterpret_cast<uintptr_t>(tile) + offset * bytes, size, size, 1};
    const uintptr_t from = named_offset(TileType::Vec, region);
    if (!writes && engine().first_unwritten(region, true) >= 0) {
        report(place, "GetValue reads byte %#zx of UB, which nothing has written", static_cast<size_t>(from));
    }
    const uint32_t time = engine().begin_instruction(PIPE_S);
    engine().access({region, name, memory_name(TileType::Vec), from, from + bytes, place, time, PIPE_S, writes, false});
    if (writes) {
        engine().mark_written(region);
    }
    engine().place.exact = false;
    return true;
}

}  // namespace pto::cpu::checked
