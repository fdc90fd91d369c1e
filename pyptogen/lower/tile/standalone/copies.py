"""Copies of strided windows: permute, expand, concat, copy, and runs of whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.ir import Extent, Node
from pyptogen.lower.tile.ops import Broadcast, Iota, Transpose
from pyptogen.lower.tile.standalone.builder import Item, StandaloneBuilder, Step
from pyptogen.lower.tile.strided_loads import EVERY, loads_rows_of_every
from pyptogen.records import replace

SQUARE = 64
"""Rows and columns of a tile that is transposed."""


def copy(b: StandaloneBuilder, op: Op) -> None:
    """The operand's elements in the order of its view."""
    (source,) = op.operands
    assert isinstance(source, Value)
    target, view = b.target(boxes=True), b.source(source)
    if b.tensors[target.tensor].layout == "nz":
        _boxed(b, op.result.dtype, target, view)
    else:
        move(b, op.result.dtype, target, view)


def _boxed(b: StandaloneBuilder, dtype: str, target: GmView, source: GmView) -> None:
    """Rows of the source into the boxes of `nz`: tiles of whole boxes, matrix after matrix."""
    deep, wide = b.platform.box(DTYPES[dtype])
    *several, down, across = (b.merged(b.items((t,), (s,))) for t, s in zip(target.axes, source.axes, strict=True))
    one = Item(ONE, (ONE, ONE))
    if any(len(axis) > 1 for axis in (down, across)) or (across and across[0].steps[1] != ONE):
        raise unsupported(b.op.span, f"`{target.tensor}` @ nz from rows that lie apart", "copy it first")
    cols = b.step((across or [one])[0], max(wide, b.budget(dtype) // deep // wide * wide))
    rows = b.step((down or [one])[0], max(deep, b.most_rows(dtype, cols.tile) // deep * deep))
    outer = [b.step(item, 1) for axis in several for item in axis]
    tile = b.tile("part", dtype, rows.extent(), cols.extent(), "full")
    steps = [*outer, rows, cols]
    load = b.load(tile, source.tensor, b.at(source.offset, steps, 1), rows.item.steps[1])
    matrix, size = ZERO, ONE
    for step in reversed(outer):
        matrix, size = matrix + Poly.of(step.var) * size, size * step.item.extent
    k, n = (Poly.of(s.var) if s.item.extent != Poly.of(s.tile) else ZERO for s in (rows, cols))
    store, height = b.store(tile, target.tensor, ZERO), b.tensors[target.tensor].shape[-2]
    b.nest(steps, [load, replace(store, gm=replace(store.gm, row_stride=height, k=k, n=n, matrix=matrix))])


def permute(b: StandaloneBuilder, op: Op) -> None:
    """Axis i of the result is axis ``axes[i]`` of the operand."""
    (source,) = op.operands
    assert isinstance(source, Value)
    view = b.source(source)
    transposed = GmView(view.tensor, tuple(view.axes[i] for i in op.attrs["axes"]), view.offset)
    move(b, op.result.dtype, b.target(), transposed)


def expand(b: StandaloneBuilder, op: Op) -> None:
    """Axes of size 1 are read again and again."""
    (source,) = op.operands
    assert isinstance(source, Value)
    target, view = b.target(), b.source(source)
    axes = tuple(
        narrow or tuple(Factor(f.dim, f.extent, ZERO) for f in wide)
        for wide, narrow in zip(target.axes, view.axes, strict=True)
    )
    move(b, op.result.dtype, target, GmView(view.tensor, axes, view.offset))


def concat(b: StandaloneBuilder, op: Op) -> None:
    """Each part into its window of the result."""
    target, axis = b.target(), int(op.attrs["axis"])
    start = ZERO
    for part in op.operands:
        assert isinstance(part, Value)
        view = b.source(part)
        window = b.axes.window(target, axis, part.shape[axis], start)
        move(b, op.result.dtype, window, view)
        start = start + b.axes.poly(part.shape[axis])


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


def iota(b: StandaloneBuilder, op: Op) -> None:
    """0, 1, 2, …"""
    target = b.target()
    items = b.merged(b.items(target.axes))
    steps: list[Step] = [b.step(items[0], b.budget("int32"))] if items else []
    tile = b.tile("run", "int32", Extent(1), steps[0].extent() if steps else Extent(1), "row")
    offset = b.at(ZERO, steps, 0)
    body: Sequence[Node] = [b.do(Iota, tile, start=offset), b.store(tile, target.tensor, offset)]
    b.nest(steps, body)


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {
    "copy": copy, "permute": permute, "expand": expand, "concat": concat, "iota": iota,
}  # fmt: skip
