"""Kernels of tensor operations → kernels of tile operations.

before: y = cast(matmul(a, b), bf16)      sizes t: 128, k: 256
after:  for t0 in t_begin..t_end step 128:
          for k0 in 0..k step 256: a_tile = load a[t0, k0]; b_tile = load b[k0]; acc (+)= a_tile @ b_tile
          y_tile = cast(acc); store y_tile → y[t0]

Each operation lands in the outermost loop that binds the dims it needs; loads that two operations share are one load;
matmuls over the same K tiles share one loop. A stage with smaller tiles than its kernel's grid runs in a sub-loop.
Afterwards every tile is 2-D, every GM access is a polynomial of loop variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any

import sympy

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import TwoKernels, unsupported
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tensor.ir import ARG_REDUCE, INDEXED, PAIRS, PRODUCTS, SCAN, SORTING, Op, Program, Scalar, Value
from pyptogen.lower.tensor.views import input_part, read_with, root
from pyptogen.lower.tile.cutting.along_axes import AlongAxes
from pyptogen.lower.tile.cutting.axes import Axes, GmView
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.joined import Joins
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.operands import Operands, Placed
from pyptogen.lower.tile.cutting.orders import Orders
from pyptogen.lower.tile.cutting.products import Products
from pyptogen.lower.tile.cutting.transposed import Columns
from pyptogen.lower.tile.cutting.windows import Windows
from pyptogen.lower.tile.ir import Extent, GmRef, GmTensor, Node, ScalarArg, Source, TileKernel, TileOp
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.loops import reduction_loops
from pyptogen.lower.tile.loops.carried_loops import Iterations
from pyptogen.lower.tile.loops.loop_conditions import LoopConditions
from pyptogen.lower.tile.loops.reduction_loops import REDUCTIONS, ReductionLoops
from pyptogen.lower.tile.loops.running_results import JOINS, neutral
from pyptogen.lower.tile.names import names_used
from pyptogen.lower.tile.ops import (
    Binary,
    Broadcast,
    Compare,
    Fill,
    GatherElements,
    GatherFromTile,
    Iota,
    Load,
    Reduce,
    Scan,
    ScatterRows,
    Store,
    Where,
    of_primitive,
)
from pyptogen.lower.tile.running import JOINS as RUNNING
from pyptogen.lower.tile.sizes.sizes import TileSize
from pyptogen.records import replace


def _unit(op: Op) -> tuple[str, str]:
    """What is cut in one piece: an operation, or all of a loop's."""
    return (op.loop, "") if op.loop else ("", op.result.name)


class Cutter:
    """Cuts one kernel."""

    def __init__(
        self, builder: KernelBuilder, launch_dim: str | None, longest_range: int, reductions: ReductionLoops
    ) -> None:
        self.builder = builder
        self.program, self.axes, self.defining, self.mine, self.tiles = (
            builder.program,
            builder.axes,
            builder.defining,
            builder.mine,
            builder.tiles,
        )
        self.grid = Grid(builder, launch_dim, longest_range, reductions)
        self.windows = Windows(builder, self.grid)
        self.columns = Columns(builder)
        self.operands = Operands(builder, self.grid, self.windows, self.columns)
        conditions = LoopConditions(builder, self.grid, self.windows)
        self.iterations = Iterations(builder, self.grid, self.operands, conditions)
        self.products = Products(builder, self.grid, self.windows, self.operands)
        self.along_axes = AlongAxes(builder, self.grid)
        self.orders = Orders(builder, self.grid, self.windows, self.operands)
        self.joins = Joins(builder, self.grid, self.columns, self.operands, self.iterations)

    def cut(self) -> tuple[Node, ...]:
        """The loops of the kernel's operations."""
        self.grid.open_grid()
        waiting = list(self.builder.kernel.ops)
        missing = self._operands()
        while waiting:
            ready = [op for op in waiting if not missing[_unit(op)]]
            op = next((op for op in ready if self.grid.wants_sub(op) is None), ready[0])
            cut = [other for other in waiting if other.loop == op.loop] if op.loop else [op]
            waiting = [other for other in waiting if _unit(other) != _unit(op)]
            if op.loop:
                self._cut_loop(op.loop, cut)
            else:
                self._cut_op(op)
            made = {other.result.name for other in cut}
            for names in missing.values():
                names -= made
        return self.builder.nest.top.freeze()

    def _operands(self) -> dict[tuple[str, str], set[str]]:
        """What of this kernel has to be made before each operation; before a loop, what all of its operations need."""
        found: dict[tuple[str, str], set[str]] = {_unit(op): set() for op in self.builder.kernel.ops}
        for op in self.builder.kernel.ops:
            values = [v for v in op.operands if isinstance(v, Value)]
            found[_unit(op)].update(name for value in values for name in read_with(value.name, self.defining))
        for op in self.builder.kernel.ops:
            found[_unit(op)].discard(op.result.name)
        for op in (op for op in self.builder.kernel.ops if op.kind == "carried"):
            found[_unit(op)].update(
                carry for carry, _ in self.iterations.pairs(self.iterations.loops[op.attrs["loop"]])
            )
        return {unit: names & self.mine.keys() for unit, names in found.items()}

    def _cut_loop(self, name: str, ops: list[Op]) -> None:
        """A loop of iterations: its starts, then level after level."""
        loop = self.iterations.loops[name]
        outside, *inside = self.iterations.ordered(loop, ops)
        for op in outside:
            self._cut_op(op)
        scope = self.iterations.open_loop(loop, outside)
        for op in outside:
            if (
                op.kind == "carry" and op.result.name in self.builder.kernel.writes
            ):  # read by a later kernel in its iterations
                self._store(op, scope)
        every = [op for level in inside for op in level]
        if every and self.iterations.open_rows(every[0], scope, together=True):
            self.iterations.level_of = dict.fromkeys(self.iterations.level_of, 1)
            self._cut_level(every, scope)
        else:
            for level in inside:
                if level[0].kind not in PRODUCTS:
                    self.iterations.open_rows(level[0], scope)
                self._cut_level(level, scope)
        self.iterations.advance(loop)

    def _cut_level(self, ops: list[Op], scope: Scope) -> None:
        """Operations of an iteration: those without rows first, then the loop over rows with all others."""
        by_rows = [op for op in ops if self.iterations.scope_of(op) is not scope]
        for op in ops:
            if op not in by_rows:
                self._compute(op, scope)
        if self.iterations.row_loop is not None:
            scope.items.append(self.iterations.row_loop)
            for op in by_rows:
                self._compute(op, self.iterations.row_loop)
        self.iterations.row_loop = None

    def _cut_op(self, op: Op) -> None:
        if op.kind == "carry":
            self.iterations.carry(op)
            return
        if op.kind == "carried":
            self.iterations.carried(op)
            if op.result.name in self.builder.kernel.writes:
                self._store(op)
            return
        dims = {f.dim for axis in self.grid.op_axes(op) for f in axis if f.dim}
        scope = self.grid.scope_for(dims, self.grid.wants_sub(op), op)
        self._compute(op, scope)

    def _compute(self, op: Op, scope: Scope) -> None:
        if op.kind in PRODUCTS:
            self.products.product(op, scope)
        elif op.kind == "scatter_update":
            self._scatter(op, scope)
        elif op.kind == "concat":
            self.joins.concat(op, scope)
        elif op.kind == "move":
            self._move(op, scope)
        elif op.kind in SORTING | PAIRS and not op.loop:
            self.orders.cut(op, scope)
        elif op.kind == "update":
            self._update(op, scope)
        elif op.kind == "gather" and not op.loop:
            self._gather(op, scope)
        else:
            self._vector(op, scope)
        if op.result.name in self.builder.kernel.writes and op.kind not in ("scatter_update", "span_pairs", "update"):
            self._store(op)

    def _vector(self, op: Op, scope: Scope) -> None:
        if op.kind in SORTING | INDEXED | {"permute"}:
            raise unsupported(
                op.span, f"`{op.kind}` in an iteration of a loop", "compute it before the loop, or after it"
            )
        if op.kind in REDUCTIONS and scope.role == "reduce":
            self._reduce_by_pieces(op, scope)
            return
        if op.kind in SCAN and scope.role == "reduce":
            self._scan_by_pieces(op, scope)
            return
        if op.kind in REDUCTIONS | SCAN:
            self.along_axes.check_whole(op, self.builder.nest.inner if scope.role == "grid" else scope)
        if op.kind == "tile_transpose" and scope.role == "sub":
            raise unsupported(op.span, f"a transposition in rows of `{scope.dim}`", "take `vector` and `rows` out")
        sources: list[Source] = []
        operands: list[Placed] = []
        for operand in op.operands:
            if isinstance(operand, Scalar):
                sources.append(self.windows.scalar(operand, scope))
            else:
                placed = self.operands.operand(operand, op, scope)
                operands.append(placed)
                sources.append(placed.tile)
        if op.kind == "bitcast" and op.result.dtype == SCALE:  # bytes in UB, and scales from where they are stored on
            self.operands.placed[(op.result.name, "")] = operands[0]
            return
        home = self.joins.deepest([scope, *(p.scope for p in operands)])
        early = home.role == "grid" and all(p.early or p.scope is not home for p in operands)
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), home, op)
        if self.operands.stays_upright(op, operands, shape):
            upright = self.columns.upright(self.tiles[operands[0].tile], shape, op.result.name, op, home)
            self.operands.placed[(op.result.name, "")] = Placed(upright, home, False)
            return
        if op.kind == "full":
            sources = [self.windows.scalar(Scalar(op.attrs["value"], op.span), scope)]
        over_rows = op.kind in REDUCTIONS and self.along_axes.over_rows(op, self.tiles[operands[0].tile], shape)
        start = self.along_axes.first_place(op, home) if op.kind == "positions" else ZERO
        leaving = self.iterations.result_rows(op, home, shape)
        if leaving is None:
            name = self.joins.result_tile(op, shape, home)
        else:
            name = self.operands.rows_of(self.operands.placed[(op.result.name, "")], home, op.result.name).tile
        made = of_primitive(op.kind, name, tuple(sources), op.span, op.stage, op.attrs)
        match made:
            case Iota():
                made = replace(made, start=start)
            case Reduce():
                made = replace(made, over_rows=over_rows)
            case Scan():
                made = self.along_axes.scan_of_a_tile(made, op, shape)
        self.builder.emit(made, home, early)
        if leaving is None:
            self.operands.placed[(op.result.name, "")] = Placed(name, home, early)

    def _move(self, op: Op, scope: Scope) -> None:
        """The result is the tile of the operand, or what that is repeated to."""
        (source,) = op.operands
        assert isinstance(source, Value)
        placed = self.operands.operand(source, op, scope)
        shape, tile = self.grid.shape2d(self.axes.axes(op.result.shape), scope, op), self.tiles[placed.tile]
        if (tile.rows.size, tile.cols.size) != (shape.rows.size, shape.cols.size):
            name = self.joins.result_tile(op, shape, scope)
            self.builder.emit(Broadcast(name, (placed.tile,), op.span, op.stage), scope, placed.early)
            placed = Placed(name, scope, placed.early)
        self.operands.placed[(op.result.name, "")] = replace(placed, scope=scope)

    def _gather(self, op: Op, scope: Scope) -> None:
        """What a row of indices names of a row: of GM where an instruction takes it from there, else of a tile."""
        source, index = op.operands
        assert isinstance(source, Value) and isinstance(index, Value)
        in_gm = self.builder.platform.unified
        row = self.windows.whole_row(source, op, scope) if in_gm else None
        sources = () if in_gm else (self.operands.operand(source, op, scope).tile,)
        positions = self.operands.operand(index, op, scope).tile
        name = self._beside(positions, "taken", op.result.dtype)
        made: TileOp = GatherFromTile(name, (*sources, positions), op.span, op.stage, by_row=True)
        if row is not None:
            made = GatherElements(name, (positions,), op.span, op.stage, row)
        self.builder.emit(made, scope, False)
        self.operands.placed[(op.result.name, "")] = Placed(name, scope, False)

    def _update(self, op: Op, scope: Scope) -> None:
        """A tile to where an index says, or added to what is there: by the block that owns the position, if blocks own
        tiles of a dim."""
        (source,) = op.operands
        assert isinstance(source, Value)
        owned = self.grid.tile_size(op.stage, str(op.attrs["owner"]), op) if op.attrs["owner"] else 0
        if owned and scope.parent is None:  # one index
            scope = self.builder.nest.child(scope, "once", ZERO, ONE, 1, True, "grid", op.span)
        view = self.windows.views.written(op.result)
        shape = self.grid.shape2d(view.axes, scope, op)
        found = self.windows.find(view, shape, scope, op, False, owned)
        tile = self.operands.operand(source, op, scope).tile  # what moves bytes is one pass behind the index
        ref = self.windows.gm_ref(view, shape, scope)
        ref = replace(ref, offset=ref.offset + found.offset)
        if op.attrs["adds"]:
            old = self._beside(tile, "old", op.result.dtype)
            self.builder.note_read(view.tensor)
            self.builder.emit(Load(old, (), op.span, op.stage, ref), scope, False)
            self.builder.emit(Binary(old, (old, tile), op.span, op.stage, fn="add"), scope, False)
            tile = old
        self.builder.note_write(view.tensor)
        self.builder.emit(Store(None, (tile,), op.span, op.stage, ref), scope, False)

    def _reduce_by_pieces(self, op: Op, scope: Scope) -> None:
        """The result so far and that of a piece make the result so far."""
        (source,) = op.operands
        assert isinstance(source, Value)
        part = self.operands.operand(source, op, scope).tile
        home = self.builder.nest.inner
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), home, op)
        over_rows = self.along_axes.over_rows(op, self.tiles[part], shape)
        if shape.row is None and not over_rows and self._leaves(op):
            shape = replace(shape, form="col")  # what a reduction along rows gives: as a row it had the pitch of these
        total = self.joins.result_tile(op, shape, home)
        if op.kind in ARG_REDUCE:
            self._position_by_pieces(op, scope, part, total, over_rows)
        elif over_rows and self.builder.platform.serial_column_reductions:
            self._reduce_rows_at_the_end(op, scope, part, total)
        else:
            found = self._beside(total, f"{op.result.name}_part", op.result.dtype)
            self._begin(op, scope, total, neutral(op.kind, op.result.dtype))
            self._reduce(op, scope, found, part, op.kind, over_rows)
            self.builder.emit(Binary(total, (total, found), op.span, op.stage, fn=JOINS[op.kind]), scope, False)
        self.operands.placed[(op.result.name, "")] = Placed(total, home, False)

    def _position_by_pieces(self, op: Op, scope: Scope, part: str, place: str, over_rows: bool) -> None:
        """The extreme elements so far and their places; a later piece wins only with a better one."""
        name, dtype = op.result.name, self.tiles[part].dtype
        better, extreme = ("gt", "amax") if op.kind == "argmax" else ("lt", "amin")
        total, found = (self._beside(place, f"{name}_{word}", dtype) for word in ("best", "part"))
        start, inside, here = (self._beside(place, f"{name}_{word}", "int32") for word in ("start", "inside", "here"))
        wins = self._beside(place, f"{name}_wins", "bool")
        self._begin(op, scope, total, neutral(extreme, dtype))
        for tile in (place, start):
            self._begin(op, scope, tile, sympy.Integer(0))
        self._reduce(op, scope, found, part, extreme, over_rows)
        self._reduce(op, scope, inside, part, op.kind, over_rows)
        steps = ScalarArg(sympy.Integer(scope.tile), op.span)
        for made in (
            Binary(here, (inside, start), op.span, op.stage, fn="add"),
            Compare(wins, (found, total), op.span, op.stage, relation=better),
            Where(place, (wins, here, place), op.span, op.stage),
            Binary(total, (total, found), op.span, op.stage, fn=JOINS[extreme]),
            Binary(start, (start, steps), op.span, op.stage, fn="add"),
        ):
            self.builder.emit(made, scope, False)

    def _scan_by_pieces(self, op: Op, scope: Scope) -> None:
        """Each piece goes on from what the one before it came to; of single elements, that is the result."""
        (source,) = op.operands
        assert isinstance(source, Value)
        part = self.operands.operand(source, op, scope).tile
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), scope, op)
        name, over_rows = self.joins.result_tile(op, shape, scope), int(op.attrs["axis"]) < len(op.result.shape) - 1
        start = sympy.Integer(op.kind == "cumprod")
        if scope.tile == 1:
            self._begin(op, scope, name, start)
            self.builder.emit(Binary(name, (name, part), op.span, op.stage, fn=RUNNING[op.kind]), scope, False)
        else:
            so_far = self._beside(name, f"{name}_so_far", op.result.dtype)
            own = self.tiles[so_far]
            one = replace(own, rows=Extent(1), form="row") if over_rows else replace(own, cols=Extent(1), form="col")
            self.tiles[so_far] = one
            self._begin(op, scope, so_far, start)
            at = (name, (part, so_far), op.span, op.stage)
            self.builder.emit(Scan(*at, fn=op.kind, over_rows=over_rows, carries=True), scope, False)
        self.operands.placed[(op.result.name, "")] = Placed(name, scope, False)

    def _beside(self, tile: str, wanted: str, dtype: str) -> str:
        """A tile of its own, with the extents of another one."""
        name = self.builder.name(wanted)
        self.tiles[name] = replace(self.tiles[tile], name=name, dtype=dtype, parent=None, col_offset=0)
        return name

    def _reduce(self, op: Op, scope: Scope, found: str, part: str, fn: str, over_rows: bool) -> None:
        self.builder.emit(Reduce(found, (part,), op.span, op.stage, fn=fn, over_rows=over_rows), scope, False)

    def _leaves(self, op: Op) -> bool:
        """Whether nothing in this kernel reads what an operation makes."""
        return all(op.result.name not in self.builder.roots(other) for other in self.builder.kernel.ops)

    def _reduce_rows_at_the_end(self, op: Op, scope: Scope, part: str, total: str) -> None:
        """Pieces are joined element by element, rows to rows, and the rows once behind the loop: a reduction over the
        rows of each piece would take one row after the other."""
        of_piece = self.tiles[part]
        whole = self.builder.name(f"{op.result.name}_rows")
        self.tiles[whole] = replace(of_piece, name=whole, rows=Extent(of_piece.rows.size), parent=None, col_offset=0)
        here = whole
        if of_piece.rows.valid is not None:
            here = self.builder.name(f"{whole}_here")
            self.tiles[here] = replace(self.tiles[whole], name=here, rows=of_piece.rows, parent=whole)
        self._begin(op, scope, whole, neutral(op.kind, op.result.dtype))
        self.builder.emit(Binary(here, (here, part), op.span, op.stage, fn=JOINS[op.kind]), scope, False)
        self._reduce(op, self.builder.nest.inner, total, whole, op.kind, True)

    def _begin(self, op: Op, scope: Scope, tile: str, number: Any) -> None:
        """Fills the tile of a running result ahead of its loop."""
        start = ScalarArg(number, op.span)
        items = self.builder.nest.inner.items
        items.insert(items.index(scope), Fill(tile, (start,), op.span, op.stage))

    def _scatter(self, op: Op, scope: Scope) -> None:
        target, index, source = op.operands
        assert isinstance(target, Value) and isinstance(index, Value) and isinstance(source, Value)
        placed = self.operands.operand(source, op, scope)
        home = self.joins.deepest([scope, placed.scope])
        tile = self.tiles[placed.tile]
        tensor = self.builder.gm_names[root(target.name, self.defining)]
        view = self.axes.contiguous(tensor, source.shape)
        shape = self.grid.shape2d(view.axes, home, op)
        self._check_runs(view, shape, home, op)
        ref = GmRef(
            tensor,
            self.windows.position(view.axes[-1], home),
            self.operands.row_step(target, op),
            ONE,
            tile.rows,
            tile.cols,
        )
        self.builder.note_write(tensor)
        if target.name in self.defining and tensor not in self.builder.reads:  # what wrote it comes before
            self.builder.reads.append(tensor)
        slots, at = self._slots(index, op, home)
        self.builder.emit(
            ScatterRows(None, (placed.tile,), op.span, op.stage, ref, slots, at, bound=self._places(op)),
            home,
            False,
        )

    def _slots(self, index: Value, op: Op, scope: Scope) -> tuple[str, Poly]:
        """The tensor of the rows' indices, and where in it those of this tile begin.

        Raises:
            Refused: PTG303 for an index that this kernel computes: it is read from GM, number by number.
        """
        view = self.windows.gm_view(index.name, op)
        if view is None:
            error = unsupported(op.span, "an index that its own kernel computes", "put it into a stage of its own")
            raise error.helped_by(TwoKernels(op.result.name, root(index.name, self.defining)))
        if view.tensor not in self.builder.reads:
            self.builder.reads.append(view.tensor)
        window = self.windows.gm_ref(view, self.grid.shape2d(view.axes, scope, op), scope)
        if window.cols.size > 1 and window.col_stride != ONE:
            raise unsupported(op.span, "indices that lie apart", "give them as a tensor of their own")
        return view.tensor, window.offset

    def _places(self, op: Op) -> Poly | None:
        """How many rows an index that a kernel computed may name; None where the call was checked."""
        target, index, _ = op.operands
        assert isinstance(target, Value) and isinstance(index, Value)
        if input_part(index.name, self.defining) is not None:
            return None
        sizes = target.shape[: op.attrs["dim"] % len(target.shape) + 1]
        return reduce(Poly.__mul__, (self.axes.poly(size) for size in sizes))

    def _check_runs(self, view: GmView, shape: Shape2D, scope: Scope, op: Op) -> None:
        """The rows of a scatter have indices one behind the other, and each is one run.

        Raises:
            DiagnosticError: PTG303.
        """
        if shape.cols.size > 1 and self.windows.gm_ref(view, shape, scope).col_stride != ONE:
            raise unsupported(op.span, "a scatter of elements that lie apart in their rows", "leave the last dim whole")
        if shape.rows.size > 1 and shape.row != view.axes[0][-1]:
            raise unsupported(op.span, "a scatter of rows that lie apart", "give its outer dims the tile 1")

    def _store(self, op: Op, scope: Scope | None = None) -> None:
        placed = self.operands.placed[(op.result.name, "")]
        placed = placed if scope is None else replace(placed, scope=scope)
        view = self.windows.views.written(op.result)
        tensor, shape = view.tensor, self.grid.shape2d(view.axes, placed.scope, op)
        self.windows.check_pairs(op.result, shape, op)
        ref = self.windows.gm_ref(view, shape, placed.scope)
        if self.builder.tensors[tensor].layout == "nz":
            ref = self.windows.boxed_ref(view, ref, placed.scope, op, self.tiles[placed.tile].form == "col")
        self.builder.note_write(tensor)
        self.builder.emit(
            Store(None, (placed.tile,), op.span, op.stage, ref, relu=placed.tile in self.operands.clipped),
            placed.scope,
            placed.early and placed.scope is not self.builder.nest.inner,
        )


def launch_dim_of(program: Program, kernels: Sequence[KernelOps]) -> str | None:
    """The run-time dim that launches get in parts: the first one among the axes of results, in order of the kernels.
    A dim that follows from others is none: the wrapper does not know its name."""
    axes = Axes(program)
    derived = {dim.name for dim in program.dims if dim.definition is not None}
    for kernel in kernels:
        for op in kernel.ops:
            shape = op.operands[2] if op.kind == "scatter_update" else op.result
            assert isinstance(shape, Value)
            for axis in axes.axes(shape.shape):
                for factor in axis:
                    if factor.dim is not None and factor.dim not in {*axes.static, *axes.over, *derived}:
                        return factor.dim
    return None


def run(
    program: Program,
    kernel: KernelOps,
    sizes: Mapping[str, Mapping[str, TileSize]],
    tensors: Mapping[str, GmTensor],
    gm_names: Mapping[str, str],
    platform: Platform,
    axes: Axes,
    longest_range: int = 0,
    launch_dim: str | None = None,
    nests: Sequence[Sequence[Op]] = (),
    gm_views: Mapping[str, GmView] = MappingProxyType({}),
) -> TileKernel:
    """Cut one kernel.

    Args:
        program: the operator at the Tensor level.
        kernel: its operations.
        sizes: tile sizes by stage and dim.
        tensors: every GM tensor by name (contract and workspace).
        gm_names: GM tensor of each value that has one.
        platform: where it will run.
        axes: those of the program.
        launch_dim: the dim of whose range each launch gets a part.
        longest_range: the largest range of the launch dim that a launch gets, 0 for any.
        nests: the operations that have their loops together, where these are not all.
        gm_views: how values lie in GM that the kernel sees in another way than the program.

    Raises:
        DiagnosticError: PTG303/PTG304, with the place in the spec.
    """
    program, kernel, reductions = reduction_loops.plan(program, kernel, sizes, axes)
    whole = KernelBuilder(program, kernel, sizes, tensors, gm_names, platform, axes, gm_views)
    body: list[Node] = []
    for ops in nests or (kernel.ops,):
        cutter = Cutter(whole.of(ops), launch_dim, longest_range, reductions)
        body += cutter.cut()
    used_names = names_used(body)
    used = {(n, s.tile): (n, s.tile, s.span) for st in kernel.stages for n, s in sizes[st].items()}
    return TileKernel(
        kernel.name, kernel.core, kernel.stages,
        tuple(tensors[t] for t in dict.fromkeys([*whole.writes, *whole.reads])),
        tuple(whole.reads), tuple(whole.writes), tuple(whole.scalars),
        cutter.grid.launch_dim, tuple(d.name for d in program.dims if d.dynamic and d.name in used_names),
        tuple(whole.tiles.values()), tuple(body),
        tuple(used[key] for key in sorted(used)), kernel.span, longest_range,
    )  # fmt: skip
