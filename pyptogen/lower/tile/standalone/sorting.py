"""The extreme elements of rows, in order, and their places.

before: v, i = topk(x: fp32[t, 4096], 64)
after:  a2a3  for t0: for n0 step 2048: part = load x[t0, n0..]; pairs = sort(part, places), of which 64 are kept
                                        best = merge_lists(best, pairs), the first 64 stay
                      v = every first of best, i = every second
        cpu   for t0: i = topk(x[t0, :]) in one walk over GM; v = take(x[t0, :], i)

Of a part of a row `sorted_rows` tells how it is sorted. Short rows are loaded and stored several at a time. A long row
in spans (`split_orders`) is sorted by two kernels: the best of a span are a list of pairs in GM, and the lists of a row
are merged, the first ones first. Of equal elements the first ones come first: an earlier list goes before a later one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.items import Item
from pyptogen.lower.tile.ir import Extent, GmRef, Loop, Node, TileOp
from pyptogen.lower.tile.ops import (
    Binary,
    Copy,
    GatherByPattern,
    GatherElements,
    Iota,
    MergeLists,
    Sort,
    TopK,
    Unary,
)
from pyptogen.lower.tile.sorted_rows import BLOCK, LISTS, START, Way, fastest
from pyptogen.lower.tile.standalone.builder import StandaloneBuilder, Step
from pyptogen.records import dataclass

LONGEST_PART = 64 * BLOCK
"""Elements that are sorted in one piece: UB has room for their pairs several times."""
WORTH_A_TRANSFER = 1200
"""Pairs that are merged in the time of a transfer's latencies: shorter rows go several at a time."""
MOST_ROWS, PAIRS_AT_ONCE = 64, 6144
"""Rows that are loaded together, and the pairs of all of them: a quarter of UB."""
LONGEST_WALK = 32768
"""Most elements that a CPU keeps of a row: UB holds their keys and places twice over."""
LISTS_BYTES = 32 << 20
"""Most bytes of the lists of spans, in GM: what a device has in L2 many times over."""
SLACK, LEAST_ROOM = 80, 256
"""Candidates of the CPU's walk: what an append may write behind the last one (kTopkSlack in `topk.hpp`), and a room
that is worth while."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """What is sorted: the operand, the results in GM by kind, the iteration space of the rows (steps of the results,
    then of the operand), how many elements a row has and how many of them stay."""

    view: GmView
    targets: Mapping[str, GmView]
    before: list[Item]
    length: Poly
    k: Poly
    dtype: str
    largest: bool


def topk(b: StandaloneBuilder, op: Op) -> None:
    """Values and places of the extreme elements of each row; one of the two where nobody reads the other."""
    targets = {each.kind: b.target(each) for each in b.kernel.ops}
    if "span" in op.attrs:
        _merge_spans(b, op, targets)
        return
    rows = _rows(b, op, _elements(b, op), targets)
    if b.platform.unified:
        _walk(b, rows)
    else:
        _merge(b, rows)


def _elements(b: StandaloneBuilder, op: Op) -> GmView:
    """The rows that are sorted.

    Raises:
        Refused: PTG303, their elements lie apart.
    """
    view = b.source(_operand(op))
    if b.stride(view.axes[-1]) not in (ONE, ZERO):
        raise unsupported(op.span, "an order of elements that lie apart", "copy the operand first")
    return view


def _operand(op: Op) -> Value:
    (x,) = op.operands
    assert isinstance(x, Value)
    return x


def _rows(b: StandaloneBuilder, op: Op, view: GmView, targets: Mapping[str, GmView]) -> _Rows:
    """The rows of a view, and where the results of each lie."""
    before = b.merged(b.items(*(target.axes[:-1] for target in targets.values()), view.axes[:-1]))
    length, k = op.attrs.get("length", _operand(op).shape[-1]), op.attrs["k"]
    largest = bool(op.attrs["largest"])
    return _Rows(view, targets, before, b.axes.poly(length), b.axes.poly(k), _operand(op).dtype, largest)


def _store(b: StandaloneBuilder, rows: _Rows, outer: list[Step], kind: str, tile: str, below: Step | None) -> TileOp:
    """Where the rows of a tile have their place in a result; ``below``: the loop over them, if they are several."""
    at = list(rows.targets).index(kind)
    target = rows.targets[kind]
    stride = below.item.steps[at] if below is not None else ONE
    return b.store(tile, target.tensor, b.at(target.offset, outer, at), stride)


def _walk(b: StandaloneBuilder, rows: _Rows) -> None:
    """Row by row from GM; values are taken from there once it is known where they are."""
    kept, length = b.largest(rows.k), b.largest(rows.length)
    if kept > LONGEST_WALK:
        raise unsupported(
            b.op.span, f"an order of up to {kept} elements", f"sort at most {LONGEST_WALK}, or take the first with topk"
        )
    outer = [b.step(item, 1) for item in rows.before]
    cols = Extent(kept, None if rows.k.constant is not None else rows.k)
    room = min(max(4 * kept, LEAST_ROOM), max(length, kept))
    room = -(-(room + SLACK) // 8) * 8
    places = b.tile("places", "int32", Extent(1), cols, "row")
    rooms = b.tile("candidates", "int32", Extent(1), Extent(4 * room), "row")
    offset = b.at(rows.view.offset, outer, len(rows.targets))
    extent = Extent(length, None if rows.length.constant is not None else rows.length)
    row = GmRef(rows.view.tensor, offset, extent.poly(), ONE, Extent(1), extent)
    body: list[Node] = [b.do(TopK, places, gm=row, scratch=rooms, largest=rows.largest)]
    if "topk_values" in rows.targets:
        values = b.tile("values", rows.dtype, Extent(1), cols, "row")
        body.append(b.do(GatherElements, values, places, gm=row))
        body.append(_store(b, rows, outer, "topk_values", values, None))
    if "topk_indices" in rows.targets:
        body.append(_store(b, rows, outer, "topk_indices", places, None))
    b.nest(outer, body)


def _merge(b: StandaloneBuilder, rows: _Rows) -> None:
    """By sorted pairs of value and place."""
    k, length = rows.k.constant, rows.length.constant
    if k is None or (k > LONGEST_PART and (length is None or length > LISTS * LONGEST_PART)):
        raise unsupported(
            b.op.span,
            f"an order of {'a run-time number of' if k is None else k} elements on {b.platform.name}",
            f"take at most {LONGEST_PART}, or sort rows of at most {LISTS * LONGEST_PART} elements, known at build "
            "time",
        )
    kept = list_length(k)
    way = fastest(min(length, LONGEST_PART) if length is not None else LONGEST_PART, kept)
    whole = length is not None and length <= way.size
    one_by_one = list(rows.before)
    together = one_by_one.pop() if one_by_one and whole and _rows_at_once(way) > 1 else None
    outer = [b.step(item, 1) for item in one_by_one]
    below = b.step(together, _rows_at_once(way)) if together is not None else None
    outer += [below] if below is not None else []
    places = b.tile("places", "int32", Extent(1), Extent(way.size), "row")
    b.body.append(b.do(Iota, places))
    sorter = _Sorter(b, rows, outer, way, places, below)
    if kept > way.size:
        assert length is not None
        body, pairs = _all_parts(sorter, -(-length // way.size), length)
    elif whole:
        assert length is not None
        body, pairs = sorter.part(ZERO, length, places, None)
    else:
        body, pairs = _running(sorter, kept, rows.length)
    b.nest(outer, [*body, *_taken(b, rows, (outer, below), pairs, (k, kept))])


def _first(b: StandaloneBuilder, pairs: str, kept: int) -> str:
    """The first pairs of a tile."""
    whole = b.tiles[pairs].cols.size == 2 * kept
    return pairs if whole else b.window("best", pairs, 0, Extent(2 * kept))


def _tile(b: StandaloneBuilder, below: Step | None, wanted: str, dtype: str, cols: Extent) -> str:
    """A tile of one row, or of those of the loop ``below``."""
    rows = below.extent() if below is not None else Extent(1)
    return b.tile(wanted, dtype, rows, cols, "row" if below is None else "full")


def _taken(
    b: StandaloneBuilder, rows: _Rows, loops: tuple[list[Step], Step | None], pairs: str, count: tuple[int, int]
) -> list[Node]:
    """Values and places out of the first pairs, to GM. Of several rows all pairs are taken: what a pattern gathers lies
    without gaps."""
    (outer, below), (k, kept) = loops, count
    first = pairs if below is not None else _first(b, pairs, kept)
    cols = b.tiles[first].cols.size // 2
    body: list[Node] = []
    sides = (("topk_values", "values", "fp32", "P0101"), ("topk_indices", "indices", "int32", "P1010"))
    for kind, word, dtype, pattern in sides:
        if kind not in rows.targets:
            continue
        whole = _tile(b, below, word, dtype, Extent(cols))
        body.append(b.do(GatherByPattern, whole, first, pattern=pattern))
        if kind == "topk_values" and not rows.largest:
            body.append(b.do(Unary, whole, whole, fn="neg"))
        out = b.window(f"{word}_out", whole, 0, Extent(k)) if k < cols else whole
        body.append(_store(b, rows, outer, kind, out, below))
    return body


def _rows_at_once(way: Way) -> int:
    """Rows that are worth a transfer; where rounds need a tile of one row, one by one."""
    if way.rounds:
        return 1
    worth = 1 << max(0, (WORTH_A_TRANSFER // way.work).bit_length())
    return max(1, min(worth, MOST_ROWS, PAIRS_AT_ONCE // way.size))


class _Sorter:
    """Sorts parts of rows; ``below``: the loop over rows, where several are loaded."""

    def __init__(
        self, b: StandaloneBuilder, rows: _Rows, outer: list[Step], way: Way, places: str, below: Step | None
    ) -> None:
        self.b, self.rows, self.outer, self.way, self.places, self.below = b, rows, outer, way, places, below

    def part(self, start: Poly, valid: int | Poly, places: str, into: str | None) -> tuple[list[Node], str]:
        """The operations that sort a part, and the tile of its pairs: ``into`` where one is given."""
        b, view, results = self.b, self.rows.view, len(self.rows.targets)
        cols = Extent(valid) if isinstance(valid, int) else Extent(self.way.size, valid)
        part = _tile(b, self.below, "part", "fp32", cols)
        below = self.below.item.steps[results] if self.below is not None else ONE
        body: list[Node] = [b.load(part, view.tensor, b.at(view.offset, self.outer, results) + start, below)]
        if not self.rows.largest:
            body.append(b.do(Unary, part, part, fn="neg"))
        pairs = into or _tile(b, self.below, "pairs", "fp32", Extent(2 * self.way.pairs))
        return [*body, b.do(Sort, pairs, part, places, kept=self.way.kept)], pairs

    def first_places(self, here: str, span: Step | None) -> TileOp:
        """The places of the first part: of the row, or of a ``span`` of it."""
        if span is None:
            return self.b.do(Copy, here, self.places)
        return self.b.do(Binary, here, self.places, self.b.number(sympy.Symbol(span.var, integer=True)), fn="add")

    def further(self, here: str) -> TileOp:
        """The places of the next part."""
        return self.b.do(Binary, here, here, self.b.number(sympy.Integer(self.way.size)), fn="add")


def _running(sorter: _Sorter, kept: int, length: Poly, span: Step | None = None) -> tuple[list[Node], str]:
    """The best so far and the next part make the best so far; the first part is merged from its halves. Of a row, or of
    so much of it as a ``span`` has."""
    b, size = sorter.b, sorter.way.size
    here = b.tile("places_here", "int32", Extent(1), Extent(size), "row")
    best = b.tile("pairs_kept", "fp32", Extent(1), Extent(2 * kept), "row")
    step = Step(Item(length, (ONE,)), "n0", size)
    body, pairs = sorter.part(Poly.of(step.var), Poly.of(step.valid) if step.valid else size, here, None)
    half = b.tiles[pairs].cols.size // 2
    scratch = b.tile("merged", "fp32", Extent(1), Extent(2 * (kept + half)), "row")
    halves = [b.window("half", pairs, at, Extent(half)) for at in (0, half)]
    merge = b.do(MergeLists, best, pairs, *halves, scratch=scratch, first=(step.var,))
    loop = b.wrapped([step], [*body, merge, sorter.further(here)])
    return [sorter.first_places(here, span), *loop], best


def _all_parts(sorter: _Sorter, count: int, length: int) -> tuple[list[Node], str]:
    """All parts side by side, then merged in one go."""
    b, size = sorter.b, sorter.way.size
    lists = b.tile("lists", "fp32", Extent(1), Extent(2 * size * count), "row")
    scratch = b.tile("merged", "fp32", Extent(1), Extent(2 * size * count), "row")
    here = b.tile("places_here", "int32", Extent(1), Extent(size), "row")
    windows = [b.window("list", lists, 2 * size * at, Extent(2 * size)) for at in range(count)]
    body: list[Node] = [sorter.first_places(here, None)]
    for at, window in enumerate(windows):
        part, _ = sorter.part(Poly.of(size * at), min(size, length - size * at), here, window)
        body += part if at + 1 == count else [*part, sorter.further(here)]
    return [*body, b.do(MergeLists, lists, *windows, scratch=scratch)], lists


# -- rows in spans ----------------------------------------------------------------------------------------------------


def elements_of_a_span(platform: Platform, k: int, rows: int, longest: int) -> int:
    """Elements of a row that one block sorts out, whole parts: as many as make the least work of a row half as long as
    the ``longest``, if each of its spans has a core: that of one span, and that of merging the lists of all. More where
    the lists of so many ``rows`` would take more than `LISTS_BYTES`."""
    kept = list_length(k)
    way = fastest(LONGEST_PART, kept)
    part = way.work + kept + (kept if len(way.lists()) > 1 else way.size) + START
    lists = _lists_at_once(platform, kept)
    merge = ((lists + 1) * kept + START) / lists
    parts, spans = -(-longest // LONGEST_PART), LISTS_BYTES // (8 * kept * rows)
    return LONGEST_PART * max(1, round(sqrt(parts / 2 * merge / part)), -(-parts // spans))


def list_length(k: int) -> int:
    """Pairs of a list: 32 bytes and a multiple, so that lists lie side by side."""
    return -(-k // 8) * 8


def _lists_at_once(platform: Platform, kept: int) -> int:
    """Lists that are merged with the best so far: as many as UB has room for twice, beside the pairs that are merged,
    the best ones and the results, also twice."""
    pair, result = 8 * kept, 4 * kept
    return next(n for n in (3, 2, 1) if n == 1 or pair * (2 * n + n + 2) + 4 * result <= platform.memories["ub"])


def list_pairs(b: StandaloneBuilder, op: Op) -> None:
    """The best of each span of each row as a list of pairs in GM: lists of a row side by side."""
    view, tensor = _elements(b, op), b.target().tensor
    kept, span_size = list_length(int(op.attrs["k"])), int(op.attrs["span"])
    rows = _rows(b, op, view, {op.kind: _lists(b, op, _operand(op), tensor)})
    steps = (Poly.of(2 * kept).over(span_size), ONE)
    span = Step(Item(rows.length, steps), b.variable("s0"), span_size)
    outer = [*(b.step(item, 1) for item in rows.before), span]
    way = fastest(LONGEST_PART, kept)
    places = b.tile("places", "int32", Extent(1), Extent(way.size), "row")
    b.body.append(b.do(Iota, places))
    sorter = _Sorter(b, rows, outer, way, places, None)
    if span_size == way.size:
        here = b.tile("places_here", "int32", Extent(1), Extent(way.size), "row")
        part, pairs = sorter.part(ZERO, Poly.of(span.valid) if span.valid else way.size, here, None)
        body = [sorter.first_places(here, span), *part]
    else:
        body, pairs = _running(sorter, kept, span.extent().poly(), span)
    b.nest(outer, [*body, _store(b, rows, outer, op.kind, _first(b, pairs, kept), None)], product=True)


def _lists(b: StandaloneBuilder, op: Op, like: Value, tensor: str) -> GmView:
    """The lists of each row of a value as one axis."""
    _, spans, pairs = (op.result if op.kind == "topk_pairs" else _operand(op)).shape
    return b.axes.contiguous(tensor, (*like.shape[:-1], spans * pairs))


def _merge_spans(b: StandaloneBuilder, op: Op, targets: Mapping[str, GmView]) -> None:
    """The lists of a row in one, from the first to the last: so equal elements stay in order."""
    k, span = int(op.attrs["k"]), int(op.attrs["span"])
    kept = list_length(k)
    rows = _rows(b, op, _lists(b, op, op.result, b.source(_operand(op)).tensor), targets)
    outer = [b.step(item, 1) for item in rows.before]
    first = b.at(rows.view.offset, outer, len(targets))
    best = b.tile("best", "fp32", Extent(1), Extent(2 * kept), "row")
    body: list[Node] = [b.load(best, rows.view.tensor, first)]
    body += _others(b, rows, first, best, span)
    b.nest(outer, [*body, *_taken(b, rows, (outer, None), best, (k, kept))])


def _others(b: StandaloneBuilder, rows: _Rows, first: Poly, best: str, span: int) -> list[Node]:
    """The lists behind the first one are merged with it, several at a time; one by one those that are left over."""
    pairs = b.tiles[best].cols.size
    at_once = _lists_at_once(b.platform, pairs // 2)
    lists = b.tile("lists", "fp32", Extent(1), Extent(at_once * pairs), "row")
    scratch = b.tile("merged", "fp32", Extent(1), Extent((at_once + 1) * pairs), "row")
    each = Poly.of(pairs).over(span)

    def merged(tile: str, at: Poly) -> list[Node]:
        count = b.tiles[tile].cols.size // pairs
        parts = [b.window("list", tile, n * pairs, Extent(pairs)) for n in range(count)] if count > 1 else [tile]
        load = b.load(tile, rows.view.tensor, first + at * each)
        return [load, b.do(MergeLists, best, best, *parts, scratch=scratch)]

    def loop(var: str, start: Poly, stop: Poly, tile: int, body: list[Node], **ends: Any) -> Loop:
        return Loop(var, var, start, stop, tile, ends.pop("valid", None), "grid", False, tuple(body), b.op.span, **ends)

    if at_once == 1:
        var = b.variable("s0")
        return [loop(var, Poly.of(span), rows.length, span, merged(lists, Poly.of(var)))]
    several, left, inside = b.variable("s0"), b.variable("s1"), b.variable("s2")
    group, valid = at_once * span, f"{left}_valid"
    one = b.tile("last", "fp32", Extent(1), Extent(pairs), "row")
    one_by_one = loop(inside, ZERO, Poly.of(valid), span, merged(one, Poly.of(left) + Poly.of(inside)))
    whole = rows.length - (at_once - 1) * span
    return [
        loop(several, Poly.of(span), whole, group, merged(lists, Poly.of(several))),
        loop(left, Poly.of(span), rows.length, group, [one_by_one], valid=valid, after=rows.length + (span - 1)),
    ]


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {
    "topk_values": topk,
    "topk_indices": topk,
    "topk_pairs": list_pairs,
}
