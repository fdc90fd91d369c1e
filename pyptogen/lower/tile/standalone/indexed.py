"""Reading and writing where an index tensor points, one index after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tensor.views import input_part, root
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.cutting.items import Item
from pyptogen.lower.tile.ir import Extent, Form, GmRef, Loop, Node
from pyptogen.lower.tile.ops import TAKEN_BY_INDEX, GatherElements, GatherFromTile, ReadIndex
from pyptogen.lower.tile.standalone.builder import StandaloneBuilder, Step

ROW_BYTES = 16384
"""Of rows that are kept on chip while elements are taken from them: UB has room for two, and for what is taken."""
PLACES = 1024
"""Elements that are taken at a time."""
BLOCK_BYTES = 32
"""Rows of tiles begin at such blocks."""


def gather(b: StandaloneBuilder, op: Op) -> None:
    """The element at index[…] along an axis, for each element of the index."""
    x, index = op.operands
    assert isinstance(x, Value) and isinstance(index, Value)
    axis = int(op.attrs["axis"])
    target, view, places = b.target(), b.source(x), b.source(index)
    if b.platform.unified and index.dtype == "int32" and _in_rows(b, axis, target, view, places):
        _taken_from_rows(b, op, target, view, places)
        return
    if not b.platform.unified and _in_rows(b, axis, target, view, places) and _fits_a_tile(b, op, (target, places)):
        _taken_on_chip(b, op, (target, view, places))
        return
    steps: list[Step] = []
    start = view.offset
    for at, (wide, own) in enumerate(zip(target.axes, places.axes, strict=True)):
        for item in b.merged(b.items((wide,), (own,))):
            step = b.step(item, 1)
            steps.append(step)
            if at != axis:
                start = start + _counted(step) * b.stride(view.axes[at])
    tile = b.tile("part", op.result.dtype, Extent(1), Extent(1), "row")
    read = _read(b, places, b.at(places.offset, steps, 1), x.shape[axis])
    stride = b.stride(view.axes[axis])
    body = [
        read,
        b.load(tile, view.tensor, start + Poly.of(b.place) * stride),
        b.store(tile, target.tensor, b.at(target.offset, steps, 0)),
    ]
    b.nest(steps, body)


def _in_rows(b: StandaloneBuilder, axis: int, target: GmView, view: GmView, places: GmView) -> bool:
    """Whether the axis is the last one, and runs through result, source and index element by element."""
    run = [b.merged(b.items((v.axes[-1],))) for v in (target, view, places)]
    return axis == len(view.axes) - 1 and all(len(items) == 1 and items[0].steps == (ONE,) for items in run)


def _taken_from_rows(b: StandaloneBuilder, op: Op, target: GmView, view: GmView, places: GmView) -> None:
    """All that a row of indices names of a row in GM, at once."""
    x = op.operands[0]
    assert isinstance(x, Value)
    (col,) = b.merged(b.items((target.axes[-1],), (places.axes[-1],)))
    around = [
        b.step(item, 1)
        for wide, narrow, own in zip(target.axes[:-1], view.axes[:-1], places.axes[:-1], strict=True)
        for item in _beside(b, wide, narrow, own)
    ]
    cols = b.step(col, b.budget("int32"))
    index = b.tile("places", "int32", Extent(1), cols.extent(), "row")
    part = b.tile("part", op.result.dtype, Extent(1), cols.extent(), "row")
    length = b.axes.poly(x.shape[-1])
    extent = Extent(b.largest(length), None if length.constant is not None else length)
    row = GmRef(view.tensor, b.at(view.offset, around, 1), extent.poly(), ONE, Extent(1), extent)
    at = [Step(Item(s.item.extent, (s.item.steps[0], s.item.steps[2])), s.var, s.tile) for s in around]
    body = [
        b.load(index, places.tensor, b.at(places.offset, [*at, cols], 1)),
        b.do(GatherElements, part, index, gm=row),
        b.store(part, target.tensor, b.at(target.offset, [*at, cols], 0)),
    ]
    b.nest([*around, cols], body)


def _fits_a_tile(b: StandaloneBuilder, op: Op, views: tuple[GmView, GmView]) -> bool:
    """Whether an instruction takes elements of such rows by such an index, on chip: of rows whose length is known, by
    an index that names some of them for sure, rows of whole blocks. ``views``: of result and index."""
    x, index = op.operands
    assert isinstance(x, Value) and isinstance(index, Value)
    length = b.axes.poly(x.shape[-1]).constant
    (col,) = b.merged(b.items((views[0].axes[-1],), (views[1].axes[-1],)))
    sure = index.dtype == "int32" and (input_part(index.name, b.defining) is not None or _of_order(b, index, length))
    whole = col.extent.constant is None or col.extent.constant * min(DTYPES[x.dtype], 4) % BLOCK_BYTES == 0
    return sure and whole and x.dtype in TAKEN_BY_INDEX and length is not None and length * DTYPES[x.dtype] <= ROW_BYTES


def _of_order(b: StandaloneBuilder, index: Value, length: int | None) -> bool:
    """Whether an index is places of an order of so many elements."""
    made = b.defining.get(root(index.name, b.defining))
    if made is None or made.kind != "pair_indices":
        return False
    return length is not None and b.axes.poly(made.attrs["length"]).constant == length


def _taken_on_chip(b: StandaloneBuilder, op: Op, views: tuple[GmView, GmView, GmView]) -> None:
    """Tiles of a few rows of the source and of the index; row by row an instruction takes what the index names."""
    x, dtype, (target, view, places) = op.operands[0], op.result.dtype, views
    assert isinstance(x, Value)
    (col,) = b.merged(b.items((target.axes[-1],), (places.axes[-1],)))
    around = [
        item
        for wide, narrow, own in zip(target.axes[:-1], view.axes[:-1], places.axes[:-1], strict=True)
        for item in _beside(b, wide, narrow, own)
    ] or [Item(ONE, (ONE, ONE, ONE))]
    *outer, below = around
    length = b.axes.poly(x.shape[-1]).evaluate({})
    cols = b.step(col, PLACES)
    rows = b.step(below, max(1, ROW_BYTES // max(length * DTYPES[dtype], cols.tile * DTYPES["int32"])))
    at = b.variable("at")
    of_row: Form = "full" if rows.tile > 1 else "row"
    source = b.tile("source", dtype, rows.extent(), Extent(length), of_row)
    index = b.tile("places", "int32", rows.extent(), cols.extent(), of_row)
    part = b.tile("part", dtype, rows.extent(), cols.extent(), of_row)
    kept = [*(b.step(item, 1) for item in outer), rows]
    several = rows.tile > 1
    here = [b.line(f"{name}_row", name, Poly.of(at)) if several else name for name in (part, source, index)]
    each: Node = b.do(GatherFromTile, *here)
    if several:
        each = Loop(at, at, ZERO, rows.extent().poly(), 1, None, "sub", False, (each,), op.span)
    of_index = [Step(Item(s.item.extent, (s.item.steps[0], s.item.steps[2])), s.var, s.tile) for s in kept]
    taken: list[Node] = [
        b.load(index, places.tensor, b.at(places.offset, [*of_index, cols], 1), below.steps[2]),
        each,
        b.store(part, target.tensor, b.at(target.offset, [*of_index, cols], 0), below.steps[0]),
    ]
    load = b.load(source, view.tensor, b.at(view.offset, kept, 1), below.steps[1])
    b.nest(kept, [load, *b.wrapped([cols], taken)])


def _beside(
    b: StandaloneBuilder, wide: tuple[Factor, ...], narrow: tuple[Factor, ...], own: tuple[Factor, ...]
) -> list[Item]:
    """The items of an axis of result, source and index; the source may have more elements than are taken."""
    return [
        Item(item.extent, (item.steps[0], b.stride(narrow), item.steps[1]))
        for item in b.merged(b.items((wide,), (own,)))
    ]


def _read(b: StandaloneBuilder, places: GmView, offset: Poly, size: Any) -> ReadIndex:
    """Reads an index of an axis. One that a kernel computed gets its bound; those of a call were checked before."""
    index = b.op.operands[1]
    assert isinstance(index, Value)
    bound = b.axes.poly(size) if input_part(index.name, b.defining) is None else None
    return b.do(ReadIndex, None, name=b.place, index=places.tensor, index_offset=offset, bound=bound)


def _counted(step: Step) -> Poly:
    """The position of this iteration along an axis."""
    return Poly.of(step.var) if step.item.extent != ONE else ZERO


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {
    "gather": gather,
}
