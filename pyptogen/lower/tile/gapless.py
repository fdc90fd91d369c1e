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
    added = AddedTiles(kernel.tiles, [*kernel.arguments, *(loop.var for loop in walk_loops(kernel.body))])
    body = rewrite(kernel.body, lambda op: (_by_row(op, added) if op.dst in apart else op,))
    return replace(kernel, body=body, tiles=tuple(added.tiles.values()))


def _by_row(op: TileOp, added: AddedTiles) -> Node:
    """A loop over rows in the place of what gathers by a pattern."""
    if not isinstance(op, GatherByPattern):
        return op
    dst = added.tiles[str(op.dst)]
    at = added.variable(f"{dst.name}_at")
    source, target = (added.line(name, Poly.of(at)) for name in (str(op.srcs[0]), dst.name))
    line = replace(op, dst=target, srcs=(source,))
    return Loop(at, at, ZERO, dst.rows.poly(), 1, None, "sub", False, (line,), op.span)
