"""Running sums and products along one axis of a tile.

before: c = cumsum x [R, C]
after:  CPU    c_before = fill 0; c = cumsum x, c_before            one instruction goes along all rows
        A2/A3  c_across = transpose x; c_across = column_cumsum c_across; c = transpose c_across

before: c = column_cumsum x [R, C]
after:  c[0] = copy x[0]; for at in 0..R-1: c[at + 1] = add c[at], x[at + 1]

before: c_so_far = fill 0; for n0: c = column_cumsum x, c_so_far {carries = true}
after:  c_so_far = fill 0; for n0: c[0] = add c_so_far, x[0]; for at …; c_so_far = copy c[R - 1]

Along rows `c_so_far` is the end of `c` on a CPU, columns that begin where windows may. The elements of a column [R, 1]
lie as a row, and are taken as one where an instruction goes along rows; elsewhere those of a single row or column
become rows of a tile, one element each.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.kinds import RUNNING_NAMES
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, Loop, Node, ScalarArg, TileVal
from pyptogen.lower.tile.ops import Binary, Copy, Fill, Scan, Transpose
from pyptogen.records import replace

JOINS = {"cumsum": "add", "cumprod": "mul"}


def steps(op: Scan, tiles: AddedTiles, platform: Platform) -> Sequence[Node]:
    """What makes the running sums or products of a tile, that goes on from another one or from nothing."""
    source = tiles.tiles[str(op.srcs[0])]
    over_rows = op.over_rows
    op = replace(op, over_rows=False)
    if (source.rows if over_rows else source.cols).size == 1 and not op.carries:
        return [Copy.of(op, op.dst, *op.srcs)]
    if over_rows and source.form == "full":
        return _row_by_row(op, tiles)
    own = replace(source, parent=None, col_offset=0, row_offset=ZERO)
    if source.dtype in INSTRUCTIONS[RUNNING_NAMES[op.fn]].dtypes[platform.name]:
        return _along_rows(op, tiles) if source.form != "col" else _as_row(op, tiles, own)
    if source.form == "full":
        return _moved(op, tiles, Transpose, replace(own, rows=own.cols, cols=own.rows), own)
    apart = replace(own, rows=own.rows if over_rows else own.cols, cols=Extent(1), form="full")
    return _moved(op, tiles, Copy, apart, apart)


def _row_by_row(op: Scan, tiles: AddedTiles) -> list[Node]:
    """Each row of the result follows from the one before it."""
    dst, source, at = str(op.dst), op.operands[0], tiles.variable("at")
    here, height, join = Poly.of(at), tiles.tiles[op.operands[0]].rows.poly(), JOINS[op.fn]
    begun: list[Node] = []
    if op.carries or source != dst:
        first = tiles.line(dst, ZERO, "first")
        first_part = first if source == dst else tiles.line(source, ZERO, "first")
    if op.carries:
        so_far = op.operands[1]
        lines = tiles.tiles[so_far]
        if lines.form == "col":
            tiles.tiles[so_far] = replace(lines, rows=Extent(1), cols=lines.rows, form="row")
        begun = [Binary.of(op, first, so_far, first_part, fn=join)]
    elif source != dst:
        begun = [Copy.of(op, first, first_part)]
    before, part = tiles.line(dst, here, "here"), tiles.line(source, here + ONE, "next")
    following = part if source == dst else tiles.line(dst, here + ONE, "next")
    step = Binary.of(op, following, before, part, fn=join)
    loop = Loop(at, at, ZERO, height - ONE, 1, None, "sub", False, (step,), op.span)
    last = [Copy.of(op, op.operands[1], tiles.line(dst, height - ONE, "last"))] if op.carries else []
    return [*begun, loop, *last]


def _along_rows(op: Scan, tiles: AddedTiles) -> list[Node]:
    """By the instruction that goes along rows; before the first column there is nothing yet."""
    dst = tiles.tiles[str(op.dst)]
    aligned = 32 // DTYPES[dst.dtype]
    if op.carries:
        behind = dst.col_offset + dst.cols.size
        end = replace(dst, cols=Extent(aligned), parent=dst.owner, col_offset=behind - aligned)
        tiles.tiles[op.operands[1]] = replace(end, name=op.operands[1])
        return [replace(op, carries=False)]
    before = tiles.like(f"{op.dst}_before", dst, cols=Extent(aligned))
    start = ScalarArg(int(op.fn == "cumprod"), op.span)
    return [Fill.of(op, before, start), replace(op, srcs=(*op.srcs, before))]


def _as_row(op: Scan, tiles: AddedTiles, column: TileVal) -> list[Node]:
    """Of a column, by that instruction."""
    row = replace(column, rows=Extent(1), cols=column.rows, form="row")
    there, made = tiles.add(f"{op.operands[0]}_moved", row), tiles.add(f"{op.dst}_moved", row)
    inside = _along_rows(replace(op, dst=made, srcs=(there, *op.srcs[1:])), tiles)
    return [Copy.of(op, there, op.operands[0]), *inside, Copy.of(op, op.dst, made)]


def _moved(
    op: Scan, tiles: AddedTiles, by: type[Copy] | type[Transpose], shape: TileVal, scratch: TileVal
) -> list[Node]:
    """Row by row in a tile of another shape, to which and from which an operation ``by`` leads."""
    there = tiles.add(f"{op.dst}_{'across' if by is Transpose else 'moved'}", shape)
    before, behind = tiles.add(f"{there}_tmp", scratch), tiles.add(f"{op.dst}_tmp", shape)
    inside = _row_by_row(replace(op, dst=there, srcs=(there, *op.srcs[1:])), tiles)
    return [
        by.of(op, there, op.operands[0], scratch=before), *inside, by.of(op, op.dst, there, scratch=behind),
    ]  # fmt: skip
