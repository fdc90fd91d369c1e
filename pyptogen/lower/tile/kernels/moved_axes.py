"""The axes of what is moved, in the order of loops, with the tiles that suit them at first.

before: y as [b, h, e] with steps h * e, e, 1 and x as [b, h, e] with steps h * e, 1, h
after:  b one by one, then rows e and columns h in squares of 64: a tile is transposed on its way

Columns of a tile are the axis whose elements lie side by side in the result, rows the one ahead of it, or that whose
elements lie side by side in the operand, or what an index names of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.items import Item, items_of, merged
from pyptogen.lower.tile.interleaved_stores import run_of
from pyptogen.lower.tile.sizes.first_guesses import MOST_LINE, MOST_TILE, Choice
from pyptogen.lower.tile.strided_loads import EVERY, loads_rows_of_every
from pyptogen.records import dataclass

Tiled = tuple[Item, Choice]
"""A loop over an axis, and its tile at first."""
CPU_TILE_BYTES, TILE_BYTES = 16 * 1024, 24 * 1024
"""Bytes of one tile: what stays in L1 of a CPU, what leaves room for several copies in UB."""
SQUARE = 64
"""Rows and columns of a tile that is transposed."""
ROWS_BY_INDEX = 8
"""Rows of a tile that an index names one by one: their indices lie in one line of the scalar unit's data cache, which
takes as long to come as four rows, and they are stored at once. More would leave cores without any where there are few.
"""
NARROW = 8
"""Part of a tile's elements that are in one where the operand, or the result, takes 32 bytes for each."""


def elements_of_a_tile(platform: Platform, dtype: str) -> int:
    """Elements of one tile."""
    return (CPU_TILE_BYTES if platform.unified else TILE_BYTES) // max(DTYPES[dtype], 2)


def most_rows(platform: Platform, dtype: str, width: int) -> int:
    """Rows of one tile with so many columns. Rows begin at 32 bytes, so many short ones take more than their elements:
    a quarter of UB at the most."""
    pitch = max(width * DTYPES[dtype], 32)
    return max(1, min(elements_of_a_tile(platform, dtype) // width, platform.memories["ub"] // 4 // pitch))


def one_element(views: int) -> Item:
    """An axis of one element, in so many views."""
    return Item(ONE, (ONE,) * views, None, (None,) * views)


def one_by_one(item: Item) -> Tiled:
    return item, Choice("", 1, 0, 1)


def columns(tile: int) -> Choice:
    return Choice("", tile, 2, max(tile, MOST_LINE))


def _rows(tile: int) -> Choice:
    return Choice("", tile, 1, max(tile, MOST_TILE))


@dataclass(frozen=True, slots=True)
class MovedAxes:
    """Finds them for one operation of the spec, which refusals point at."""

    span: Span
    platform: Platform

    def in_rows(self, views: Sequence[GmView], dtype: str) -> list[Tiled]:
        """The axes of a nest, in order, with the tiles that suit them at first: rows last but one, columns last."""
        items = merged(items_of(self.span, *(view.axes for view in views)))
        budget = elements_of_a_tile(self.platform, dtype)
        col = next((item for item in items if item.steps[0] == ONE and not item.gathered), None)
        others = [item for item in items if item is not col and not item.gathered]
        by_index = [item for item in items if item.gathered]
        source = col.steps[1] if col is not None and len(views) > 1 else ONE
        near = source.constant in EVERY and loads_rows_of_every(self.platform, dtype, source.constant or 0)
        inner = next((item for item in others if len(views) > 1 and item.steps[1] == ONE), None)
        if col is None and not items:
            return []
        if by_index and source == ONE and not self.platform.unified:
            return self._rows_by_index(by_index, others, col or one_element(len(views)), dtype)
        front = [*map(one_by_one, by_index)]
        in_turn = self._in_turn(views) if col is None and self.platform.runs_of_elements else None
        if in_turn is not None:
            return in_turn
        if col is None and not others:
            return front
        if col is None or (source not in (ZERO, ONE) and not near and inner is None):  # elements that lie apart
            *outer, rows = others if col is None else [*others, col]
            return [
                *front,
                *map(one_by_one, outer),
                (rows, _rows(budget // NARROW)),
                one_by_one(one_element(len(views))),
            ]
        if source not in (ZERO, ONE) and not near:
            assert inner is not None
            outer = [item for item in others if item is not inner]
            return [*front, *map(one_by_one, outer), (inner, _rows(SQUARE)), (col, columns(SQUARE))]
        apart = source.constant or 1
        wide = max(1, budget // NARROW if source == ZERO else budget // apart)
        width = min(wide, col.extent.constant or wide)
        found = [(col, columns(wide))]
        if others:
            *outer, rows = others
            found = [*map(one_by_one, outer), (rows, _rows(most_rows(self.platform, dtype, width * apart))), *found]
        return [*front, *found]

    def _rows_by_index(self, by_index: Sequence[Item], others: Sequence[Item], col: Item, dtype: str) -> list[Tiled]:
        """The axes of runs that an index names, some of which are rows of a tile."""
        *outer, rows = by_index
        wide = columns(elements_of_a_tile(self.platform, dtype)) if col.extent != ONE else one_by_one(col)[1]
        several = most_rows(self.platform, dtype, min(wide.tile, col.extent.constant or wide.tile))
        found = Choice("", min(ROWS_BY_INDEX, several), 1, ROWS_BY_INDEX)
        return [*map(one_by_one, (*outer, *others)), (rows, found), (col, wide)]

    def _in_turn(self, views: Sequence[GmView]) -> list[Tiled] | None:
        """The axes of runs whose elements take turns in the result, with such tiles that these can be interleaved on
        chip; None where they are none, or where none of their lengths is known at build time."""
        several = len(views) // 2
        outer, known = items_of(self.span, *(view.axes for view in views)), list[Item]()
        while outer and outer[-1].extent.constant is not None:
            known.insert(0, outer.pop())
        runs = merged(known)
        if len(runs) != 1 or runs[0].steps != (Poly.of(several), ONE) * several:
            return None
        count = run_of(runs[0].extent.evaluate({}), several)
        one = one_by_one(one_element(len(views)))
        return [*map(one_by_one, merged(outer)), (runs[0], _rows(count)), one] if count else None

    def in_fractals(self, views: Sequence[GmView], dtype: str) -> list[Tiled]:
        """The axes of matrices in fractals, with tiles of whole fractals.

        Raises:
            DiagnosticError: PTG303, the rows of the operand lie apart.
        """
        deep, wide = self.platform.fractal(DTYPES[dtype])
        one = one_element(len(views))
        *several, down, across = (
            merged(items_of(self.span, *([view.axes[at]] for view in views))) for at in range(len(views[0].axes))
        )
        if any(len(axis) > 1 for axis in (down, across)) or (across and across[0].steps[1] != ONE):
            what = f"`{views[0].tensor}` @ nz from rows that lie apart"
            raise unsupported(self.span, what, "copy it first")
        across_at_once = max(wide, elements_of_a_tile(self.platform, dtype) // deep // wide * wide)
        width = min(across_at_once, (across or [one])[0].extent.constant or across_at_once)
        rows = max(deep, most_rows(self.platform, dtype, width) // deep * deep)
        return [
            *(one_by_one(item) for axis in several for item in axis),
            ((down or [one])[0], Choice("", rows, 0, rows)),
            ((across or [one])[0], Choice("", across_at_once, 0, across_at_once)),
        ]
