"""Copies of strided windows: permute, expand, concat, copy, and runs of whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.ir import Extent, Node, TileOp
from pyptogen.lower.tile.ops import TAKEN_BY_INDEX, Binary, Broadcast, Cast, GatherFromTile, Iota, Transpose
from pyptogen.lower.tile.standalone.builder import Item, StandaloneBuilder, Step
from pyptogen.lower.tile.strided_loads import EVERY, loads_rows_of_every
from pyptogen.records import replace

IN_TURN, LEAST_IN_TURN, MOST_IN_TURN, BLOCK = 2048, 256, 8, 16
"""Elements that are taken in turn at once: at most, and more than these; runs that they may be of; elements of two or
four bytes that are whole blocks."""
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
    """Each part into its window of the result; single columns are interleaved on chip."""
    target, axis = b.target(), int(op.attrs["axis"])
    if not b.platform.unified and _interleaves(b, op, target):
        return
    start = ZERO
    for part in op.operands:
        assert isinstance(part, Value)
        view = b.source(part)
        window = b.axes.window(target, axis, part.shape[axis], start)
        move(b, op.result.dtype, window, view)
        start = start + b.axes.poly(part.shape[axis])


def _interleaves(b: StandaloneBuilder, op: Op, target: GmView) -> bool:
    """Adds a nest that takes the elements of several runs in turn, if that is what the operation is: the runs lie side
    by side in a tile, of which an instruction takes one element after the other by an index that is made once. Of runs
    whose length is known at build time, so that all of the tile is loaded."""
    several, dtype = len(op.operands), op.result.dtype
    parts = [b.source(part) for part in op.operands if isinstance(part, Value)]
    if (
        dtype not in TAKEN_BY_INDEX
        or several > MOST_IN_TURN
        or any(v.axes[-1] or len(v.axes) != len(target.axes) for v in parts)
    ):
        return False
    outer = b.items(target.axes[:-1], *(part.axes[:-1] for part in parts))
    known = list[Item]()
    while outer and outer[-1].extent.constant is not None:
        known.insert(0, outer.pop())
    runs_of = b.merged(known)
    if len(runs_of) != 1 or runs_of[0].steps != (Poly.of(several), *(ONE for _ in parts)):
        return False
    length = runs_of[0].extent.evaluate({})
    wide = range(IN_TURN // several // BLOCK * BLOCK, LEAST_IN_TURN // several, -BLOCK)
    count = next((count for count in wide if length % count == 0), 0)
    if not count:
        return False
    each = b.step(runs_of[0], count)
    steps = [*(b.step(item, 1) for item in b.merged(outer)), each]
    cols = Extent(several * count)
    beside = b.tile("beside", dtype, Extent(1), cols, "row")
    runs = [b.window("run", beside, at * count, Extent(count)) for at in range(several)]
    index = _in_turn(b, several, count)
    taken = b.tile("in_turn", dtype, Extent(1), cols, "row")
    loads = [
        b.load(run_of, part.tensor, b.at(part.offset, steps, at + 1))
        for at, (run_of, part) in enumerate(zip(runs, parts, strict=True))
    ]
    take = b.do(GatherFromTile, taken, beside, index)
    b.nest(steps, [*loads, take, b.store(taken, target.tensor, b.at(target.offset, steps, 0))])
    return True


def _in_turn(b: StandaloneBuilder, several: int, count: int) -> str:
    """An index that takes elements of so many runs of ``count`` in turn: of the i-th the place is
    ``i % several * count + i / several``, which is ``i * count - i / several * (several * count - 1)``; in fp32, whose
    whole numbers reach so far."""
    cols = Extent(several * count)
    whole, index = (b.tile(name, "int32", Extent(1), cols, "row") for name in ("counted", "places"))
    at, turn = (b.tile(name, "fp32", Extent(1), cols, "row") for name in ("at", "turn"))

    def by(tile: str, fn: str, value: float) -> TileOp:
        return b.do(Binary, tile, tile, b.number(sympy.Float(value)), fn=fn)

    b.body += [
        b.do(Iota, whole),
        b.do(Cast, at, whole, mode="rint"),
        b.do(Binary, turn, at, b.number(sympy.Float(0.5)), fn="add"),
        by(turn, "mul", 1 / several),
        b.do(Cast, whole, turn, mode="floor"),
        b.do(Cast, turn, whole, mode="rint"),
        by(turn, "mul", several * count - 1),
        by(at, "mul", count),
        b.do(Binary, at, at, turn, fn="sub"),
        b.do(Cast, index, at, mode="rint"),
    ]
    return index


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
