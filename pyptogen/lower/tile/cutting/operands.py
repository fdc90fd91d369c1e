"""Tiles of operands: loaded from GM, computed in this kernel, or windows of either.

A load goes to the outermost loop that binds the dims it needs and is shared by all who need it there; a view of a GM
tensor is another address, a view of a computed tile a window of its columns; an accumulator is extracted to a vector
tile in the rows that its reader works on.
"""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import CopyOf, Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import BINARY, DTYPES, PRODUCTS, UNARY, Op, Value
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.cutting import concat as concat_pass
from pyptogen.lower.tile.cutting.axes import Gather, GmView, one_run
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.transposed import Columns, can_transpose
from pyptogen.lower.tile.cutting.windows import Found, Windows
from pyptogen.lower.tile.ir import Extent, GmRef, TileOp, TileVal
from pyptogen.lower.tile.ops import Extract, GatherRows, GatherRowsByTile, Load, LoadRole
from pyptogen.lower.verify import require
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile and the scope whose iterations it belongs to; ``early`` when it depends on loads alone."""

    tile: str
    scope: Scope
    early: bool


class Operands:
    """Finds or makes the tile of an operand."""

    def __init__(self, builder: KernelBuilder, grid: Grid, windows: Windows, columns: Columns) -> None:
        self.builder, self.grid, self.windows, self.columns = builder, grid, windows, columns
        self.program, self.axes, self.defining, self.tiles = (
            builder.program,
            builder.axes,
            builder.defining,
            builder.tiles,
        )
        self.placed: dict[tuple[str, str], Placed] = {}
        self.clipped: set[str] = set()
        """Accumulators that are stored under relu."""
        self.concats = concat_pass.plan(
            self.builder.kernel.ops, self.defining, self.axes, frozenset(self.builder.kernel.writes)
        )

    def row_step(self, target: Value, op: Op) -> Poly:
        """Elements from one row of an updated tensor to the next.

        Raises:
            DiagnosticError: PTG303 for rows that are not at equal distances, or no runs.
        """
        view = self.windows.gm_view(target.name, op)
        if view is None:
            return self.axes.poly(target.shape[-1])
        rows = tuple(factor for axis in view.axes[:-1] for factor in axis)
        columns = view.axes[-1]
        if not one_run(rows) or not one_run(columns) or (columns and columns[-1].stride != ONE):
            what = f"an update of rows of `{target.name}`, which do not lie at equal distances"
            raise unsupported(op.span, what, "let only the rows lie apart, all by one stride")
        return rows[-1].stride if rows else self.axes.poly(target.shape[-1])

    def load(self, value: Value, op: Op, scope: Scope, role: LoadRole = "vector") -> Placed:
        """The tile of a GM value, loaded in the outermost scope that has its dims."""
        view = self.windows.gm_view(value.name, op)
        assert view is not None
        dims = {f.dim for axis in view.axes for f in axis if f.dim}
        dims |= {view.per_iteration.loop.block.name} if view.per_iteration is not None else set()
        home = scope
        while home.parent is not None and home.dim not in dims:
            home = home.parent
        if role == "a" and self._is_in_rows_of_iterations(home):
            assert home.parent is not None
            return self._window(self.load(value, op, home.parent, role), home)
        key = (f"{value.name}:{role}", f"{home.var}:{home.depth}:{id(home)}")
        if key in self.placed:
            return self.placed[key]
        shape = self._loaded_shape(view, home, op)
        self.windows.check_pairs(value, shape, op)
        tensor = self.builder.tensors[view.tensor]
        self.builder.note_read(view.tensor)
        name = self.builder.name(self.loaded_name(value, view.tensor))
        self.tiles[name] = TileVal(name, value.dtype, shape.rows, shape.cols, shape.form, value.span)
        early = home.role == "grid" and op.kind not in ("move", "update")  # which store it at once
        ahead = early or (home.role == "sequential" and home is not scope)  # of the loop over rows that wants it
        found = self.windows.find(view, shape, home, op, ahead)
        ref = self.windows.gm_ref(view, shape, home)
        ref = replace(ref, offset=ref.offset + found.offset)
        if tensor.layout == "nz":
            ref = self.windows.packed_ref(view, ref, tensor, home, op)
        load = Load(name, (), op.span, op.stage, ref, role)
        self.builder.emit(load if found.rows is None else self._by_rows(load, found, view, home, ahead), home, ahead)
        self.placed[key] = Placed(name, home, early)
        return self.placed[key]

    def _is_in_rows_of_iterations(self, scope: Scope) -> bool:
        """Whether a scope is the loop over the rows of an iteration, on a platform with a memory for matrices that all
        iterations share: left operands are loaded there once, and not some rows in each iteration."""
        iterations = scope.parent is not None and scope.parent.role == "sequential"
        return scope.role == "sub" and iterations and not self.builder.platform.operands_from_gm

    def _loaded_shape(self, view: GmView, home: Scope, op: Op) -> Shape2D:
        """The tile of a view.

        Raises:
            Refused: PTG303, what an index names makes no tile.
        """
        shape = asked(self.grid.shape2d, view.axes, home, op)
        if isinstance(shape, Refusal):
            raise (shape.helped_by(CopyOf(view.gathers[0].name)) if view.gathers else shape).error()
        return shape

    def _by_rows(self, load: Load, found: Found, view: GmView, home: Scope, ahead: bool) -> TileOp:
        """The load of a tile whose rows an index names.

        Raises:
            Refused: PTG303 for the operand of a product, as a core rearranges whole tiles on the way there, and for
                rows that are no runs of elements.
        """
        assert found.rows is not None
        if load.role != "vector" or load.gm.col_stride != ONE or self.tiles[str(load.dst)].form == "col":
            what = "a tile of such rows that an index names"
            raise unsupported(load.span, what, "give the dim of its rows the tile 1").helped_by(
                CopyOf(view.gathers[0].name)
            )
        gather, step = found.rows
        if self.builder.platform.unified and self.builder.tensors[gather.index].dtype == "int32":
            return self._taken(load, gather, step, home, ahead)
        where = (load.gm, gather.index, gather.offset, step, gather.bound)
        return GatherRows(load.dst, load.srcs, load.span, load.stage, *where)

    def _taken(self, load: Load, gather: Gather, step: Poly, home: Scope, ahead: bool) -> TileOp:
        """All rows at once, by a tile with their indices."""
        rows = self.tiles[str(load.dst)].rows
        name = self.builder.name(f"{gather.index}_places")
        self.tiles[name] = TileVal(name, "int32", Extent(1), rows, "row", load.span)
        where = GmRef(gather.index, gather.offset, ONE, step, Extent(1), rows)
        self.builder.emit(Load.of(load, name, gm=where), home, ahead)
        most = gather.size.evaluate({dim.name: dim.max for dim in self.program.dims})
        table = replace(load.gm, rows=Extent(most, None if gather.size.constant is not None else gather.size))
        return GatherRowsByTile.of(load, load.dst, name, gm=table)

    def loaded_name(self, value: Value, tensor: str) -> str:
        """A view that the spec does not name is called after the tensor that it is read from."""
        return value.name if value.name in self.program.spoken else tensor

    def operand(self, value: Value, op: Op, scope: Scope, role: LoadRole = "vector") -> Placed:
        """The tile of an operand inside ``scope``: loaded, computed here, or a view of one.

        Raises:
            Refused: PTG303, a view of a value of this kernel that its tile does not have.
        """
        if self.windows.gm_view(value.name, op) is not None:
            return self.load(value, op, scope, role)
        base = root(value.name, self.defining)
        placed = asked(self._from_tile, value, base, op, scope, role)
        if isinstance(placed, Refusal):
            raise placed.helped_by(TwoKernels(op.result.name, base)).error()
        return placed

    def _from_tile(self, value: Value, base: str, op: Op, scope: Scope, role: LoadRole) -> Placed:
        """A value of this kernel, or a window of one."""
        if any(view.kind == "collected" for view in value_views(self.defining, value.name)):
            raise unsupported(op.span, f"`{value.name}`, which is whole only after the loop, from its tile", "")
        if any(view.kind == "block" for view in value_views(self.defining, value.name)):
            raise unsupported(op.span, f"an iteration's part of `{base}`, of which a tile is computed here", "")
        found = self.placed.get((base, ""))
        if found is None:
            raise unsupported(op.span, f"`{value.name}`, which is no tile of its kernel", "keep the two stages apart")
        tile = self.tiles[found.tile]
        if self.defining[base].kind in PRODUCTS:
            found = self._from_accumulator(base, found, scope, op)
            tile = self.tiles[found.tile]
        else:
            found = self.rows_of(found, scope, base)
            tile = self.tiles[found.tile]
        start, width = self._column_window(value.name)
        self._check_names(value, found, scope, op)
        taken = self._taken_columns(value, found, (start, width), scope, op)
        if taken is not None:
            return taken
        self._check_view(value, found, width, op)
        if width is None or (start == 0 and width == tile.cols.size):
            return found
        if start + width > tile.cols.size:
            what = f"{width} columns from {start} on of a tile that is cut into {tile.cols.size}"
            raise unsupported(op.span, what, "leave the axis whole")
        if width == 1:
            raise unsupported(op.span, "one column of a computed tile: no tile of its own has its pitch", "slice wider")
        if start * DTYPES[tile.dtype] % 32:
            raise unsupported(
                op.span, f"columns of a computed tile from byte {start * DTYPES[tile.dtype]} on", "slice at 32 bytes"
            )
        key = (f"{value.name}@{found.tile}", "")
        if key not in self.placed:
            name = self.builder.name(value.name)
            top, offset = (tile.parent, tile.col_offset + start) if tile.parent else (tile.name, start)
            self.tiles[name] = TileVal(
                name, tile.dtype, tile.rows, Extent(width), tile.form, op.span, top, offset, tile.row_offset
            )
            self.placed[key] = Placed(name, found.scope, found.early)
        return self.placed[key]

    def _taken_columns(
        self, value: Value, found: Placed, window: tuple[int, int | None], scope: Scope, op: Op
    ) -> Placed | None:
        """In an iteration of a loop, columns of a tile that are no window of it: one column, or some that begin inside
        of 32 bytes. None where the view is a window, or nothing that columns are."""
        tile, (start, width) = self.tiles[found.tile], window
        if not op.loop or tile.form == "col" or not can_transpose(tile.dtype):
            return None
        home = max(found.scope, scope, key=lambda s: s.depth)  # a carried value changes from iteration to iteration
        seen = self.grid.shape2d(self.axes.axes(value.shape), home, op)
        width = width or tile.cols.size
        is_window = start * DTYPES[tile.dtype] % 32 == 0 and (width > 1 or width == tile.cols.size)
        if is_window and (seen.form != "col" or tile.rows.size == 1):
            return None
        if (seen.rows.size, seen.cols.size) != (tile.rows.size, width) or start + width > tile.cols.size:
            return None
        self._check_slices(value, found, op)
        key = (f"{value.name}@{found.tile}", f"{id(home)}")
        if key not in self.placed:
            name = self.columns.take_columns(tile, start, seen, value.name, op, home)
            self.placed[key] = Placed(name, home, False)
        return self.placed[key]

    def _check_view(self, value: Value, found: Placed, width: int | None, op: Op) -> None:
        """A view of a computed tile is free only where it keeps rows and columns; a column lies like a row, which
        elementwise work on it alone may use."""
        tile = self.tiles[found.tile]
        self._check_slices(value, found, op)
        seen = self.grid.shape2d(self.axes.axes(value.shape), found.scope, op)
        alone = op.kind in UNARY | BINARY | {"cast"} and sum(isinstance(v, Value) for v in op.operands) == 1
        if alone and tile.form == "col" and seen.rows.size == 1 and tile.rows.size == seen.cols.size:
            return
        if (
            tile.form == "full" and seen.form == "col" and tile.rows.size > 1
        ):  # rows of 32 bytes, not one of all elements
            what = f"`{value.name}` as a column, where its source is computed in rows of one element"
            raise unsupported(op.span, what, "let a column stay one: reduce with `keepdim=true`")
        if (seen.rows.size, seen.cols.size) != (tile.rows.size, width or tile.cols.size):
            column = tile.form == "col" and seen.rows.size == 1
            raise unsupported(
                op.span,
                f"`{value.name}` as tiles of {seen.rows.size} x {seen.cols.size}, where its source is computed in"
                f" tiles of {tile.rows.size} x {tile.cols.size}",
                "let a column stay one: reduce with `keepdim=true`, and reshape it behind the stage"
                if column
                else "give the outer dims of the axis that the reshape splits the tile 1",
            )

    def stays_upright(self, op: Op, operands: list[Placed], seen: Shape2D) -> bool:
        """Whether a value that is transposed is not in its tile, because the axes that change places, or the row's, are
        cut into single elements: there it is rows of one element, or a column, that stay so or become the other.

        Raises:
            DiagnosticError: PTG303, the shapes have nothing to do with each other.
        """
        if op.kind != "tile_transpose":
            return False
        tile = self.tiles[operands[0].tile]
        if tile.rows.size > 1 and tile.cols.size == seen.cols.size == 1 and tile.rows == seen.rows:
            return True
        if (seen.rows.size, seen.cols.size) != (tile.cols.size, tile.rows.size):
            what = f"`{op.result.name}`, whose rows are of one element, beside a column"
            raise unsupported(op.span, what, "let a column stay one: reduce with `keepdim=true`")
        return False

    def _check_names(self, value: Value, found: Placed, scope: Scope, op: Op) -> None:
        """A view under other names of its axes is free only where no loop cuts these."""
        around = max(found.scope, scope, key=lambda s: s.depth)
        for view in value_views(self.defining, value.name):
            (source,) = view.operands
            assert isinstance(source, Value)
            if not view.attrs.get("renames"):
                continue
            before, after = ([f.dim for axis in self.axes.axes(v.shape) for f in axis] for v in (source, view.result))
            for old, new in zip(before, after, strict=True):
                if old != new and (around.loop_of(old) is not None or around.loop_of(new) is not None):
                    raise unsupported(op.span, f"`{source.name}` along another axis, which is cut", "leave it whole")

    def _check_slices(self, value: Value, found: Placed, op: Op) -> None:
        """What is sliced must be a whole axis, of which the tile has as much as its loops say: a reshape may have split
        an axis that a loop around the reader cuts and the source's tile does not."""
        width = self.tiles[found.tile].cols.size
        for view in value_views(self.defining, value.name):
            source = view.operands[0]
            assert isinstance(source, Value)
            if view.kind != "slice":
                continue
            axis = self.axes.axes(source.shape)[int(view.attrs["axis"])]
            if any(factor.dim and found.scope.loop_of(factor.dim) is not None for factor in axis):
                what = f"a part of an axis of `{source.name}`, which is computed tile by tile along it"
                raise unsupported(op.span, what, "leave the axis whole")
            seen = self.grid.shape2d(self.axes.axes(source.shape), found.scope, op).cols.size
            if seen != width:
                raise unsupported(
                    op.span,
                    f"columns of `{source.name}`, {seen} wide, where its source is computed in tiles {width} wide",
                    "name the dims of the axis that the reshape splits, so that both are cut alike",
                )
            width = self.grid.shape2d(self.axes.axes(view.result.shape), found.scope, op).cols.size

    def _column_window(self, name: str) -> tuple[int, int | None]:
        """Columns of the root's tile that a chain of views keeps: (start, width), width None for all."""
        start, width = 0, None
        for op in value_views(self.defining, name):
            if op.kind == "slice":
                if op.attrs["axis"] != len(op.result.shape) - 1:
                    raise unsupported(op.span, "a slice of rows of a computed tile", "slice the input instead")
                begin, size = (
                    self.axes.poly(op.attrs["start"]).constant,
                    self.axes.poly(op.result.shape[-1]).constant,
                )
                if begin is None or size is None:
                    raise unsupported(
                        op.span, "a slice with run-time bounds of a computed tile", "slice the input instead"
                    )
                start, width = start + begin, size
            elif op.kind in ("transpose", "reorder", "gathered"):
                raise unsupported(op.span, f"a {op.kind} of a computed tile", "transpose the input instead")
        return start, width

    def rows_of(self, found: Placed, scope: Scope, name: str) -> Placed:
        """The rows of a whole tile that a loop over rows is at; the tile itself where it has no such rows."""
        if scope.role != "sub" or found.scope is scope or scope.dim not in self._row_dims(name):
            return found
        return self._window(found, scope)

    def _window(self, found: Placed, scope: Scope) -> Placed:
        """The rows of a whole tile that a loop over rows is at."""
        tile = self.tiles[found.tile]
        key = (f"{found.tile}:rows", f"{id(scope)}")
        if key not in self.placed:
            grid = self.builder.nest.inner.loop_of(scope.dim)
            offset = Poly.of(scope.var) - (Poly.of(grid.var) if grid is not None else ZERO)
            window = self.builder.name(f"{found.tile}_rows")
            self.tiles[window] = TileVal(
                window, tile.dtype, scope.extent(), tile.cols, tile.form, tile.span, tile.parent or tile.name,
                tile.col_offset, tile.row_offset + offset,
            )  # fmt: skip
            self.placed[key] = Placed(window, scope, False)
        return self.placed[key]

    def _row_dims(self, name: str) -> set[str | None]:
        base = root(name, self.defining)
        axes = self.axes.axes(self.defining[base].result.shape)
        return {f.dim for axis in axes[:-1] for f in axis}

    def _from_accumulator(self, base: str, acc: Placed, scope: Scope, op: Op) -> Placed:
        """Accumulator → vector tile, in the rows and the dtype that the reader wants."""
        here = scope if scope.role == "sub" else acc.scope
        key = (f"{base}:vec", f"{id(here)}")
        if key not in self.placed:
            tile = self.tiles[acc.tile]
            rows, row = tile.rows, ZERO
            if here.role == "sub" and acc.scope is not here and here.dim in self._row_dims(base):
                grid = acc.scope.loop_of(here.dim)
                rows, row = here.extent(), Poly.of(here.var) - (Poly.of(grid.var) if grid is not None else ZERO)
            name = self.builder.name(base)
            self.tiles[name] = TileVal(name, self.defining[base].result.dtype, rows, tile.cols, tile.form, op.span)
            require(acc.tile not in self.clipped, f"`{acc.tile}` is clipped on its way to GM only", op.span)
            self.builder.emit(Extract(name, (acc.tile,), op.span, op.stage, row), here, False)
            self.placed[key] = Placed(name, here, False)
        return self.placed[key]
