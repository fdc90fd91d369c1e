"""Reductions over an axis that is not the last, or longer than a tile: pieces, and a running result.

Of the last axis: the rows of a tile are rows of the operand, and each piece of a row gives a column of results. Of
another axis: the rows of a tile are steps along that axis, and each piece gives a row of results. Where the axis is in
parts (``parts`` and ``piece``, `split_reductions`), each has its own result, and a loop over its pieces alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.ir import Extent, Form, Loop, Node
from pyptogen.lower.tile.loops.running_results import JOINS, neutral
from pyptogen.lower.tile.ops import Binary, Compare, Fill, Reduce, Where
from pyptogen.lower.tile.standalone.builder import Item, StandaloneBuilder, Step, most_rows
from pyptogen.lower.tile.standalone.prologue import Prologue
from pyptogen.records import replace

DEEP, DEEP_IN_CACHE, DEEP_IN_PASS = 64, 2, 8
"""Steps along the reduced axis in one piece; two where a piece stays in a cache, so that its lines are long runs (a
quarter less time for 8192 x 4096 than with 64). A piece that one pass loads and reduces needs no memory: its lines are
as long as the row of results may be, which lies in L1 (half the time of lines of 8 KB)."""
NARROW = 8
"""The least columns of a tile whose rows are steps along an axis: 32 bytes of fp32."""


_Loops = tuple[Sequence[Step], Sequence[Step], Step]
"""Those around a running result, that over the parts of the axis, and that over its pieces."""


def piece(platform: Platform, op: Op, elements: int) -> int:
    """Steps along the reduced axis of an operation in one piece, where cube and vector cores are apart and a tile has
    so many ``elements``."""
    return _columns_of_a_piece(elements, _has_rows(op)) if _is_last(op) else DEEP


def results_of_a_tile(platform: Platform, op: Op, elements: int) -> tuple[int, int]:
    """How many results of the axes ahead of the reduced one, and of those behind it, a tile gives at most, there."""
    if _is_last(op):
        return most_rows(platform, op.result.dtype, piece(platform, op, elements)), 1
    return 1, elements // DEEP


def _columns_of_a_piece(elements: int, rows: bool) -> int:
    """Elements of one row in a tile: one row of all, or of several rows a quarter."""
    return elements // 4 if rows else elements


def _has_rows(op: Op) -> bool:
    return any(size != 1 for size in op.result.shape[: int(op.attrs["axis"])])


def _is_last(op: Op) -> bool:
    """Whether all axes behind the reduced one have the size 1, so that its elements lie side by side."""
    return all(size == 1 for size in op.result.shape[int(op.attrs["axis"]) + 1 :])


def reduce(b: StandaloneBuilder, op: Op) -> None:
    """A reduction, in pieces, with the elementwise work that makes its operand.

    Raises:
        Refused: PTG303; where the operand would do if it lay in GM, that is the remedy.
    """
    refusal = asked(_reduce, b, op)
    if isinstance(refusal, Refusal):
        operand = op.operands[0]
        if len(b.kernel.ops) > 1 and isinstance(operand, Value):
            refusal = refusal.helped_by(TwoKernels(op.result.name, operand.name))
        raise refusal.error()


def _reduce(b: StandaloneBuilder, op: Op) -> None:
    made, target = Prologue(b, op), b.target()
    before, along, after = _axes(b, op, made.views, target)
    if after:
        _columns(b, op, made, target, before, along, after)
    else:
        _rows(b, op, made, target, before, along)


def _axes(b: StandaloneBuilder, op: Op, views: Sequence[GmView], target: GmView) -> tuple[list[Item], Item, list[Item]]:
    """Iteration space ahead of the reduced axis, the axis, and behind it; steps of (result, each view)."""
    axis = int(op.attrs["axis"])

    def side(part: slice) -> list[Item]:
        return b.merged(b.items(target.axes[part], *(view.axes[part] for view in views)))

    along = [view.axes[axis] for view in views]
    reduced = tuple(Factor(f.dim, f.extent, ZERO) for f in along[0])
    found = b.merged(b.items((reduced,), *((axes,) for axes in along)))
    if len(found) > 1:
        raise unsupported(op.span, "a reduction over an axis that is a product of dims", "reduce one dim at a time")
    whole = found[0] if found else Item(ONE, (ZERO, *(ONE for _ in views)))
    return side(slice(axis)), whole, side(slice(axis + 1, None))


def _columns(
    b: StandaloneBuilder, op: Op, made: Prologue, target: GmView, before: list[Item], along: Item, after: list[Item]
) -> None:
    """A row of results for a run of columns."""
    *middle, last = after
    dtype = op.result.dtype
    outer = [b.step(item, 1) for item in (*before, *middle)]
    contiguous = last.steps[0] == ONE and all(step in (ONE, ZERO) for step in last.steps[1:])
    if made.ops and not contiguous:
        raise unsupported(op.span, "elementwise work on columns that lie apart", "put it into its own stage")
    most, width = DEEP, made.budget // DEEP
    if b.platform.vector_passes and contiguous and dtype == "fp32" and op.kind != "prod":
        most, width = DEEP_IN_PASS, made.budget
    elif b.platform.unified and contiguous:
        most = max(DEEP_IN_CACHE, min(DEEP, made.budget // (last.extent.constant or made.budget)))
        width = made.budget // most
    cols = b.step(last, max(8, width) if contiguous else 1)
    deep = b.step(along, int(op.attrs.get("piece", most)))
    part_of = _part(b, op, target)
    kept, steps = [*outer, *part_of, cols], [*outer, cols, deep]
    apart = last.steps[1:] if contiguous else [ONE] * len(made.views)
    part, making = made.tile(deep.extent(), cols.extent(), along.steps[1:], apart, steps)
    if b.platform.serial_column_reductions and deep.item.extent != Poly.of(deep.tile):
        _columns_by_rows(b, op, target, (kept, part_of, deep), part, making)
        return
    total, found = (b.tile(name, dtype, Extent(1), cols.extent(), "row") for name in ("total", "found"))
    reducing = b.do(Reduce, found, part, fn=op.kind, over_rows=True)
    _joined(b, op, target, (kept, part_of, deep), (total, found), [*making, reducing])


def _columns_by_rows(
    b: StandaloneBuilder, op: Op, target: GmView, loops: _Loops, part: str, making: Sequence[Node]
) -> None:
    """Pieces are joined element by element, rows to rows, and the rows once at the end: a reduction over the rows of
    each piece would take one row after the other."""
    kept, part_of, along = loops
    whole, dtype = b.tiles[part], op.result.dtype
    totals = b.tile("totals", dtype, Extent(along.tile), whole.cols, "full")
    of_piece = totals if along.valid is None else b.rows("totals_here", totals, along.extent())
    total = b.tile("total", dtype, Extent(1), whole.cols, "row")
    joining = b.do(Binary, of_piece, of_piece, part, fn=JOINS[op.kind])
    b.nest(
        kept,
        [
            b.do(Fill, totals, b.number(neutral(op.kind, dtype))),
            *_of_one_part(part_of, b.wrapped([along], [*making, joining])),
            b.do(Reduce, total, totals, fn=op.kind, over_rows=True),
            b.store(total, target.tensor, b.at(target.offset, kept, 0)),
        ],
    )


def _rows(b: StandaloneBuilder, op: Op, made: Prologue, target: GmView, before: list[Item], along: Item) -> None:
    """A column of results for a run of rows."""
    dtype = op.result.dtype
    cols, outer, height, strides = _by_rows(b, dtype, made.budget, int(op.attrs.get("piece", 0)), before, along)
    part_of = _part(b, op, target)
    total = b.tile("total", dtype, height, Extent(1), "col")
    part, making = made.tile(height, cols.extent(), strides[1:], along.steps[1:], [*outer, cols])
    found = b.tile("found", dtype, height, Extent(1), "col")
    reducing = b.do(Reduce, found, part, fn=op.kind)
    _joined(b, op, target, ([*outer, *part_of], part_of, cols), (total, found), [*making, reducing], strides[0])


def _joined(
    b: StandaloneBuilder,
    op: Op,
    target: GmView,
    loops: _Loops,
    tiles: tuple[str, str],
    piece: Sequence[Node],
    apart: Poly = ONE,
) -> None:
    """The running result over all pieces.

    Args:
        tiles: the running result and the result of a piece.
        piece: what makes the result of a piece.
        apart: elements from one row of results to the next.
    """
    (kept, part_of, along), (total, found) = loops, tiles
    joining = b.do(Binary, total, total, found, fn=JOINS[op.kind])
    b.nest(
        kept,
        [
            b.do(Fill, total, b.number(neutral(op.kind, op.result.dtype))),
            *_of_one_part(part_of, b.wrapped([along], [*piece, joining])),
            b.store(total, target.tensor, b.at(target.offset, kept, 0), apart),
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
    b: StandaloneBuilder, dtype: str, budget: int, piece: int, before: list[Item], along: Item
) -> tuple[Step, list[Step], Extent, tuple[Poly, ...]]:
    """Pieces of rows, of so many elements (0: what suits the ``budget`` of a tile): the loop along them, the loops
    around it, the rows of a tile, and how far apart these lie in each tensor."""
    cols = b.step(along, piece or _columns_of_a_piece(budget, bool(before)))
    if not before:
        return cols, [], Extent(1), (ONE,) * len(along.steps)
    rows = b.step(before[-1], min(b.most_rows(dtype, cols.tile), max(1, budget // cols.tile)))
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
        step, outer, height, strides = _by_rows(b, dtype, b.budget(dtype), 0, before, along)
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
    before, along, after = _axes(b, op, [view], target)
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
