"""Running sums and products along one axis of a tile.

before: c = cumsum x [R, C]
after:  CPU    c_before = fill 0; c = cumsum x, c_before            one instruction goes along all rows
        A2/A3  x_transposed = transpose x; c_transposed = column_cumsum x_transposed; c = transpose c_transposed

before: c = column_cumsum x [R, C]
after:  c[0] = copy x[0]; for c_at in 0..R-1: c[c_at + 1] = add c[c_at], x[c_at + 1]

The elements of a column [R, 1] lie as a row, and are taken as one where an instruction goes along rows; elsewhere those
of a single row or column become rows of a tile, one element each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.kinds import RUNNING_NAMES
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, Loop, Node, ScalarArg, TileOp, TileVal
from pyptogen.lower.tile.ops import Binary, Copy, Fill, Scan, Transpose
from pyptogen.records import replace

JOINS = {"cumsum": "add", "cumprod": "mul"}


def steps(op: Scan, tiles: AddedTiles, platform: Platform) -> Sequence[Node]:
    """What makes the running sums or products of a tile, the only operand of ``op``."""
    source = tiles.tiles[str(op.srcs[0])]
    over_rows = op.over_rows
    op = replace(op, over_rows=False)
    if (source.rows if over_rows else source.cols).size == 1:
        return [Copy.of(op, op.dst, *op.srcs)]
    if over_rows and source.form == "full":
        return _row_by_row(op, tiles)
    by_instruction = source.dtype in INSTRUCTIONS[RUNNING_NAMES[op.fn]].dtypes[platform.name]
    if by_instruction and source.form != "col":
        return _along_rows(op, tiles)
    own = replace(source, parent=None, col_offset=0, row_offset=ZERO)
    if by_instruction:
        as_row = replace(own, rows=Extent(1), cols=own.rows, form="row")
        return _moved(op, tiles, Copy, as_row, _along_rows)
    if source.form == "full":
        return _moved(op, tiles, Transpose, replace(own, rows=own.cols, cols=own.rows), _row_by_row, own)
    apart = replace(own, rows=own.rows if over_rows else own.cols, cols=Extent(1), form="full")
    return _moved(op, tiles, Copy, apart, _row_by_row, apart)


def _row_by_row(op: Scan, tiles: AddedTiles) -> list[Node]:
    """Each row of the result follows from the one before it."""
    dst, source, at = str(op.dst), str(op.srcs[0]), tiles.variable(f"{op.dst}_at")
    here = Poly.of(at)
    following = here + ONE
    first = Copy.of(op, tiles.line(dst, ZERO), tiles.line(source, ZERO))
    so_far, part = tiles.line(dst, here), tiles.line(source, following)
    step = Binary.of(op, tiles.line(dst, following), so_far, part, fn=JOINS[op.fn])
    behind_first = tiles.tiles[source].rows.poly() - ONE
    return [first, Loop(at, at, ZERO, behind_first, 1, None, "sub", False, (step,), op.span)]


def _along_rows(op: Scan, tiles: AddedTiles) -> list[Node]:
    """By the instruction that goes along rows; before the first column there is nothing yet."""
    source = tiles.tiles[str(op.srcs[0])]
    before = tiles.like(f"{op.dst}_before", source, cols=Extent(32 // DTYPES[source.dtype]))
    start = ScalarArg(int(op.fn == "cumprod"), op.span)
    return [Fill.of(op, before, start), replace(op, srcs=(source.name, before))]


def _moved(
    op: Scan,
    tiles: AddedTiles,
    by: type[Copy] | type[Transpose],
    shape: TileVal,
    make: Callable[[Scan, AddedTiles], list[Node]],
    scratch: TileVal | None = None,
) -> list[Node]:
    """The operation on a tile of another shape, to which and from which an operation ``by`` leads."""
    source, dst = str(op.srcs[0]), str(op.dst)
    there, made = tiles.add(f"{source}_moved", shape), tiles.add(f"{dst}_moved", shape)

    def move(to: str, of: str, like: TileVal | None) -> TileOp:
        return by.of(op, to, of, scratch=tiles.add(f"{to}_tmp", like) if like else None)

    back = shape if scratch is not None else None
    return [move(there, source, scratch), *make(replace(op, dst=made, srcs=(there,)), tiles), move(dst, made, back)]
