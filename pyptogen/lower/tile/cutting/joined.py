"""Tiles that are joined: where the results lie that are parts of a concat, and what moves the others there."""

from __future__ import annotations

from pyptogen.lower.refusal import TwoKernels, unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.operands import Operands, Placed
from pyptogen.lower.tile.cutting.transposed import Columns, can_transpose
from pyptogen.lower.tile.ir import TileVal
from pyptogen.lower.tile.loops.carried_loops import Iterations
from pyptogen.lower.tile.ops import Copy


class Joins:
    """Makes the tiles of results and of concats."""

    def __init__(
        self, builder: KernelBuilder, grid: Grid, columns: Columns, operands: Operands, iterations: Iterations
    ) -> None:
        self.builder, self.grid, self.columns = builder, grid, columns
        self.axes, self.mine, self.tiles = builder.axes, builder.mine, builder.tiles
        self.operands, self.iterations = operands, iterations
        self.whole_tiles: dict[str, str] = {}
        """The tile of each concatenation that others are windows of."""

    def result_tile(self, op: Op, shape: Shape2D, scope: Scope) -> str:
        """The tile of a result that is made inside of ``scope``: its own, or a window of a concat's."""
        name = self.builder.name(op.result.name)
        window = self.operands.concats.windows.get(op.result.name)
        parent, offset = (None, 0) if window is None else self._window_base(window.base, window.offset)
        if parent is not None and parent not in self.tiles:
            base = self.mine[window.base] if window else op
            around = scope if op.loop else self.builder.nest.inner
            whole = self.grid.shape2d(self.axes.axes(base.result.shape), around, base)
            self.tiles[parent] = TileVal(parent, base.result.dtype, shape.rows, whole.cols, shape.form, base.span)
        self.tiles[name] = TileVal(name, op.result.dtype, shape.rows, shape.cols, shape.form, op.span, parent, offset)
        return name

    def _window_base(self, base: str, offset: int) -> tuple[str, int]:
        """The tile that windows of ``base`` lie in; ``base`` may itself be a window at column 0 of another."""
        outer = self.operands.concats.windows.get(base)
        if outer is not None:
            name, shift = self._window_base(outer.base, outer.offset)
            return name, shift + offset
        placed = self.operands.placed.get((base, ""))
        if base not in self.whole_tiles:
            self.whole_tiles[base] = placed.tile if placed else self.builder.name(base)
        return self.whole_tiles[base], offset

    def concat(self, op: Op, scope: Scope) -> None:
        """The parts that are not in their places yet are copied there.

        Raises:
            Refused: PTG303, the axis is cut here: then it is a kernel of its own.
        """
        shapes = [op.result.shape, *(part.shape for part in op.operands if isinstance(part, Value))]
        around = self.builder.nest.inner if scope.role == "grid" else scope
        for factor in (f for shape in shapes for f in self.axes.axes(shape)[int(op.attrs["axis"])]):
            if around.loop_of(factor.dim) is not None:
                fix = "collect the parts, and put them together after the loop" if op.loop else "leave it whole"
                error = unsupported(op.span, f"a concat along `{factor.dim}`, which is cut", fix)
                raise error.helped_by(TwoKernels(op.result.name, op.result.name))
        if op.result.name not in self.operands.concats.copies:
            self._join(op, scope)
            return
        name, base = op.result.name, self.operands.concats.windows.get(op.result.name)
        tile_name = self._window_base(base.base, base.offset)[0] if base else self._window_base(name, 0)[0]
        scopes = [scope]
        for part, offset in self.operands.concats.copies[name]:
            value = next(v for v in op.operands if isinstance(v, Value) and v.name == part)
            source = self.operands.operand(value, op, scope)
            home = self.deepest([scope, source.scope]) if op.loop else source.scope  # a carried value changes
            scopes.append(home)
            shape = self.grid.shape2d(self.axes.axes(value.shape), source.scope, op)
            if tile_name not in self.tiles:
                whole = self.grid.shape2d(self.axes.axes(op.result.shape), source.scope, op)
                self.tiles[tile_name] = TileVal(tile_name, value.dtype, whole.rows, whole.cols, whole.form, op.span)
            view = self.builder.name(f"{name}_part")
            window = TileVal(view, value.dtype, shape.rows, shape.cols, shape.form, op.span, tile_name, offset)
            self.tiles[view] = window
            self.builder.emit(Copy(view, (source.tile,), op.span, op.stage), home, False)
        self._keep(op, tile_name, self.deepest(scopes))

    def _join(self, op: Op, scope: Scope) -> None:
        """In an iteration: parts that are no columns of its tile, or that lie below each other.

        Raises:
            DiagnosticError: PTG303 for elements that cannot be moved so on chip.
        """
        placed = [self.operands.operand(value, op, scope) for value in op.operands if isinstance(value, Value)]
        parts = [self.tiles[part.tile] for part in placed]
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), scope, op)
        below = shape.row in self.axes.axes(op.result.shape)[int(op.attrs["axis"])]
        name = self.result_tile(op, shape, scope)
        if below:
            self.columns.put_below(parts, self.tiles[name], op, scope)
        elif can_transpose(op.result.dtype):
            self.columns.put_beside(parts, self.tiles[name], op, scope)
        else:
            fix = "collect the parts, and put them together after the loop"
            raise unsupported(op.span, f"a concat in an iteration of {op.result.dtype} inside 32 bytes of a row", fix)
        self._keep(op, name, scope)

    def _keep(self, op: Op, tile: str, scope: Scope) -> None:
        """The tile as what the operation makes; copied to the rows of a whole tile where another transpose reads
        that."""
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), scope, op)
        if self.iterations.result_rows(op, scope, shape) is None:
            self.operands.placed[(op.result.name, "")] = Placed(tile, scope, False)
            return
        rows = self.operands.rows_of(self.operands.placed[(op.result.name, "")], scope, op.result.name).tile
        self.builder.emit(Copy(rows, (tile,), op.span, op.stage), scope, False)

    @staticmethod
    def deepest(scopes: list[Scope]) -> Scope:
        """The innermost of scopes that lie in each other."""
        return max(scopes, key=lambda s: s.depth)
