"""How long the blocks of a loop's iterations may be."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.ir import Loop, Program


def named_tiles(program: Program, loop: Loop) -> list[int]:
    """The lengths of a loop's blocks: its own, and those of tiling rows."""
    tiles = [loop.tile]
    if loop.exact:
        return tiles
    for row in program.tiling:
        for scope in (loop.stage, ""):
            size = row.sizes.get(scope, {}).get(loop.over)
            size = size.get("tile", size.get("l1")) if isinstance(size, Mapping) else size
            tiles += [size] if isinstance(size, int) else []
    return tiles
