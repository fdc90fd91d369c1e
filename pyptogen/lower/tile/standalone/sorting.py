"""The extreme elements of rows, in order, and their places.

before: v, i = topk(x: fp32[t, 4096], 64)
after:  a2a3  for t0: for n0 step 2048: part = load x[t0, n0..]; pairs = sort_blocks(part, places), blocks of 32
                                        pairs = merge_blocks(pairs) until one block is left
                                        best = merge_lists(best, pairs), the first 64 stay
                      v = every first of best, i = every second
        cpu   for t0: i = topk(x[t0, :]) in one walk over GM; v = take(x[t0, :], i)

Of equal elements the first ones come first: places rise within a block, and an earlier list goes before a later one.
What fills a part up is the least number there is, behind all elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.ir import Extent, GmRef, Node, TileOp
from pyptogen.lower.tile.ops import (
    Binary,
    Copy,
    GatherByPattern,
    GatherElements,
    Iota,
    MergeBlocks,
    MergeLists,
    Pad,
    SortBlocks,
    TopK,
    Unary,
)
from pyptogen.lower.tile.standalone.builder import Item, StandaloneBuilder, Step
from pyptogen.records import dataclass

BLOCK = 32
"""Elements that TSORT32 sorts."""
PARTS = (BLOCK, 4 * BLOCK, 16 * BLOCK, 64 * BLOCK)
"""Elements that are sorted in one piece: TMRGSORT makes one block of four, again and again."""
LISTS = 4
"""Lists that TMRGSORT merges at once."""
LONGEST_WALK = 32768
"""Most elements that a CPU keeps of a row: UB holds their keys and places twice over."""
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
    (x,) = op.operands
    assert isinstance(x, Value)
    view = b.source(x)
    targets = {each.kind: b.target(each) for each in b.kernel.ops}
    if b.stride(view.axes[-1]) not in (ONE, ZERO):
        raise unsupported(op.span, "an order of elements that lie apart", "copy the operand first")
    before = b.merged(b.items(*(target.axes[:-1] for target in targets.values()), view.axes[:-1]))
    length, k = b.axes.poly(x.shape[-1]), b.axes.poly(op.result.shape[-1])
    rows = _Rows(view, targets, before, length, k, x.dtype, bool(op.attrs["largest"]))
    if b.platform.unified:
        _walk(b, rows)
    else:
        _merge(b, rows)


def _store(b: StandaloneBuilder, rows: _Rows, outer: list[Step], kind: str, tile: str) -> TileOp:
    at = list(rows.targets).index(kind)
    target = rows.targets[kind]
    return b.store(tile, target.tensor, b.at(target.offset, outer, at))


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
        body.append(_store(b, rows, outer, "topk_values", values))
    if "topk_indices" in rows.targets:
        body.append(_store(b, rows, outer, "topk_indices", places))
    b.nest(outer, body)


def _merge(b: StandaloneBuilder, rows: _Rows) -> None:
    """By sorted pairs of value and place."""
    k, length = rows.k.constant, rows.length.constant
    if k is None or (k > PARTS[-1] and (length is None or length > LISTS * PARTS[-1])):
        raise unsupported(
            b.op.span,
            f"an order of {'a run-time number of' if k is None else k} elements on {b.platform.name}",
            f"take at most {PARTS[-1]}, or sort rows of at most {LISTS * PARTS[-1]} elements, known at build time",
        )
    kept = -(-k // 8) * 8
    need = max(kept, min(length, PARTS[-1]) if length is not None else PARTS[-1])
    size = next((part for part in PARTS if part >= need), PARTS[-1])
    outer = [b.step(item, 1) for item in rows.before]
    places = b.tile("places", "int32", Extent(1), Extent(size), "row")
    b.body.append(b.do(Iota, places))
    sorter = _Sorter(b, rows, outer, size, places)
    if kept > size:
        assert length is not None
        body, pairs = _all_parts(sorter, -(-length // size), length)
    elif length is not None and length <= size:
        body, pairs = sorter.part(ZERO, length, places, None)
    else:
        body, pairs = _running(sorter, kept)
    b.nest(outer, [*body, *_taken(b, rows, outer, pairs, (k, kept))])


def _taken(b: StandaloneBuilder, rows: _Rows, outer: list[Step], pairs: str, count: tuple[int, int]) -> list[Node]:
    """Values and places out of the first pairs, to GM."""
    k, kept = count
    first = b.window("best", pairs, 0, Extent(2 * kept))
    body: list[Node] = []
    sides = (("topk_values", "values", "fp32", "P0101"), ("topk_indices", "indices", "int32", "P1010"))
    for kind, word, dtype, pattern in sides:
        if kind not in rows.targets:
            continue
        whole = b.tile(word, dtype, Extent(1), Extent(kept), "row")
        body.append(b.do(GatherByPattern, whole, first, pattern=pattern))
        if kind == "topk_values" and not rows.largest:
            body.append(b.do(Unary, whole, whole, fn="neg"))
        body.append(_store(b, rows, outer, kind, b.window(f"{word}_out", whole, 0, Extent(k)) if k < kept else whole))
    return body


class _Sorter:
    """Sorts parts of rows, ``size`` elements each, with the buffers that they share."""

    def __init__(self, b: StandaloneBuilder, rows: _Rows, outer: list[Step], size: int, places: str) -> None:
        self.b, self.rows, self.outer, self.size, self.places = b, rows, outer, size, places
        rounds = PARTS.index(size)
        wide = Extent(2 * size)
        self.pairs = [b.tile("pairs", "fp32", Extent(1), wide, "row") for _ in range(min(rounds, 1) + 1)]

    def part(self, start: Poly, valid: int | Poly, places: str, into: str | None) -> tuple[list[Node], str]:
        """The operations that sort a part, and the tile of its pairs: ``into`` where one is given."""
        b = self.b
        fixed = valid if isinstance(valid, int) else None
        whole = fixed == self.size
        cols = Extent(fixed) if fixed is not None else Extent(self.size, Poly.of(valid))
        padded = b.tile("part", "fp32", Extent(1), Extent(self.size), "row")  # one a part: loads go ahead of all else
        read = padded if whole else b.window("part_in", padded, 0, cols)
        view = self.rows.view
        offset = b.at(view.offset, self.outer, len(self.rows.targets)) + start
        body: list[Node] = [b.load(read, view.tensor, offset)]
        if not self.rows.largest:
            body.append(b.do(Unary, read, read, fn="neg"))
        if not whole:
            body.append(b.do(Pad, padded, read))
        rounds = PARTS.index(self.size)
        order = [self.pairs[turn % len(self.pairs)] for turn in range(rounds + 1)]
        order[-1] = into or order[-1]
        body.append(b.do(SortBlocks, order[0], padded, places))
        for turn in range(rounds):
            body.append(b.do(MergeBlocks, order[turn + 1], order[turn], length=Poly.of(2 * PARTS[turn])))
        return body, order[-1]

    def further(self, here: str) -> TileOp:
        """The places of the next part."""
        return self.b.do(Binary, here, here, self.b.number(sympy.Integer(self.size)), fn="add")


def _running(sorter: _Sorter, kept: int) -> tuple[list[Node], str]:
    """The best so far and the next part make the best so far; the first part is merged from its halves."""
    b, size = sorter.b, sorter.size
    here = b.tile("places_here", "int32", Extent(1), Extent(size), "row")
    best = b.tile("pairs_kept", "fp32", Extent(1), Extent(2 * kept), "row")
    scratch = b.tile("merged", "fp32", Extent(1), Extent(2 * (kept + size)), "row")
    step = Step(Item(sorter.rows.length, (ONE,)), "n0", size)
    body, pairs = sorter.part(Poly.of(step.var), Poly.of(step.valid) if step.valid else size, here, None)
    halves = [b.window("half", pairs, at, Extent(size)) for at in (0, size)]
    merge = b.do(MergeLists, best, pairs, *halves, scratch=scratch, first=(step.var,))
    loop = b.wrapped([step], [*body, merge, sorter.further(here)])
    return [b.do(Copy, here, sorter.places), *loop], best


def _all_parts(sorter: _Sorter, count: int, length: int) -> tuple[list[Node], str]:
    """All parts side by side, then merged in one go."""
    b, size = sorter.b, sorter.size
    lists = b.tile("lists", "fp32", Extent(1), Extent(2 * size * count), "row")
    scratch = b.tile("merged", "fp32", Extent(1), Extent(2 * size * count), "row")
    here = b.tile("places_here", "int32", Extent(1), Extent(size), "row")
    windows = [b.window("list", lists, 2 * size * at, Extent(2 * size)) for at in range(count)]
    body: list[Node] = [b.do(Copy, here, sorter.places)]
    for at, window in enumerate(windows):
        part, _ = sorter.part(Poly.of(size * at), min(size, length - size * at), here, window)
        body += part if at + 1 == count else [*part, sorter.further(here)]
    return [*body, b.do(MergeLists, lists, *windows, scratch=scratch)], lists


CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {"topk_values": topk, "topk_indices": topk}
