"""Reductions over an axis that is not the last, or longer than a tile: pieces, and a running result.

Of the last axis: the rows of a tile are rows of the operand, and each piece of a row gives a column of results. Of
another axis: the rows of a tile are steps along that axis, and each piece gives a row of results. Where the axis is in
parts (``parts`` and ``piece``, `split_reductions`), each has its own result, and a loop over its pieces alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.ir import Extent, Form, Loop, Node
from pyptogen.lower.tile.ops import Binary, Compare, Fill, Reduce, Where
from pyptogen.lower.tile.standalone.builder import Item, StandaloneBuilder, Step, elements_of_a_tile, most_rows
from pyptogen.records import replace

JOINS = {"sum": "add", "prod": "mul", "amax": "maximum", "amin": "minimum"}
DEEP, DEEP_IN_CACHE, DEEP_IN_PASS = 64, 2, 8
"""Steps along the reduced axis in one piece; two where a piece stays in a cache, so that its lines are long runs (a
quarter less time for 8192 x 4096 than with 64). A piece that one pass loads and reduces needs no memory: its lines are
as long as the row of results may be, which lies in L1 (half the time of lines of 8 KB)."""
NARROW = 8
"""The least columns of a tile whose rows are steps along an axis: 32 bytes of fp32."""


def piece(platform: Platform, op: Op) -> int:
    """Steps along the reduced axis of an operation in one piece, where cube and vector cores are apart."""
    return elements_of_a_tile(platform, op.result.dtype) // 4 if _is_last(op) else DEEP


def results_of_a_tile(platform: Platform, op: Op) -> tuple[int, int]:
    """How many results of the axes ahead of the reduced one, and of those behind it, a tile gives at most, there."""
    if _is_last(op):
        return most_rows(platform, op.result.dtype, piece(platform, op)), 1
    return 1, elements_of_a_tile(platform, op.result.dtype) // DEEP


def _is_last(op: Op) -> bool:
    """Whether all axes behind the reduced one have the size 1, so that its elements lie side by side."""
    return all(size == 1 for size in op.result.shape[int(op.attrs["axis"]) + 1 :])


def reduce(b: StandaloneBuilder, op: Op) -> None:
    """A reduction, in pieces."""
    (source,) = op.operands
    assert isinstance(source, Value)
    view, target = b.source(source), b.target()
    before, along, after = _axes(b, op, view, target)
    if after:
        _columns(b, op, (view, target), before, along, after)
    else:
        _rows(b, op, (view, target), before, along)


def _axes(b: StandaloneBuilder, op: Op, view: GmView, target: GmView) -> tuple[list[Item], Item, list[Item]]:
    """Iteration space ahead of the reduced axis, the axis, and behind it; steps of (result, operand)."""
    axis = int(op.attrs["axis"])

    def side(part: slice) -> list[Item]:
        return b.merged(b.items(target.axes[part], view.axes[part]))

    reduced = tuple(Factor(f.dim, f.extent, ZERO) for f in view.axes[axis])
    along = b.merged(b.items((reduced,), (view.axes[axis],)))
    if len(along) > 1:
        raise unsupported(op.span, "a reduction over an axis that is a product of dims", "reduce one dim at a time")
    return side(slice(axis)), along[0] if along else Item(ONE, (ZERO, ONE)), side(slice(axis + 1, None))


def neutral(kind: str, dtype: str) -> Any:
    """What a running result begins with."""
    if kind in ("sum", "prod"):
        return sympy.Integer(kind == "prod")
    if dtype.startswith(("fp", "bf")):
        return -sympy.oo if kind == "amax" else sympy.oo
    import numpy as np

    limits = np.iinfo(dtype)
    return sympy.Integer(int(limits.min if kind == "amax" else limits.max))


def _columns(
    b: StandaloneBuilder, op: Op, views: tuple[GmView, GmView], before: list[Item], along: Item, after: list[Item]
) -> None:
    """A row of results for a run of columns."""
    *middle, last = after
    view, target = views
    dtype = op.result.dtype
    outer = [b.step(item, 1) for item in (*before, *middle)]
    contiguous = last.steps == (ONE, ONE)
    most, width = DEEP, b.budget(dtype) // DEEP
    if b.platform.vector_passes and contiguous and dtype == "fp32" and op.kind != "prod":
        most, width = DEEP_IN_PASS, b.budget(dtype)
    elif b.platform.unified and contiguous:
        most = max(DEEP_IN_CACHE, min(DEEP, b.budget(dtype) // (last.extent.constant or b.budget(dtype))))
        width = b.budget(dtype) // most
    cols = b.step(last, max(8, width) if contiguous else 1)
    deep = b.step(along, int(op.attrs.get("piece", most)))
    part_of = _part(b, op, target)
    kept, steps = [*outer, *part_of, cols], [*outer, cols, deep]
    total = b.tile("total", dtype, Extent(1), cols.extent(), "row")
    part = b.tile("part", dtype, deep.extent(), cols.extent(), "full")
    found = b.tile("found", dtype, Extent(1), cols.extent(), "row")
    pieces = _of_one_part(
        part_of,
        b.wrapped(
            [deep],
            [
                b.load(part, view.tensor, b.at(view.offset, steps, 1), along.steps[1]),
                b.do(Reduce, found, part, fn=op.kind, over_rows=True),
                b.do(Binary, total, total, found, fn=JOINS[op.kind]),
            ],
        ),
    )
    b.nest(
        kept,
        [
            b.do(Fill, total, b.number(neutral(op.kind, dtype))),
            *pieces,
            b.store(total, target.tensor, b.at(target.offset, kept, 0)),
        ],
    )


def _rows(b: StandaloneBuilder, op: Op, views: tuple[GmView, GmView], before: list[Item], along: Item) -> None:
    """A column of results for a run of rows."""
    view, target = views
    dtype = op.result.dtype
    cols, outer, height, strides = _by_rows(b, dtype, before, along)
    part_of = _part(b, op, target)
    total = b.tile("total", dtype, height, Extent(1), "col")
    part = b.tile("part", dtype, height, cols.extent(), "full")
    found = b.tile("found", dtype, height, Extent(1), "col")
    pieces = _of_one_part(
        part_of,
        b.wrapped(
            [cols],
            [
                b.load(part, view.tensor, b.at(view.offset, [*outer, cols], 1), strides[1], along.steps[1]),
                b.do(Reduce, found, part, fn=op.kind),
                b.do(Binary, total, total, found, fn=JOINS[op.kind]),
            ],
        ),
    )
    kept = [*outer, *part_of]
    b.nest(
        kept,
        [
            b.do(Fill, total, b.number(neutral(op.kind, dtype))),
            *pieces,
            b.store(total, target.tensor, b.at(target.offset, kept, 0), strides[0]),
        ],
    )


def _part(b: StandaloneBuilder, op: Op, target: GmView) -> list[Step]:
    """The loop over the parts of the reduced axis, each of which has a result; none where the axis is whole."""
    if "parts" not in op.attrs:
        return []
    (axis,) = target.axes[int(op.attrs["axis"])]
    return [Step(Item(axis.extent, (axis.stride, ZERO)), b.variable("split"), 1)]


def _of_one_part(part: Sequence[Step], pieces: Sequence[Node]) -> Sequence[Node]:
    """The loop over all pieces as one over those of a part."""
    if not part:
        return pieces
    (loop,) = pieces
    assert isinstance(loop, Loop)
    parts = part[0].item.extent.constant
    assert parts is not None
    return [replace(loop, start=Poly.of(part[0].var) * loop.tile, every=parts)]


def _by_rows(
    b: StandaloneBuilder, dtype: str, before: list[Item], along: Item
) -> tuple[Step, list[Step], Extent, tuple[Poly, ...]]:
    """Pieces of rows: the loop along them, the loops around it, the rows of a tile, and how far apart these lie."""
    cols = b.step(along, b.budget(dtype) // 4)
    if not before:
        return cols, [], Extent(1), (ONE, ONE)
    rows = b.step(before[-1], b.most_rows(dtype, cols.tile))
    return cols, [*(b.step(item, 1) for item in before[:-1]), rows], rows.extent(), rows.item.steps


def _position_in_pieces(
    b: StandaloneBuilder, op: Op, views: tuple[GmView, GmView], axes: tuple[list[Item], Item, list[Item]]
) -> None:
    """The extreme elements so far and their places; a later piece wins only with a better one. A piece is a part of
    some rows, or some elements of an axis that goes down the columns of a tile."""
    view, target = views
    before, along, after = axes
    dtype = str(op.operands[0].dtype) if isinstance(op.operands[0], Value) else op.result.dtype
    better, extreme = ("gt", "amax") if op.kind == "argmax" else ("lt", "amin")
    form: Form
    if after:
        step = b.step(along, DEEP)
        outer = [b.step(item, 1) for item in (*before, *after[:-1])]
        outer.append(b.step(after[-1], max(NARROW, b.budget(dtype) // DEEP)))
        part = b.tile("part", dtype, step.extent(), outer[-1].extent(), "full")
        load = b.load(part, view.tensor, b.at(view.offset, [*outer, step], 1), along.steps[1])
        kept, form, over_rows, apart = (Extent(1), outer[-1].extent()), "row", True, ONE
    else:
        step, outer, height, strides = _by_rows(b, dtype, before, along)
        part = b.tile("part", dtype, height, step.extent(), "full")
        load = b.load(part, view.tensor, b.at(view.offset, [*outer, step], 1), strides[1], along.steps[1])
        kept, form, over_rows, apart = (height, Extent(1)), "col", False, strides[0]
    total, found, wins, start, inside, here, place = (
        b.tile(name, of, *kept, form)
        for name, of in (
            ("total", dtype), ("found", dtype), ("wins", "bool"),
            ("start", "int32"), ("inside", "int32"), ("here", "int32"), ("best", "int32"),
        )
    )  # fmt: skip
    piece = [
        load,
        b.do(Reduce, found, part, fn=extreme, over_rows=over_rows),
        b.do(Reduce, inside, part, fn=op.kind, over_rows=over_rows),
        b.do(Binary, here, inside, start, fn="add"),
        b.do(Compare, wins, found, total, relation=better),
        b.do(Where, place, wins, here, place),
        b.do(Binary, total, total, found, fn=JOINS[extreme]),
        b.do(Binary, start, start, b.number(sympy.Integer(step.tile)), fn="add"),
    ]
    begin = [b.do(Fill, total, b.number(neutral(extreme, dtype)))]
    begin += [b.do(Fill, tile, b.number(sympy.Integer(0))) for tile in (place, start)]
    store = b.store(place, target.tensor, b.at(target.offset, outer, 0), apart)
    b.nest(outer, [*begin, *b.wrapped([step], piece), store])


def position(b: StandaloneBuilder, op: Op) -> None:
    """Of the first greatest (least) element: along rows in pieces, along another axis with all of it in one tile, or in
    pieces where it is too long for that."""
    source = op.operands[0]
    assert isinstance(source, Value)
    view, target = b.source(source), b.target()
    before, along, after = _axes(b, op, view, target)
    deep = along.extent.constant
    if not after or deep is None or deep * NARROW > b.budget(source.dtype):
        _position_in_pieces(b, op, (view, target), (before, along, after))
        return
    *middle, last = after
    kept = [
        *(b.step(item, 1) for item in (*before, *middle)),
        b.step(last, max(NARROW, b.budget(source.dtype) // deep)),
    ]
    cols = kept[-1].extent()
    part = b.tile("part", source.dtype, Extent(deep), cols, "full")
    found = b.tile("found", "int32", Extent(1), cols, "row")
    b.nest(
        kept,
        [
            b.load(part, view.tensor, b.at(view.offset, kept, 1), along.steps[1]),
            b.do(Reduce, found, part, fn=op.kind, over_rows=True),
            b.store(found, target.tensor, b.at(target.offset, kept, 0)),
        ],
    )


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {
    **dict.fromkeys(JOINS, reduce),
    "argmax": position,
    "argmin": position,
}
