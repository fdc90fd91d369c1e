"""The platforms as the bundled headers have them: `pto/cpu/core/platforms.hpp`."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.platforms.a2a3 import A2A3
from pyptogen.lower.platforms.a5 import A5
from pyptogen.lower.platforms.cpu import CPU
from pyptogen.lower.platforms.model import Memory, Platform

_HEADER = """\
// Memories and rules of the platforms: those of the CPU are this implementation's own, the others are what the checked
// mode checks for.
//
// Written from the platforms (pyptogen/lower/platforms) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {{

struct Platform {{
    const char* name;
    // Bytes of the memory of each location of tiles; 0 where there is none.
    {fields}
    /// A vector instruction may start before the one ahead of it has written.
    bool vector_barriers;
    /// TLOAD makes rows in L1 of what lies column after column in global memory; else columns stay columns.
    bool transposes_on_load;

    constexpr size_t memory(TileType loc) const
    {{
        switch (loc) {{
{cases}
            default: return 0;
        }}
    }}
}};

{platforms}

}}  // namespace pto::cpu
"""
_FIELDS: Mapping[str, str] = {
    "Vec": "vec", "Mat": "mat", "Left": "left", "Right": "right", "Acc": "acc", "Bias": "bias", "Scaling": "scaling",
    "ScaleLeft": "scale_left", "ScaleRight": "scale_right",
}  # fmt: skip
_MEMORIES: Mapping[str, Memory] = {"Vec": "ub", "Mat": "l1", "Left": "l0a", "Right": "l0b", "Acc": "l0c"}
_NAMES: Mapping[str, str] = {"cpu": "CPU", "a2a3": "A2/A3", "a5": "A5"}


def render() -> str:
    """The header."""
    return _HEADER.format(
        fields="\n    ".join(f"size_t {field};" for field in _FIELDS.values()),
        cases="\n".join(f"            case TileType::{loc}: return {field};" for loc, field in _FIELDS.items()),
        platforms="\n".join(_platform(platform) for platform in (CPU, A2A3, A5)),
    )


def _platform(platform: Platform) -> str:
    """A constant, its memories in KiB: those that tiles may lie in, unsafe ends too."""
    own = {loc: platform.memories[name] for loc, name in _MEMORIES.items()}
    rooms = {**own, **platform.tile_room, **platform.small_memories}
    sizes = "\n".join(f"    .{field} = {rooms.get(loc, 0) // 1024} * 1024," for loc, field in _FIELDS.items())
    rules = "\n".join(
        f"    .{rule} = {str(getattr(platform, rule)).lower()}," for rule in ("vector_barriers", "transposes_on_load")
    )
    return (
        f"constexpr Platform k{platform.name.capitalize()}{{\n"
        f'    .name = "{_NAMES[platform.name]}",\n{sizes}\n{rules}\n}};'
    )
