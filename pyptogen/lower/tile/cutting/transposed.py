"""Columns of tiles that begin anywhere, in an iteration of a loop.

A window of a tile begins at 32 bytes of its rows. Rows of a tile that is transposed begin there wherever they are:

before: f = slice e [R, 64], column 3
after:  f_near = e[:, 0:4]; f_across = transpose f_near; f [R, 1] = copy f_across[3]      a row lies as columns do

before: c = concat(a [R, 5], b [R, 7])
after:  c_across[0:5] = transpose a; c_across[5:12] = transpose b; c = transpose c_across
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor.ir import BY_BYTES, DTYPES, Op
from pyptogen.lower.tile.cutting.grid import Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.ir import Extent, Form, TileVal
from pyptogen.lower.tile.ops import Copy, Transpose


def can_transpose(dtype: str) -> bool:
    """Whether tiles of a dtype can be transposed on chip."""
    return DTYPES[dtype] <= 4 and dtype not in BY_BYTES


class Columns:
    """Takes columns out of tiles, and puts tiles beside each other."""

    def __init__(self, builder: KernelBuilder) -> None:
        self.builder = builder
        self.tiles = builder.tiles

    def new_tile(self, wanted: str, dtype: str, rows: Extent, cols: Extent, op: Op, col: bool = False) -> TileVal:
        """A tile of its own; of one number a row where it is to be a column (``col``)."""
        name = self.builder.name(wanted)
        form: Form = "col" if col else "row" if rows.size == 1 else "full"
        self.tiles[name] = TileVal(name, dtype, rows, cols, form, op.span)
        return self.tiles[name]

    def _window(self, tile: TileVal, wanted: str, rows: Extent, cols: Extent, row: int = 0, col: int = 0) -> TileVal:
        """Rows and columns of a tile from a place on."""
        name, offset = self.builder.name(wanted), tile.row_offset + Poly.of(row)
        form: Form = "row" if rows.size == 1 else "full"
        self.tiles[name] = TileVal(
            name, tile.dtype, rows, cols, form, tile.span, tile.owner, tile.col_offset + col, offset
        )
        return self.tiles[name]

    def take_columns(self, tile: TileVal, start: int, seen: Shape2D, name: str, op: Op, scope: Scope) -> str:
        """The columns of a tile from ``start`` on that have the shape ``seen``, as a tile of its own."""
        step = 32 // DTYPES[tile.dtype]
        first = start // step * step
        near = self._window(tile, f"{name}_near", tile.rows, Extent(start + seen.cols.size - first), col=first)
        across = self.new_tile(f"{name}_across", tile.dtype, near.cols, near.rows, op)
        self._do(Transpose, across, near, op, scope)
        part = self._window(across, f"{name}_rows", seen.cols, across.cols, row=start - first)
        taken = self.new_tile(name, tile.dtype, tile.rows, seen.cols, op, col=seen.form == "col")
        self._do(Copy if taken.form == "col" else Transpose, taken, part, op, scope)
        return taken.name

    def put_beside(self, parts: Sequence[TileVal], whole: TileVal, op: Op, scope: Scope) -> None:
        """The columns of all parts, in order, in one tile."""
        across = self.new_tile(f"{whole.name}_across", whole.dtype, whole.cols, whole.rows, op)
        at = 0
        for part in parts:
            rows = self._window(across, f"{whole.name}_part", part.cols, across.cols, row=at)
            self._do(Copy if part.form == "col" else Transpose, rows, part, op, scope)
            at += part.cols.size
        self._do(Transpose, whole, across, op, scope)

    def upright(self, tile: TileVal, seen: Shape2D, name: str, op: Op, scope: Scope) -> str:
        """A column of a tile with one element a row, or the other way round; as it is where it stays what it is."""
        if (tile.form, seen.form) == ("full", "col"):
            return self.take_columns(tile, 0, seen, name, op, scope)
        whole = self.new_tile(name, tile.dtype, seen.rows, seen.cols, op, col=seen.form == "col")
        if tile.form == seen.form:
            self._do(Copy, whole, tile, op, scope)
        else:
            self.put_beside([tile], whole, op, scope)
        return whole.name

    def put_below(self, parts: Sequence[TileVal], whole: TileVal, op: Op, scope: Scope) -> None:
        """The rows of all parts, in order, in one tile."""
        at = 0
        for part in parts:
            rows = self._window(whole, f"{whole.name}_part", part.rows, part.cols, row=at)
            self._do(Copy, rows, part, op, scope)
            at += part.rows.size

    def _do(self, by: type[Copy] | type[Transpose], dst: TileVal, source: TileVal, op: Op, scope: Scope) -> None:
        self.builder.emit(by(dst.name, (source.name,), op.span, op.stage), scope, False)
