"""Copies of strided windows, ahead of what changes a copy where indices say."""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.items import Item
from pyptogen.lower.tile.ir import Extent
from pyptogen.lower.tile.kernels.moved_axes import SQUARE
from pyptogen.lower.tile.ops import Broadcast, Transpose
from pyptogen.lower.tile.standalone.builder import StandaloneBuilder, Step
from pyptogen.lower.tile.strided_loads import EVERY, loads_rows_of_every


def move(b: StandaloneBuilder, dtype: str, target: GmView, source: GmView) -> None:
    """Adds a nest that copies one view to another of the same shape."""
    items = b.merged(b.items(target.axes, source.axes))
    col = next((i for i in items if i.steps[0] == ONE), None)
    if not items:
        _line(b, dtype, target, source, [], Item(ONE, (ONE, ONE)))
    elif col is None:
        _elements(b, dtype, target, source, items[:-1], items[-1])
    elif col.steps[1] == ONE or _near(b, dtype, col.steps[1].constant):
        _line(b, dtype, target, source, [i for i in items if i is not col], col)
    elif col.steps[1] == ZERO:
        _spread(b, dtype, target, source, [i for i in items if i is not col], col)
    else:
        rows = [i for i in items if i is not col]
        inner = next((i for i in rows if i.steps[1] == ONE), None)
        if inner is None:
            _elements(b, dtype, target, source, rows, col)
        else:
            _transposed(b, dtype, target, source, [i for i in rows if i is not inner], inner, col)


def _near(b: StandaloneBuilder, dtype: str, step: int | None) -> bool:
    """Whether elements lie so near each other that a row of them is loaded at once."""
    return step in EVERY and loads_rows_of_every(b.platform, dtype, step)


def _rows(b: StandaloneBuilder, dtype: str, items: list[Item], width: int) -> tuple[list[Step], Step | None]:
    """The outer loops, and the rows of a tile with so many columns."""
    if not items:
        return [], None
    *outer, inner = items
    rows = b.step(inner, b.most_rows(dtype, width))
    return [b.step(item, 1) for item in outer], rows


def _line(b: StandaloneBuilder, dtype: str, target: GmView, source: GmView, items: list[Item], col: Item) -> None:
    """Rows that are contiguous in the target, and of elements near each other in the source."""
    apart = col.steps[1].constant or 1
    cols = b.step(col, b.budget(dtype) // apart)
    outer, rows = _rows(b, dtype, items, cols.tile * apart)
    steps = [*outer, *([rows] if rows else []), cols]
    tile = b.tile("part", dtype, rows.extent() if rows else Extent(1), cols.extent(), "full" if rows else "row")
    strides = rows.item.steps if rows else (ONE, ONE)
    b.nest(
        steps,
        [
            b.load(tile, source.tensor, b.at(source.offset, steps, 1), strides[1], col.steps[1]),
            b.store(tile, target.tensor, b.at(target.offset, steps, 0), strides[0]),
        ],
    )


def _spread(b: StandaloneBuilder, dtype: str, target: GmView, source: GmView, items: list[Item], col: Item) -> None:
    """One element a row, repeated along the row."""
    cols = b.step(col, max(1, b.budget(dtype) // 8))
    outer, rows = _rows(b, dtype, items, cols.tile)
    steps = [*outer, *([rows] if rows else []), cols]
    height = rows.extent() if rows else Extent(1)
    one = b.tile("one", dtype, height, Extent(1), "col" if rows else "row")
    tile = b.tile("part", dtype, height, cols.extent(), "full" if rows else "row")
    strides = rows.item.steps if rows else (ONE, ONE)
    b.nest(
        steps,
        [
            b.load(one, source.tensor, b.at(source.offset, steps, 1), strides[1]),
            b.do(Broadcast, tile, one),
            b.store(tile, target.tensor, b.at(target.offset, steps, 0), strides[0]),
        ],
    )


def _transposed(
    b: StandaloneBuilder, dtype: str, target: GmView, source: GmView, items: list[Item], inner: Item, col: Item
) -> None:
    """Rows of the source are columns of the result: tiles are transposed on the way."""
    rows, cols = b.step(inner, SQUARE), b.step(col, SQUARE)
    steps = [*(b.step(item, 1) for item in items), rows, cols]
    read = b.tile("part", dtype, cols.extent(), rows.extent(), "full")
    transposed = b.tile("transposed", dtype, rows.extent(), cols.extent(), "full")
    b.nest(
        steps,
        [
            b.load(read, source.tensor, b.at(source.offset, steps, 1), col.steps[1]),
            b.do(Transpose, transposed, read),
            b.store(transposed, target.tensor, b.at(target.offset, steps, 0), inner.steps[0]),
        ],
    )


def _elements(b: StandaloneBuilder, dtype: str, target: GmView, source: GmView, items: list[Item], col: Item) -> None:
    """Elements that lie apart on one side or on both: a column, whose elements are neighbours in UB."""
    cols = b.step(col, b.budget(dtype) // 8)
    steps = [*(b.step(item, 1) for item in items), cols]
    tile = b.tile("part", dtype, cols.extent(), Extent(1), "col")
    b.nest(
        steps,
        [
            b.load(tile, source.tensor, b.at(source.offset, steps, 1), col.steps[1]),
            b.store(tile, target.tensor, b.at(target.offset, steps, 0), col.steps[0]),
        ],
    )
