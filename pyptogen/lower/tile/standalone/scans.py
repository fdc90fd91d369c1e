"""Running sums and products: one row of a tile after the other, or, on a CPU, along the rows of a tile.

before: y = cumsum(x: fp32[rows, 1024], axis=0)
after:  for i1 step 768: total = 0; for i2: total += load x[i2, i1..]; store y[i2, i1..] = total

before: y = cumsum(x: fp32[rows, 1024], axis=-1)
after:  a2a3  for i1 step 16: total = 0
                for i2 step 256: across = transpose load x[i1.., i2..]; across[0] += total
                  for at: across[at + 1] += across[at]
                  total = copy across[255]; store y[…] = transpose across
        cpu   for i1 step 8: last = 0; for i2 step 256: sums = cumsum(load x[i1.., i2..], last); store y[…] = sums

`last` is the last columns of `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.transposed import can_transpose
from pyptogen.lower.tile.ir import Extent, Loop, Node
from pyptogen.lower.tile.ops import Binary, Copy, Fill, Scan, Transpose
from pyptogen.lower.tile.running import JOINS
from pyptogen.lower.tile.standalone.builder import CPU_TILE_BYTES, Item, StandaloneBuilder

CPU_LINES = 8
"""Lines that a CPU takes at a time where each is one run: as many as TROWCUMSUM steps along together (fp32)."""
CPU_APART_BYTES = 32
"""Of one step of lines that lie apart, on a CPU: each touches a line of cache in operand and result, all of them in one
set where lines are 4 KB apart, and must find it there in the next step (fp32: 8 lines 5 times as fast as 512)."""


LINES_ACROSS = 16
"""Lines that are transposed together, to be the columns of a tile: as many as fill 64 bytes of each row (fp32). A step
takes as long for one line as for all of these, and few of them are enough for many cores."""
BYTES_ACROSS = 16384
"""Of one such tile: UB has about eight, of which two are loaded and two stored in turns."""


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
    elif by_rows and can_transpose(op.result.dtype) and others and others[-1].extent != ONE:
        _across(b, (view, target), along[0], others)
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
    """Tiles of some lines and a part of the axis, transposed: a step adds a row to the next one. A column of lines in
    GM would be a transfer for each of its elements."""
    op, dtype = b.op, b.op.result.dtype
    view, target = views
    beside = others.pop()
    lines = b.step(beside, LINES_ACROSS)
    part = b.step(along, BYTES_ACROSS // LINES_ACROSS // DTYPES[dtype])
    read, sums = (b.tile(name, dtype, lines.extent(), part.extent(), "full") for name in ("part", "sums"))
    across = b.tile("across", dtype, part.extent(), lines.extent(), "full")
    total = b.tile("total", dtype, Extent(1), lines.extent(), "row")
    kept = [*(b.step(item, 1) for item in others), lines]
    steps, at = [*kept, part], b.variable("at")
    first = b.line("first", across, ZERO)
    last = b.line("last", across, part.extent().poly() - ONE)
    here = b.line("here", across, Poly.of(at))
    following = b.line("following", across, Poly.of(at) + ONE)
    each = b.do(Binary, following, here, following, fn=JOINS[op.kind])
    goes_on = along.extent != Poly.of(part.tile)
    body: list[Node] = [
        b.load(read, view.tensor, b.at(view.offset, steps, 1), beside.steps[1]),
        b.do(Transpose, across, read),
        *([b.do(Binary, first, total, first, fn=JOINS[op.kind])] if goes_on else []),
        Loop(at, at, ZERO, part.extent().poly() - ONE, 1, None, "sub", False, (each,), op.span),
        *([b.do(Copy, total, last)] if goes_on else []),
        b.do(Transpose, sums, across),
        b.store(sums, target.tensor, b.at(target.offset, steps, 0), beside.steps[0]),
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
