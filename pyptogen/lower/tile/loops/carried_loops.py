"""Loops with carried values: the loop of the iterations, and in it matrix work on whole tiles, vector work on some
rows.

before: loop over kv: s = matmul(q, k_block); p = exp(s); acc_next = acc + matmul(p, v_block)   vector: 16 rows
after:  acc = fill 0
        for kv0 in 0..kv step 512:
          s_acc = matmul q, k_tile
          for sq1 …: s = extract s_acc[sq1]; p_rows = exp(s)      p_rows: rows of p
          acc_3 = matmul p, v_tile
          for sq1 …: acc_next = acc_rows + extract acc_3[sq1]; acc_rows = copy acc_next

A carried value has one tile for all iterations; the copy into it at the end of an iteration goes away where the next
value can be made in it (`forward_copies.py`). What is the same in every iteration is computed before the loop.
"""

from __future__ import annotations

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import Loop, Op, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.operands import Operands, Placed
from pyptogen.lower.tile.ir import TileVal
from pyptogen.lower.tile.loops.between_iterations import varying_in
from pyptogen.lower.tile.loops.levels import levels
from pyptogen.lower.tile.loops.loop_conditions import LoopConditions
from pyptogen.lower.tile.ops import Copy


class Iterations:
    """Opens the loops of a kernel and gives their operations a scope."""

    def __init__(self, builder: KernelBuilder, grid: Grid, operands: Operands, conditions: LoopConditions) -> None:
        self.builder, self.grid, self.operands, self.conditions = builder, grid, operands, conditions
        self.program, self.axes, self.defining, self.mine, self.tiles = (
            builder.program,
            builder.axes,
            builder.defining,
            builder.mine,
            builder.tiles,
        )
        self.loops = {loop.name: loop for loop in self.program.loops}
        self.scopes: dict[str, Scope] = {}
        """The loop of the iterations by name, while it is open."""
        self.row_loop: Scope | None = None
        """The loop over rows that vector work of the current level goes to."""
        self.level_of: dict[str, int] = {}
        self.row_loops: dict[str, Scope] = {}
        """Next values that take the place of the carried one in the loop over rows that makes them."""

    def ordered(self, loop: Loop, ops: list[Op]) -> list[list[Op]]:
        """What is computed before the loop (carried values first), then level after level of its iterations."""
        changing = varying_in(self.axes)
        outside = [op for op in ops if op.kind == "carry" or op.result.name not in changing]
        inside = [op for op in ops if op not in outside]
        carries = [op for op in ops if op.kind == "carry"]
        self.level_of, _ = levels([*carries, *inside], self.defining, self.pairs(loop))
        numbers = sorted({self.level_of[op.result.name] for op in inside})
        return [outside, *([op for op in inside if self.level_of[op.result.name] == n] for n in numbers)]

    def pairs(self, loop: Loop) -> list[tuple[str, str]]:
        """The carried values of this kernel with their next ones."""
        return [pair for pair in loop.carried if pair[0] in self.mine]

    def open_loop(self, loop: Loop, outside: list[Op]) -> Scope:
        """The loop itself, inside of the grid; ``outside`` is computed before it. Iterations that need nothing of each
        other may be distributed to the blocks."""
        named = self.builder.sizes[loop.stage].get(loop.over)
        inner = self.builder.nest.inner
        over_grid = inner.loop_of(loop.over) is not None
        tile = loop.tile if named is None or over_grid or loop.fixed else named.tile
        whole = self.axes.poly(dim_symbol(loop.over)).constant
        tile = tile if whole is None else min(tile, whole)
        stop = self.axes.poly(dim_symbol(loop.over))
        dim = next((d for d in self.program.dims if d.name == loop.over), None)
        exact = whole % tile == 0 if whole is not None else dim is not None and dim.multiple_of % tile == 0
        scope = self.builder.nest.child(inner, loop.block.name, ZERO, stop, tile, exact, "sequential", loop.span)
        scope.before = self._last_block(loop, inner)
        self.conditions.restrict(loop, scope)
        self.scopes[loop.name] = scope
        independent = not loop.carried and all(op.loop == loop.name for op in self.builder.kernel.ops)
        if independent and not any(op.result.name in self.builder.kernel.writes for op in outside):
            self.grid.distribute_instead(scope)
        return scope

    def _last_block(self, loop: Loop, inner: Scope) -> Poly | None:
        """Where the blocks begin that no row of this tile sees."""
        if loop.causal_bound is None or (rows := inner.loop_of(loop.causal_bound[0])) is None:
            return None
        return Poly.of(rows.var) + rows.extent().poly() + self.axes.poly(loop.causal_bound[1])

    def open_rows(self, op: Op, scope: Scope, together: bool = False) -> bool:
        """Opens `row_loop` where the table asks for it: for the vector work of one level, or for all levels together.
        It becomes the last item of ``scope`` once what has no rows is there.

        Raises:
            Refused: PTG303, rows that are no divisor of the tile, or that separate cores would hand over in
                iterations beyond the causal bound of some rows: they would have to leave out the same ones.
        """
        for dim, size in self.builder.sizes[op.stage].items():
            grid = self.builder.nest.inner.loop_of(dim)
            step = size.rows if together else size.vector
            if not step or step >= size.tile or (grid is None and self.grid.whole(dim) is None):
                continue
            tile = grid.tile if grid is not None else self.grid.whole(dim)
            if tile is None or tile % step:
                raise unsupported(op.span, f"`{dim}` in rows of {step} inside tiles of {tile}", "use a divisor")
            if together and self.loops[op.loop].causal_bound is not None and not self.builder.platform.unified:
                what = f"`{dim}` in rows of {step} where iterations end early, on separate cores"
                raise unsupported(op.span, what, "leave `rows` out")
            start = Poly.of(grid.var) if grid is not None else ZERO
            extent = grid.extent().poly() if grid is not None else Poly.of(tile)
            whole = grid is None or grid.valid is None
            self.row_loop = self.builder.nest.child(scope, dim, start, start + extent, step, whole, "sub", op.span)
            self.row_loop.after = self._first_rows(self.loops[op.loop], dim, scope)
            scope.items.pop()
            return True
        return False

    def _first_rows(self, loop: Loop, dim: str, scope: Scope) -> Poly | None:
        """Where the rows end whose causal bound lies ahead of an iteration's block."""
        if loop.causal_bound is None or loop.causal_bound[0] != dim:
            return None
        return Poly.of(scope.var) - self.axes.poly(loop.causal_bound[1])

    def scope_of(self, op: Op) -> Scope:
        """Where an operation inside of a loop goes."""
        scope = self.scopes[op.loop]
        if self.row_loop is None:
            return scope
        dims = {f.dim for axis in self.grid.op_axes(op) for f in axis}
        return self.row_loop if self.row_loop.dim in dims else scope

    def carry(self, op: Op) -> None:
        """The tile of a carried value; its start is made in it, or copied into it."""
        start = op.operands[0]
        assert isinstance(start, Value)
        home = self.builder.nest.inner
        source = self.operands.operand(start, op, home)
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), home, op)
        name = self.builder.name(op.result.name)
        self.tiles[name] = TileVal(name, op.result.dtype, shape.rows, shape.cols, shape.form, op.span)
        self.builder.emit(Copy(name, (source.tile,), op.span, op.stage), home, False)
        self.operands.placed[(op.result.name, "")] = Placed(name, home, False)

    def advance(self, loop: Loop) -> None:
        """The end of an iteration: the next values take the place of the carried ones, as if all at once."""
        steps: list[tuple[str, str, Scope, Op]] = []
        for carry, following in self.pairs(loop):
            op = self.defining[carry]
            if following != carry:
                scope = self.row_loops.get(root(following, self.defining), self.scopes[loop.name])
                source = self.operands.operand(self._value(following), op, scope).tile
                target = self.operands.rows_of(self.operands.placed[(carry, "")], scope, carry).tile
                steps.append((source, target, scope, self.defining.get(following, op)))
        replaced = {self._owner(target) for _, target, _, _ in steps}
        for index, (source, target, scope, op) in enumerate(steps):
            if self._owner(source) in replaced:  # a carried value becomes another: its old one is kept until then
                name, tile = self.builder.name(f"{op.result.name}_kept"), self.tiles[source]
                self.tiles[name] = TileVal(name, tile.dtype, tile.rows, tile.cols, tile.form, op.span)
                self.builder.emit(Copy(name, (source,), op.span, op.stage), scope, False)
                steps[index] = (name, target, scope, op)
        for source, target, scope, op in steps:
            self.builder.emit(Copy(target, (source,), op.span, op.stage), scope, False)

    def _owner(self, tile: str) -> str:
        return self.tiles[tile].parent or tile

    def _value(self, name: str) -> Value:
        if name in self.defining:
            return self.defining[name].result
        return next(value for value in self.program.inputs if value.name == name)

    def carried(self, op: Op) -> None:
        """After the loop the carried tile holds the last value."""
        carry = op.operands[0]
        assert isinstance(carry, Value)
        self.operands.placed[(op.result.name, "")] = self.operands.placed[(carry.name, "")]

    # -- rows -----------------------------------------------------------------------------------------------------

    def result_rows(self, op: Op, scope: Scope, shape: Shape2D) -> TileVal | None:
        """The whole tile that the rows of a result belong to, where another level or the next iteration reads them."""
        if scope.role != "sub" or not op.loop:
            return None
        if not self._leaves(op):
            self.row_loops[op.result.name] = scope
            return None
        assert scope.parent is not None
        whole = self.grid.shape2d(self.axes.axes(op.result.shape), scope.parent, op)
        name = self.builder.name(op.result.name)
        self.tiles[name] = TileVal(name, op.result.dtype, whole.rows, whole.cols, whole.form, op.span)
        self.operands.placed[(op.result.name, "")] = Placed(name, scope.parent, False)
        return self.tiles[name]

    def _leaves(self, op: Op) -> bool:
        """Whether a result is read at another level, or once the loop over its rows is done."""
        name, level = op.result.name, self.level_of[op.result.name]
        for carry, following in self.pairs(self.loops[op.loop]):
            if root(following, self.defining) == name and self._is_read_late(carry, level):
                return True
        return any(
            name in self.builder.roots(other) and self.level_of.get(other.result.name) != level
            for other in self.builder.kernel.ops
            if other.kind != "carried"
        )

    def _is_read_late(self, carry: str, level: int) -> bool:
        """Whether a carried value is still read after the level that makes its next one."""
        if any(
            root(following, self.defining) == carry
            for _, following in self.pairs(self.loops[self.defining[carry].loop])
        ):
            return True
        return any(
            carry in self.builder.roots(other) and self.level_of.get(other.result.name, 0) > level
            for other in self.builder.kernel.ops
            if other.kind != "carried"
        )
