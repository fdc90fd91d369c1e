"""Running sums and products: one row of a tile after the other, or, on a CPU, along the rows of a tile.

before: y = cumsum(x: fp32[rows, 1024], axis=0)
after:  a2a3  for i1 step 64: total = 0
                for i2 step 64: part = load x[i2.., i1..]; sums[0] = total + part[0]
                  for at: sums[at + 1] = sums[at] + part[at + 1]
                  total = copy sums[63]; store y[…] = sums
        cpu   for i1 step 768: total = 0; for i2: total += load x[i2, i1..]; store y[i2, i1..] = total

before: y = cumsum(x: fp32[rows, 1024], axis=-1)
after:  a2a3  for i1 step 16: total = 0
                for i2 step 256: across = transpose load x[i1.., i2..]; across[0] += total
                  for at: across[at + 1] += across[at]
                  total = copy across[255]; store y[…] = transpose across
        cpu   for i1 step 8: last = 0; for i2 step 256: sums = cumsum(load x[i1.., i2..], last); store y[…] = sums

`last` is the last columns of `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.transposed import can_transpose
from pyptogen.lower.tile.ir import Extent, Loop, Node
from pyptogen.lower.tile.ops import Binary, Copy, Fill, Scan, Transpose
from pyptogen.lower.tile.running import JOINS
from pyptogen.lower.tile.standalone.builder import CPU_TILE_BYTES, Item, StandaloneBuilder, Step
from pyptogen.records import dataclass

CPU_LINES = 8
"""Lines that a CPU takes at a time where each is one run: as many as TROWCUMSUM steps along together (fp32)."""
CPU_APART_BYTES = 32
"""Of one step of lines that lie apart, on a CPU: each touches a line of cache in operand and result, all of them in one
set where lines are 4 KB apart, and must find it there in the next step (fp32: 8 lines 5 times as fast as 512)."""


LINES_ACROSS = 16
"""Lines that are transposed together, to be the columns of a tile: as many as fill 64 bytes of each row (fp32). A step
takes as long for one line as for all of these, and few of them are enough for many cores."""
BYTES_OF_ROW = 256
"""Of lines that lie beside each other, as many as one repeat of a vector instruction takes: a step takes hardly longer
for more of them, but fewer cores have work."""
BYTES_OF_PART = 16384
"""Of one tile: UB has about eight, of which two are loaded and two stored in turns."""


def scan(b: StandaloneBuilder, op: Op) -> None:
    """Along the axis; as many lines beside each other as fit a tile, or stay in cache."""
    (source,) = op.operands
    assert isinstance(source, Value)
    axis = int(op.attrs["axis"])
    view, target = b.source(source), b.target()

    def side(part: slice) -> list[Item]:
        return b.merged(b.items(target.axes[part], view.axes[part]))

    along, others = side(slice(axis, axis + 1)), [*side(slice(axis)), *side(slice(axis + 1, None))]
    by_rows = [item.steps for item in along] == [(ONE, ONE)]
    if by_rows and b.platform.unified:
        _along_rows(b, (view, target), along[0], others)
    elif by_rows and can_transpose(op.result.dtype):
        _across(b, (view, target), along[0], others or [Item(ONE, (ONE, ONE))])
    elif not b.platform.unified and len(along) == 1 and others and others[-1].steps == (ONE, ONE):
        _down(b, (view, target), along[0], others)
    else:
        _step_by_step(b, (view, target), along, others)


def _along_rows(b: StandaloneBuilder, views: tuple[GmView, GmView], along: Item, others: list[Item]) -> None:
    """Tiles of a few lines and a part of the axis; the next part goes on from the last column: the end of a
    window that begins where windows may."""
    op, dtype = b.op, b.op.result.dtype
    view, target = views
    beside = others.pop() if others else Item(ONE, (ONE, ONE))
    lines = b.step(beside, CPU_LINES)
    part = b.step(along, CPU_TILE_BYTES // 2 // CPU_LINES // DTYPES[dtype])
    read, sums = (b.tile(name, dtype, lines.extent(), part.extent(), "full") for name in ("part", "sums"))
    aligned = 32 // DTYPES[dtype]
    if along.extent == Poly.of(part.tile):
        last = b.tile("last", dtype, lines.extent(), Extent(aligned), "full")
    else:
        last = b.window("last", sums, part.tile - aligned, Extent(aligned))
    kept = [*(b.step(item, 1) for item in others), lines]
    steps = [*kept, part]
    body = [
        b.load(read, view.tensor, b.at(view.offset, steps, 1), beside.steps[1]),
        b.do(Scan, sums, read, last, fn=op.kind),
        b.store(sums, target.tensor, b.at(target.offset, steps, 0), beside.steps[0]),
    ]
    begin = b.do(Fill, last, b.number(sympy.Integer(op.kind == "cumprod")))
    b.nest(kept, [begin, *b.wrapped([part], body)])


def _across(b: StandaloneBuilder, views: tuple[GmView, GmView], along: Item, others: list[Item]) -> None:
    """Tiles of some lines and a part of the axis, transposed: a column of lines in GM would be a transfer for each of
    its elements."""
    dtype = b.op.result.dtype
    lines = b.step(others.pop(), LINES_ACROSS)
    part = b.step(along, BYTES_OF_PART // LINES_ACROSS // DTYPES[dtype])
    read, sums = (b.tile(name, dtype, lines.extent(), part.extent(), "full") for name in ("part", "sums"))
    across = b.tile("across", dtype, part.extent(), lines.extent(), "full")
    before, behind = b.do(Transpose, across, read), b.do(Transpose, sums, across)
    _row_by_row(b, views, (part, lines, others), _Tiles(read, across, across, sums, lines.item, [before], [behind]))


def _down(b: StandaloneBuilder, views: tuple[GmView, GmView], along: Item, others: list[Item]) -> None:
    """Tiles of a part of the axis, whose rows lie below each other in GM."""
    dtype = b.op.result.dtype
    lines = b.step(others.pop(), BYTES_OF_ROW // DTYPES[dtype])
    part = b.step(along, BYTES_OF_PART // BYTES_OF_ROW)
    read, sums = (b.tile(name, dtype, part.extent(), lines.extent(), "full") for name in ("part", "sums"))
    _row_by_row(b, views, (part, lines, others), _Tiles(read, read, sums, sums, along))


@dataclass(frozen=True, slots=True)
class _Tiles:
    """The tile that is loaded, those with a row for each step of the axis, of the operand and of the sums, and that
    which is stored; the item that rows follow in GM, and what makes one tile of another."""

    read: str
    rows: str
    sums: str
    written: str
    below: Item
    before: Sequence[Node] = ()
    behind: Sequence[Node] = ()


def _row_by_row(
    b: StandaloneBuilder, views: tuple[GmView, GmView], steps: tuple[Step, Step, list[Item]], tiles: _Tiles
) -> None:
    """A row of sums and the next row of the operand are the next row of sums; the last one goes on in the next tile.
    ``steps``: a part of the axis, the lines beside each other, and axes around."""
    op, dtype, (view, target), (part, lines, others) = b.op, b.op.result.dtype, views, steps
    total = b.tile("total", dtype, Extent(1), lines.extent(), "row")
    kept = [*(b.step(item, 1) for item in others), lines]
    loops, at, join = [*kept, part], b.variable("at"), JOINS[op.kind]
    goes_on = part.item.extent != Poly.of(part.tile)

    in_place = tiles.rows == tiles.sums
    first = b.line("first", tiles.sums, ZERO)
    of_first = first if in_place else b.line("of_first", tiles.rows, ZERO)
    here, following = b.line("here", tiles.sums, Poly.of(at)), b.line("following", tiles.sums, Poly.of(at) + ONE)
    of_following = following if in_place else b.line("of_following", tiles.rows, Poly.of(at) + ONE)
    last = b.line("last", tiles.sums, part.extent().poly() - ONE)
    each = b.do(Binary, following, here, of_following, fn=join)
    begun: list[Node] = [b.do(Binary, first, total, of_first, fn=join)] if goes_on else []
    if not goes_on and not in_place:
        begun = [b.do(Copy, first, of_first)]
    body: list[Node] = [
        b.load(tiles.read, view.tensor, b.at(view.offset, loops, 1), tiles.below.steps[1]),
        *tiles.before,
        *begun,
        Loop(at, at, ZERO, part.extent().poly() - ONE, 1, None, "sub", False, (each,), op.span),
        *([b.do(Copy, total, last)] if goes_on else []),
        *tiles.behind,
        b.store(tiles.written, target.tensor, b.at(target.offset, loops, 0), tiles.below.steps[0]),
    ]
    begin = [b.do(Fill, total, b.number(sympy.Integer(op.kind == "cumprod")))] if goes_on else []
    b.nest(kept, [*begin, *b.wrapped([part], body)])


def _step_by_step(b: StandaloneBuilder, views: tuple[GmView, GmView], along: list[Item], others: list[Item]) -> None:
    """Every step is one row, or column, of a tile: so far and here make so far."""
    op, dtype = b.op, b.op.result.dtype
    view, target = views
    beside = others.pop() if others else Item(ONE, (ONE, ONE))
    as_row = beside.steps == (ONE, ONE)
    few = b.platform.unified and not as_row
    lines = b.step(beside, CPU_APART_BYTES // DTYPES[dtype] if few else b.budget(dtype) // 8)
    shape = (Extent(1), lines.extent()) if as_row else (lines.extent(), Extent(1))
    total, part = (b.tile(name, dtype, *shape, "row" if as_row else "col") for name in ("total", "part"))
    kept = [*(b.step(item, 1) for item in others), lines]
    inner = [b.step(item, 1) for item in along]
    steps = [*kept, *inner]
    body = [
        b.load(part, view.tensor, b.at(view.offset, steps, 1), beside.steps[1]),
        b.do(Binary, total, total, part, fn=JOINS[op.kind]),
        b.store(total, target.tensor, b.at(target.offset, steps, 0), beside.steps[0]),
    ]
    begin = b.do(Fill, total, b.number(sympy.Integer(op.kind == "cumprod")))
    b.nest(kept, [begin, *b.wrapped(inner, body)])


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = dict.fromkeys(JOINS, scan)
