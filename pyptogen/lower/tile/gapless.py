"""What a pattern gathers lies without gaps, so that it goes row by row into a tile whose rows lie apart.

before: x [32 x 40] = every x_between …; y [32 x 80] = … x …     where x has the pitch of y: they meet in an instruction
after:  for each row: x[row] = every x_between[row] …
"""

from __future__ import annotations

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, rewrite, walk, walk_loops
from pyptogen.lower.tile.ops import GatherByPattern
from pyptogen.lower.tile.pitches import pitches
from pyptogen.records import replace


def run(kernel: TileKernel) -> TileKernel:
    """The kernel with those gathered row by row, the kernel itself where there are none."""
    gathered = {str(op.dst) for op in walk(kernel.body) if isinstance(op, GatherByPattern)}
    if not gathered:
        return kernel
    pitch, tiles = pitches(kernel), {tile.name: tile for tile in kernel.tiles}
    apart = {n for n in gathered if tiles[n].rows.size > 1 and pitch[n] != tiles[n].cols.size}
    if not apart:
        return kernel
    lines = _Lines(kernel, apart)
    return replace(kernel, body=rewrite(kernel.body, lambda op: (lines.by_row(op),)), tiles=tuple(lines.tiles.values()))


class _Lines(AddedTiles):
    def __init__(self, kernel: TileKernel, apart: set[str]) -> None:
        super().__init__(kernel.tiles, [*kernel.arguments, *(loop.var for loop in walk_loops(kernel.body))])
        self.apart = apart

    def by_row(self, op: TileOp) -> Node:
        """A loop over rows in the place of such an operation."""
        if not isinstance(op, GatherByPattern) or op.dst not in self.apart:
            return op
        dst = self.tiles[str(op.dst)]
        at = self.variable(f"{dst.name}_at")
        source, target = (self.line(name, Poly.of(at)) for name in (str(op.srcs[0]), dst.name))
        line = replace(op, dst=target, srcs=(source,))
        return Loop(at, at, ZERO, dst.rows.poly(), 1, None, "sub", False, (line,), op.span)
