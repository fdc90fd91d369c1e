"""Sorted rows: pairs of value and position, and what is read of them; positions that an instruction finds in GM.

before: p = topk_pairs(x: [rows, n], k = 64); v = pair_values(p); i = pair_indices(p)
after:  positions = iota
        for rows0: p = sort x, positions {kept = 64}; v = every first of p, i = every second            short rows
        for rows0: positions_here = copy positions                                                      long ones
          for n0 step 2048: p_part = sort x, positions_here; p = merge_lists p, p_part, the first 64 stay
            positions_here = add positions_here, 2048

before: v, i = topk(x: [rows, n], 64) on a CPU
after:  for rows0: i = topk x[rows0, :] in one walk over GM; v = take(x[rows0, :], i)

Of a row, or a piece of one, `sorted_rows` tells how it is sorted. Of equal elements the first ones come first: an
earlier list goes before a later one.
"""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.operands import Operands, Placed
from pyptogen.lower.tile.cutting.windows import Windows
from pyptogen.lower.tile.ir import Extent, ScalarArg, TileOp, TileVal
from pyptogen.lower.tile.ops import (
    Binary,
    Copy,
    GatherByPattern,
    GatherElements,
    Iota,
    Load,
    MergeLists,
    Sort,
    Store,
    TopK,
    Unary,
)
from pyptogen.lower.tile.sorted_rows import LONGEST_PIECE, fastest, kept_of, list_length, lists_at_once
from pyptogen.records import replace

SLACK, LEAST_ROOM = 80, 256
"""Candidates of the CPU's walk: what an append may write behind the last one (kTopkSlack in `topk.hpp`), and a room
that is worth while."""
SIDES = {"pair_values": ("fp32", "P0101"), "pair_indices": ("int32", "P1010")}
"""Of each side of pairs the dtype, and the pattern that gathers it."""


class Orders:
    """Sorts the rows of tiles, or finds the first elements of a row in GM."""

    def __init__(self, builder: KernelBuilder, grid: Grid, windows: Windows, operands: Operands) -> None:
        self.builder, self.grid, self.windows, self.operands = builder, grid, windows, operands
        self.axes, self.tiles = builder.axes, builder.tiles
        self.positions: dict[int, str] = {}
        """The tile of the first positions, by their number."""
        self.walks: dict[tuple[str, bool], str] = {}
        """The tile of the positions that a walk over a row finds, by the operand and the direction."""

    def cut(self, op: Op, scope: Scope) -> None:
        """The tile of what an operation makes."""
        if op.kind == "span_pairs":
            made = self._spans(op, scope)
        elif op.kind == "merged_pairs":
            made = self._merged(op, scope)
        elif op.kind == "topk_pairs":
            made = self._by_pieces(op, scope) if scope.role == "reduce" else self._whole(op, scope)
        elif op.kind in SIDES:
            made = self._side(op, scope)
        else:
            made = self._walk(op, scope)
        self.operands.placed[(op.result.name, "")] = made

    # -- pairs --------------------------------------------------------------------------------------------------------

    def _whole(self, op: Op, scope: Scope) -> Placed:
        """Pairs of short rows."""
        part = self._part(op, scope)
        size = fastest(self.tiles[part].cols.size, kept_of(op.attrs["k"])).size
        return Placed(self._sorted(op, scope, part, self._positions(op, size)), scope, False)

    def _sorted(self, op: Op, scope: Scope, part: str, positions: str) -> str:
        """Pairs of the rows of a tile, the first ones in order."""
        source = self.tiles[part]
        way = fastest(source.cols.size, kept_of(op.attrs["k"]))
        pairs = self._tile(op, op.result.name, "fp32", source.rows, 2 * way.pairs)
        self._emit(Sort(pairs, (part, positions), op.span, op.stage, kept=way.kept), scope)
        return pairs

    def _by_pieces(self, op: Op, scope: Scope) -> Placed:
        """Pairs of long rows."""
        home = self.builder.nest.inner
        ahead = Copy("", (self._positions(op, scope.tile),), op.span, op.stage)
        return Placed(self._best(op, home, scope, self._part(op, scope), ahead), home, False)

    def _best(self, op: Op, home: Scope, loop: Scope, part: str, ahead: TileOp) -> str:
        """The best so far and the next piece make the best so far; the first piece is merged from its halves. Where
        pieces lie is told by positions, which what stands ``ahead`` of their loop begins with."""
        at, one, kept = (op.span, op.stage), Extent(1), kept_of(op.attrs["k"])
        way = fastest(loop.tile, kept)
        best = self._tile(op, op.result.name, "fp32", one, 2 * kept)
        pairs = self._tile(op, f"{best}_part", "fp32", one, 2 * way.pairs)
        scratch = self._tile(op, f"{best}_tmp", "fp32", one, 2 * (kept + way.pairs))
        halves = [self._window(op, pairs, first, way.pairs) for first in (0, way.pairs)]
        here = self._tile(op, "positions_here", "int32", one, way.size)
        home.items.insert(home.items.index(loop), replace(ahead, dst=here))
        self._emit(Sort(pairs, (part, here), *at, kept=way.kept), loop)
        self._emit(MergeLists(best, (pairs, *halves), *at, scratch=scratch, first=(loop.var,)), loop)
        self._emit(Binary(here, (here, self._number(op, way.size)), *at, fn="add"), loop)
        return best

    def _spans(self, op: Op, scope: Scope) -> Placed:
        """The best of a span of a row, to its place among the lists of the row."""
        (source,) = op.operands
        assert isinstance(source, Value)
        kept, span = list_length(op.attrs["k"]), op.attrs["span"]
        spans = scope.loop_of(self.axes.axes(source.shape)[-1][0].dim)
        assert spans is not None
        first_ones = self._positions(op, LONGEST_PIECE), self._number(op, dim_symbol(spans.var))
        ahead = Binary("", first_ones, op.span, op.stage, fn="add")
        if span == LONGEST_PIECE:
            here = self._tile(op, "positions_here", "int32", Extent(1), span)
            self._emit(replace(ahead, dst=here), scope)
            pairs = self._sorted(op, scope, self._part(op, scope), here)
        else:
            stop, whole = spans.extent().poly(), spans.valid is None
            loop = self.builder.nest.child(scope, spans.dim, ZERO, stop, LONGEST_PIECE, whole, "reduce", op.span)
            part = self._tile(op, f"{source.name}_tile", "fp32", Extent(1), loop.extent())
            ref = self.windows.part_of_row(source, loop.extent(), op, loop)
            self._emit(Load(part, (), op.span, op.stage, replace(ref, offset=ref.offset + Poly.of(spans.var))), loop)
            pairs = self._best(op, scope, loop, self._falling(op, part, loop), ahead)
        first = pairs if self.tiles[pairs].cols.size == 2 * kept else self._window(op, pairs, 0, 2 * kept)
        view = self.windows.views.written(op.result)
        self.builder.note_write(view.tensor)
        ref = self.windows.gm_ref(view, Shape2D(Extent(1), Extent(2 * kept), "row", None, None), scope)
        place = ref.offset + Poly.of(spans.var) * Poly.of(2 * kept).over(span)
        self._emit(Store(None, (first,), op.span, op.stage, replace(ref, offset=place)), scope)
        return Placed(first, scope, False)

    def _merged(self, op: Op, scope: Scope) -> Placed:
        """The lists of a row in one, from the first to the last: so equal elements stay in order. Several at a time are
        merged with the best so far; one by one those that are left over."""
        (lists,) = op.operands
        assert isinstance(lists, Value)
        span, length, nest = op.attrs["span"], self.axes.poly(op.attrs["length"]), self.builder.nest
        count = 2 * list_length(op.attrs["k"])
        at_once, each = lists_at_once(self.builder.platform, count // 2), Poly.of(count).over(span)
        best = self._tile(op, op.result.name, "fp32", Extent(1), count)
        scratch = self._tile(op, f"{best}_tmp", "fp32", Extent(1), (at_once + 1) * count)

        def merge(loop: Scope, several: int, at: Poly) -> None:
            tile = self._tile(op, f"{best}_lists", "fp32", Extent(1), several * count)
            parts = [self._window(op, tile, n * count, count) for n in range(several)] if several > 1 else [tile]
            self._load_lists(op, lists, tile, loop, at * each)
            self._emit(MergeLists(best, (best, *parts), op.span, op.stage, scratch=scratch), loop)

        self._load_lists(op, lists, best, scope, ZERO)
        stop = length - (at_once - 1) * span
        group = nest.child(scope, "lists", Poly.of(span), stop, at_once * span, True, "reduce", op.span)
        merge(group, at_once, Poly.of(group.var))
        if at_once > 1:
            left = nest.child(scope, "left", Poly.of(span), length, at_once * span, False, "reduce", op.span)
            left.after = length + (span - 1)
            one = nest.child(left, "list", ZERO, left.extent().poly(), span, True, "reduce", op.span)
            merge(one, 1, Poly.of(left.var) + Poly.of(one.var))
        return Placed(best, scope, False)

    def _load_lists(self, op: Op, lists: Value, tile: str, scope: Scope, at: Poly) -> None:
        ref = self.windows.part_of_row(lists, self.tiles[tile].cols, op, scope)
        self._emit(Load(tile, (), op.span, op.stage, replace(ref, offset=ref.offset + at)), scope)

    def _part(self, op: Op, scope: Scope) -> str:
        """The tile of what is sorted, in falling order."""
        (source,) = op.operands
        assert isinstance(source, Value)
        return self._falling(op, self.operands.operand(source, op, scope).tile, scope)

    def _falling(self, op: Op, part: str, scope: Scope) -> str:
        """A tile whose greatest elements are the first ones of the order."""
        if op.attrs["largest"]:
            return part
        negated = self.builder.name(f"{part}_neg")
        self.tiles[negated] = replace(self.tiles[part], name=negated, parent=None, col_offset=0)
        self._emit(Unary(negated, (part,), op.span, op.stage, fn="neg"), scope)
        return negated

    def _positions(self, op: Op, count: int) -> str:
        """The tile of the first positions, which all rows have in common."""
        if count not in self.positions:
            name = self.positions[count] = self._tile(op, "positions", "int32", Extent(1), count)
            self.builder.emit(Iota(name, (), op.span, op.stage), self.builder.nest.top, True)
        return self.positions[count]

    def _side(self, op: Op, scope: Scope) -> Placed:
        """Values or positions of the first pairs. Of several rows all pairs are taken: what a pattern gathers lies
        without gaps."""
        (source,) = op.operands
        assert isinstance(source, Value)
        pairs, (dtype, pattern) = self.operands.placed[(source.name, "")].tile, SIDES[op.kind]
        k, whole = op.attrs["k"], self.tiles[pairs]
        kept = 2 * kept_of(k)
        first = pairs if whole.rows.size > 1 or whole.cols.size <= kept else self._window(op, pairs, 0, kept)
        count = self.tiles[first].cols.size // 2
        made = self._tile(op, op.result.name, dtype, whole.rows, count)
        self._emit(GatherByPattern(made, (first,), op.span, op.stage, pattern=pattern), scope)
        if op.kind == "pair_values" and not op.attrs["largest"]:
            self._emit(Unary(made, (made,), op.span, op.stage, fn="neg"), scope)
        return Placed(self._window(op, made, 0, k) if k < count else made, scope, False)

    # -- in GM --------------------------------------------------------------------------------------------------------

    def _walk(self, op: Op, scope: Scope) -> Placed:
        """Row by row from GM; values are taken from there once it is known where they are."""
        (source,) = op.operands
        assert isinstance(source, Value)
        key, row = (source.name, bool(op.attrs["largest"])), self.windows.whole_row(source, op, scope)
        cols = self.grid.whole_extent(self.axes.poly(op.result.shape[-1]))
        if key not in self.walks:
            room = min(max(4 * cols.size, LEAST_ROOM), max(row.cols.size, cols.size))
            rooms = self._tile(op, "candidates", "int32", Extent(1), 4 * (-(-(room + SLACK) // 8) * 8))
            name = self.walks[key] = self._tile(op, "positions", "int32", Extent(1), cols)
            self._emit(TopK(name, (), op.span, op.stage, row, scratch=rooms, largest=key[1]), scope)
        found = self.walks[key]
        if op.kind == "topk_values":
            positions, found = found, self._tile(op, op.result.name, op.result.dtype, Extent(1), cols)
            self._emit(GatherElements(found, (positions,), op.span, op.stage, row), scope)
        return Placed(found, scope, False)

    # -- tiles --------------------------------------------------------------------------------------------------------

    def _tile(self, op: Op, wanted: str, dtype: str, rows: Extent, cols: int | Extent) -> str:
        name = self.builder.name(wanted)
        extent = cols if isinstance(cols, Extent) else Extent(cols)
        self.tiles[name] = TileVal(name, dtype, rows, extent, "full" if rows.size > 1 else "row", op.span)
        return name

    def _window(self, op: Op, tile: str, first: int, cols: int) -> str:
        """Columns of a tile."""
        name = self.builder.name(f"{tile}_first")
        self.tiles[name] = replace(self.tiles[tile], name=name, cols=Extent(cols), parent=tile, col_offset=first)
        return name

    @staticmethod
    def _number(op: Op, value: Any) -> ScalarArg:
        return ScalarArg(sympy.sympify(value), op.span)

    def _emit(self, op: TileOp, scope: Scope) -> None:
        self.builder.emit(op, scope, False)
