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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import VIEWS, Op, Program, Scalar, Value
from pyptogen.lower.tile import concat as concat_pass
from pyptogen.lower.tile.axes import Axes, Factor, GmView, unsupported, value_views
from pyptogen.lower.tile.ir import Extent, Form, GmRef, GmTensor, ScalarArg, Source, TileKernel, TileOp, TileVal
from pyptogen.lower.tile.nest import Nest, Scope
from pyptogen.lower.tile.partition import KernelOps, producers, root
from pyptogen.lower.tile.sizes import TileSize

MANY_TILES = 8
"""Tiles of a static dim from which on they alone keep the cores of a launch busy."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile and the scope whose iterations it belongs to; ``early`` when it depends on loads alone."""

    tile: str
    scope: Scope
    early: bool


@dataclass(frozen=True, slots=True)
class Shape2D:
    """The 2-D tile of a value in a stage, and the GM factors behind rows and columns."""

    rows: Extent
    cols: Extent
    form: Form
    row: Factor | None
    col: Factor | None


class Cutter:
    """Cuts one kernel. ``gm_names`` maps each value in GM to its tensor."""

    def __init__(
        self,
        program: Program,
        kernel: KernelOps,
        sizes: Mapping[str, Mapping[str, TileSize]],
        tensors: Mapping[str, GmTensor],
        gm_names: Mapping[str, str],
        platform: Platform,
        longest_segment: int,
    ) -> None:
        self.program, self.kernel, self.sizes, self.platform = program, kernel, sizes, platform
        self.longest_segment = longest_segment
        self.axes = Axes(program)
        self.tensors, self.gm_names = tensors, gm_names
        self.made_by = producers(program)
        self.mine = {op.result.name: op for op in kernel.ops}
        self.nest = Nest(kernel.span)
        self.tiles: dict[str, TileVal] = {}
        self.placed: dict[tuple[str, str], Placed] = {}
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.reduce_loops: dict[tuple[int, str, int], Scope] = {}
        self.sub_loops: dict[str, Scope] = {}
        self.segment: str | None = None
        self.dims_used: list[str] = []
        self.scalars: list[str] = []
        self.concats = concat_pass.plan(kernel.ops, self.made_by, self.axes, frozenset(kernel.writes))

    # -- sizes and shapes ---------------------------------------------------------------------------------------

    def whole(self, dim: str) -> int | None:
        return self.axes.static.get(dim)

    def tile_size(self, stage: str, dim: str, op: Op) -> int:
        """Tile of ``dim`` in ``stage``; the whole dim when nobody names it."""
        size = self.sizes[stage].get(dim)
        whole = self.whole(dim)
        if size is None:
            if whole is None:
                raise unsupported(op.span, f"the dynamic dim `{dim}` without a tile", f"name a tile for `{dim}` in the tiling row")
            return whole
        return size.tile if whole is None else min(size.tile, whole)

    def grid_size(self, dim: str) -> int | None:
        """Tile of the grid loop over ``dim``: that of the first stage of the kernel; None if ``dim`` has no loop."""
        for op in self.kernel.ops:
            if any(f.dim == dim for axis in self.axes.axes(op.result.shape) for f in axis):
                tile = self.tile_size(op.stage, dim, op)
                return None if tile == self.whole(dim) else tile
        return None

    def open_grid(self) -> None:
        """Grid loops over the result dims that are cut, in order of the axes; the last but dynamic ones are dealt to blocks."""
        names: list[str] = []
        for op in self.kernel.ops:
            if op.kind == "scatter_update":
                continue
            for axis in self.axes.axes(op.result.shape):
                names += [f.dim for f in axis if f.dim and f.dim not in names]
        for dim in sorted(names, key=lambda n: self.whole(n) is not None):
            tile = self.grid_size(dim)
            if tile is None:
                continue
            whole = self.whole(dim)
            declared = self.program.dim(dim)
            if whole is None and self.segment is None:
                self.segment = dim
                start, stop = Poly.of(f"{dim}_begin"), Poly.of(f"{dim}_end")
            else:
                start, stop = ZERO, self.axes.poly(self._symbol(dim))
            exact = tile == 1 or (whole % tile == 0 if whole is not None else self.segment != dim and declared.multiple_of % tile == 0)
            self.nest.grid(dim, start, stop, tile, exact, declared.span)
        self._deal()

    def _deal(self) -> None:
        """One grid loop is dealt to the blocks of a launch: the innermost static one with many tiles, else the longest."""
        scopes: list[Scope] = []
        scope: Scope | None = self.nest.inner
        while scope is not None and scope.var:
            scopes.append(scope)
            scope = scope.parent
        if not scopes:
            return
        many = [s for s in scopes if self.whole(s.dim) is not None and self._trips(s) >= MANY_TILES]
        max(many[:1] or scopes, key=self._trips).parallel = True

    def _trips(self, scope: Scope) -> int:
        """How many tiles a launch may have of a grid loop, at the most."""
        stop = self.whole(scope.dim)
        if stop is None:
            stop = self.longest_segment or self.program.dim(scope.dim).max
        return -(-stop // scope.tile)

    @staticmethod
    def _symbol(name: str) -> Any:
        import sympy

        return sympy.Symbol(name, integer=True, positive=True)

    def loop_of(self, dim: str | None, scope: Scope) -> Scope | None:
        """The loop over ``dim`` around ``scope``, innermost first."""
        at: Scope | None = scope
        while at is not None and dim is not None:
            if at.dim == dim:
                return at
            at = at.parent
        return None

    def shape2d(self, axes: tuple[tuple[Factor, ...], ...], scope: Scope, op: Op) -> Shape2D:
        """Rows and columns of the tile of a value with these axes, inside ``scope``."""

        def open_factors(axis: tuple[Factor, ...]) -> list[tuple[Factor, Extent]]:
            result = []
            for factor in axis:
                loop = self.loop_of(factor.dim, scope)
                if loop is not None:
                    result.append((factor, loop.extent()))
                    continue
                size = factor.extent.constant
                if size is None:
                    raise unsupported(op.span, f"the dynamic extent {factor.extent} without a tile", "name a tile for it in the tiling row")
                result.append((factor, Extent(size)))
            wide = [f for f in result if f[1].size != 1]
            return wide or result[-1:]

        last = open_factors(axes[-1]) if axes else []
        lead = [f for axis in axes[:-1] for f in open_factors(axis)]
        lead = [f for f in lead if f[1].size != 1] or lead[-1:]
        if len(lead) > 1:
            raise unsupported(op.span, f"a tile of rank {len(lead) + 1}", "give all but one of the leading dims the tile 1")
        one = Extent(1)
        rows, row = (lead[0][1], lead[0][0]) if lead else (one, None)
        if len(last) > 1:
            if any(e.valid is not None for _, e in last):
                raise unsupported(op.span, "a masked tile over two dims of one axis", "give one of the dims the tile 1")
            size = 1
            for _, extent in last:
                size *= extent.size
            cols, col = Extent(size), last[-1][0]
        else:
            cols, col = (last[0][1], last[0][0]) if last else (one, None)
        form: Form = "row" if row is None else "full" if col is not None else "col"
        return Shape2D(rows, cols, form, row, col)

    # -- placement ------------------------------------------------------------------------------------------------

    def wants_sub(self, op: Op) -> str | None:
        """The dim that ``op`` runs over in smaller tiles than the grid's, if any."""
        dims = {f.dim for axis in self._op_axes(op) for f in axis if f.dim}
        smaller = [d for d in sorted(dims) if (g := self.grid_size(d)) is not None and self.tile_size(op.stage, d, op) < g]
        if len(smaller) > 1:
            raise unsupported(op.span, f"smaller tiles of two dims ({', '.join(smaller)}) in one kernel", "keep one of them")
        return smaller[0] if smaller else None

    def _op_axes(self, op: Op) -> tuple[tuple[Factor, ...], ...]:
        if op.kind == "scatter_update":
            source = op.operands[2]
            assert isinstance(source, Value)
            return self.axes.axes(source.shape)
        return self.axes.axes(op.result.shape)

    def scope_for(self, dims: set[str], sub: str | None, op: Op) -> Scope:
        """The outermost scope in which all of ``dims`` are bound."""
        if sub is not None and sub in dims:
            return self._sub_scope(sub, op)
        scope = self.nest.inner
        while scope.parent is not None and scope.dim not in dims:
            scope = scope.parent
        return scope

    def _sub_scope(self, dim: str, op: Op) -> Scope:
        if dim not in self.sub_loops:
            inner = self.nest.inner
            grid = self.loop_of(dim, inner)
            assert grid is not None
            tile = self.tile_size(op.stage, dim, op)
            if grid.tile % tile:
                raise unsupported(op.span, f"`{dim}` in tiles of {tile} inside tiles of {grid.tile}", "use a divisor")
            start = Poly.of(grid.var)
            self.sub_loops[dim] = self.nest.child(
                inner, dim, start, start + grid.extent().poly(), tile, grid.valid is None or tile == 1, "sub", op.span
            )
        return self.sub_loops[dim]

    def deepest(self, scopes: list[Scope]) -> Scope:
        return max(scopes, key=lambda s: s.depth)

    def emit(self, op: TileOp, scope: Scope, early: bool) -> None:
        (scope.early if early else scope.items).append(op)

    def name(self, wanted: str) -> str:
        """A tile name that no tensor and no other tile has."""
        base = wanted if wanted not in self.tensors else f"{wanted}_tile"
        name, n = base, 1
        while name in self.tiles:
            n += 1
            name = f"{base}_{n}"
        return name

    # -- operands -------------------------------------------------------------------------------------------------

    def gm_view(self, name: str) -> GmView | None:
        """The GM window behind a value, or None if the value is computed in this kernel."""
        base = root(name, self.made_by)
        if base in self.mine or base not in self.gm_names:
            return None
        tensor = self.gm_names[base]
        source = self.made_by[base].result if base in self.made_by else next(v for v in self.program.inputs if v.name == base)
        view = self.axes.contiguous(tensor, source.shape)
        for op in value_views(self.made_by, name):
            view = self.axes.apply(view, op)
        return view

    def gm_ref(self, view: GmView, shape: Shape2D, scope: Scope) -> GmRef:
        offset = view.offset
        for axis in view.axes:
            for factor in axis:
                loop = self.loop_of(factor.dim, scope)
                if loop is not None:
                    offset = offset + Poly.of(loop.var) * factor.stride
        row_stride = next((f.stride for a in view.axes for f in a if shape.row and f.dim == shape.row.dim and f.extent == shape.row.extent), ONE)
        col_stride = view.axes[-1][-1].stride if view.axes and view.axes[-1] else ONE
        return GmRef(view.tensor, offset, row_stride, col_stride, shape.rows, shape.cols)

    def load(self, value: Value, op: Op, scope: Scope, role: str = "vector") -> Placed:
        """The tile of a GM value, loaded in the outermost scope that has its dims."""
        view = self.gm_view(value.name)
        assert view is not None
        dims = {f.dim for axis in view.axes for f in axis if f.dim}
        home = scope
        while home.parent is not None and home.dim not in dims:
            home = home.parent
        key = (f"{value.name}:{role}", f"{home.var}:{home.depth}:{id(home)}")
        if key in self.placed:
            return self.placed[key]
        shape = self.shape2d(view.axes, home, op)
        tensor = self.tensors[view.tensor]
        ref = self.gm_ref(view, shape, home)
        if tensor.layout == "nz":
            ref = replace(ref, k=self._position(view.axes[0], home), n=self._position(view.axes[1], home))
        if view.tensor not in self.reads:
            self.reads.append(view.tensor)
        name = self.name(value.name)
        self.tiles[name] = TileVal(name, value.dtype, shape.rows, shape.cols, shape.form, value.span)
        early = home.role == "grid"
        self.emit(TileOp("load", name, (), op.span, op.stage, gm=ref, role=role), home, early)
        self.placed[key] = Placed(name, home, early)
        return self.placed[key]

    def _position(self, axis: tuple[Factor, ...], scope: Scope) -> Poly:
        position, stride = ZERO, ONE
        for factor in reversed(axis):
            loop = self.loop_of(factor.dim, scope)
            if loop is not None:
                position = position + Poly.of(loop.var) * stride
            stride = stride * factor.extent
        return position

    def operand(self, value: Value, op: Op, scope: Scope, role: str = "vector") -> Placed:
        """The tile of an operand inside ``scope``: loaded, computed here, or a view of one."""
        if self.gm_view(value.name) is not None:
            return self.load(value, op, scope, role)
        base = root(value.name, self.made_by)
        found = self.placed[(base, "")]
        tile = self.tiles[found.tile]
        if self.made_by[base].kind == "matmul" and role != "acc":
            found = self._from_accumulator(base, found, scope, op)
            tile = self.tiles[found.tile]
        elif found.scope.role == "grid" and scope.role == "sub" and self._row_dim(base) == scope.dim:
            raise unsupported(op.span, f"smaller tiles for a reader of `{base}`, which is no matmul", "give both stages the same tile")
        start, width = self._column_window(value.name)
        if width is None or (start == 0 and width == tile.cols.size):
            return found
        key = (f"{value.name}@{found.tile}", "")
        if key not in self.placed:
            name = self.name(value.name)
            top, offset = (tile.parent, tile.col_offset + start) if tile.parent else (tile.name, start)
            self.tiles[name] = TileVal(name, tile.dtype, tile.rows, Extent(width), tile.form, op.span, top, offset)
            self.placed[key] = Placed(name, found.scope, found.early)
        return self.placed[key]

    def _row_dim(self, name: str) -> str | None:
        axes = self.axes.axes(self.made_by[name].result.shape)
        return next((f.dim for axis in axes[:-1] for f in axis if self.loop_of(f.dim, self.nest.inner)), None)

    def _column_window(self, name: str) -> tuple[int, int | None]:
        """Columns of the root's tile that a chain of views keeps: (start, width), width None for all."""
        start, width = 0, None
        for op in value_views(self.made_by, name):
            if op.kind == "slice":
                if op.attrs["axis"] != len(op.result.shape) - 1:
                    raise unsupported(op.span, "a slice of rows of a computed tile", "slice the input instead")
                begin, size = self.axes.poly(op.attrs["start"]).constant, self.axes.poly(op.result.shape[-1]).constant
                if begin is None or size is None:
                    raise unsupported(op.span, "a slice with run-time bounds of a computed tile", "slice the input instead")
                start, width = start + begin, size
            elif op.kind == "transpose":
                raise unsupported(op.span, "a transpose of a computed tile", "transpose the input instead")
        return start, width

    def _from_accumulator(self, base: str, acc: Placed, scope: Scope, op: Op) -> Placed:
        """Accumulator → vector tile, in the rows and the dtype that the reader wants."""
        here = scope if scope.role == "sub" else acc.scope
        key = (f"{base}:vec", f"{id(here)}")
        if key not in self.placed:
            tile = self.tiles[acc.tile]
            loop = self.loop_of(self._row_dim(base), here)
            rows, row = tile.rows, ZERO
            if here.role == "sub" and acc.scope is not here and loop is not None:
                grid = self.loop_of(loop.dim, acc.scope)
                assert grid is not None
                rows, row = loop.extent(), Poly.of(loop.var) - Poly.of(grid.var)
            name = self.name(base)
            self.tiles[name] = TileVal(name, self.made_by[base].result.dtype, rows, tile.cols, tile.form, op.span)
            self.emit(TileOp("extract", name, (acc.tile,), op.span, op.stage, row=row), here, False)
            self.placed[key] = Placed(name, here, False)
        return self.placed[key]

    # -- operations -----------------------------------------------------------------------------------------------

    def cut(self) -> TileKernel:
        self.open_grid()
        waiting = list(self.kernel.ops)
        done: set[str] = set()
        while waiting:
            ready = [op for op in waiting if self._ready(op, done)]
            outer = [op for op in ready if self.wants_sub(op) is None]
            op = (outer or ready)[0]
            waiting.remove(op)
            self._cut_op(op)
            done.add(op.result.name)
        body = self.nest.top.freeze()
        dims = tuple(sorted({n for t in (*self.reads, *self.writes) for n in self._gm_names_used(t)} - {self.segment or ""}))
        tensors = tuple(self.tensors[t] for t in dict.fromkeys([*self.writes, *self.reads]))
        used = {n: s.tile for st in self.kernel.stages for n, s in self.sizes[st].items()}
        return TileKernel(
            self.kernel.name, self.kernel.core, self.kernel.stages, tensors, tuple(self.reads), tuple(self.writes), tuple(self.scalars),
            self.segment, dims, tuple(self.tiles.values()), body, tuple(sorted(used.items())), self.kernel.span,
        )  # fmt: skip

    def _gm_names_used(self, tensor: str) -> frozenset[str]:
        """Dynamic dims in the strides of a tensor (all axes but the outermost)."""
        return frozenset(n for extent in self.tensors[tensor].shape[1:] for n in extent.names())

    def _ready(self, op: Op, done: set[str]) -> bool:
        roots = {root(v.name, self.made_by) for v in op.operands if isinstance(v, Value)}
        return all(r not in self.mine or r in done for r in roots)

    def _cut_op(self, op: Op) -> None:
        dims = {f.dim for axis in self._op_axes(op) for f in axis if f.dim}
        scope = self.scope_for(dims, self.wants_sub(op), op)
        if op.kind == "matmul":
            self._matmul(op, scope)
        elif op.kind == "scatter_update":
            self._scatter(op, scope)
        elif op.kind == "concat":
            self._concat(op, scope)
        else:
            self._vector(op, scope)
        if op.result.name in self.kernel.writes and op.kind != "scatter_update":
            self._store(op)

    def _vector(self, op: Op, scope: Scope) -> None:
        sources: list[Source] = []
        operands: list[Placed] = []
        for operand in op.operands:
            if isinstance(operand, Scalar):
                sources.append(self._scalar(operand))
            else:
                placed = self.operand(operand, op, scope)
                operands.append(placed)
                sources.append(placed.tile)
        home = self.deepest([scope, *(p.scope for p in operands)])
        early = home.role == "grid" and all(p.early or p.scope is not home for p in operands)
        shape = self.shape2d(self.axes.axes(op.result.shape), home, op)
        kind = "fill" if op.kind == "full" else op.kind
        if kind == "fill":
            sources = [ScalarArg(op.attrs["value"], op.span)]
        name = self._result_tile(op, shape)
        mode = str(op.attrs.get("mode", "none")) if op.kind == "cast" else "none"
        self.emit(TileOp(kind, name, tuple(sources), op.span, op.stage, mode=mode), home, early)
        self.placed[(op.result.name, "")] = Placed(name, home, early)

    def _result_tile(self, op: Op, shape: Shape2D) -> str:
        name = self.name(op.result.name)
        window = self.concats.windows.get(op.result.name)
        parent, offset = (None, 0) if window is None else self._window_base(window.base, window.offset)
        if parent is not None and parent not in self.tiles:
            base = self.mine[window.base] if window else op
            whole = self.shape2d(self.axes.axes(base.result.shape), self.nest.inner, base)
            self.tiles[parent] = TileVal(parent, base.result.dtype, shape.rows, whole.cols, shape.form, base.span)
        self.tiles[name] = TileVal(name, op.result.dtype, shape.rows, shape.cols, shape.form, op.span, parent, offset)
        return name

    def _window_base(self, base: str, offset: int) -> tuple[str, int]:
        """The tile that windows of ``base`` lie in; ``base`` may itself be a window at column 0 of another."""
        outer = self.concats.windows.get(base)
        if outer is not None:
            name, shift = self._window_base(outer.base, outer.offset)
            return name, shift + offset
        placed = self.placed.get((base, ""))
        return (placed.tile if placed else (base if base not in self.tensors else f"{base}_tile")), offset

    def _scalar(self, scalar: Scalar) -> ScalarArg:
        for symbol in sorted(getattr(scalar.expr, "free_symbols", ()), key=str):
            if symbol.name in {a.name for a in self.program.attrs} and symbol.name not in self.scalars:
                self.scalars.append(symbol.name)
        static = {s: self.axes.static[s.name] for s in getattr(scalar.expr, "free_symbols", ()) if s.name in self.axes.static}
        return ScalarArg(scalar.expr.subs(static) if static else scalar.expr, scalar.span)

    def _concat(self, op: Op, scope: Scope) -> None:
        window = self.concats.windows.get(op.result.name)
        name = op.result.name
        tile_name = self._window_base(window.base, window.offset)[0] if window else self._window_base(name, 0)[0]
        scopes = [scope]
        for part, offset in self.concats.copies[name]:
            value = next(v for v in op.operands if isinstance(v, Value) and v.name == part)
            source = self.operand(value, op, scope)
            scopes.append(source.scope)
            shape = self.shape2d(self.axes.axes(value.shape), source.scope, op)
            if tile_name not in self.tiles:
                whole = self.shape2d(self.axes.axes(op.result.shape), source.scope, op)
                self.tiles[tile_name] = TileVal(tile_name, op.result.dtype, whole.rows, whole.cols, whole.form, op.span)
            view = self.name(f"{name}_part")
            self.tiles[view] = TileVal(view, op.result.dtype, shape.rows, shape.cols, shape.form, op.span, tile_name, offset)
            self.emit(TileOp("copy", view, (source.tile,), op.span, op.stage), source.scope, False)
        self.placed[(name, "")] = Placed(tile_name, self.deepest(scopes), False)

    def _matmul(self, op: Op, scope: Scope) -> None:
        a, b = op.operands
        assert isinstance(a, Value) and isinstance(b, Value)
        contracted = self.axes.axes(a.shape)[-1]
        k_dim = contracted[0].dim if len(contracted) == 1 else None
        k_tile = self.tile_size(op.stage, k_dim, op) if k_dim else None
        cut_k = k_dim is not None and k_tile is not None and k_tile != self.whole(k_dim)
        home = scope
        if cut_k:
            assert k_dim is not None and k_tile is not None
            home = self._reduce_scope(scope, k_dim, k_tile, op)
        left = self.operand(a, op, home, "a")
        right = self.operand(b, op, home, "b")
        shape = self.shape2d(self.axes.axes(op.result.shape), scope, op)
        acc_dtype = "int32" if a.dtype in ("int8", "uint8") else "fp32"
        name = self.name(f"{op.result.name}_acc")
        self.tiles[name] = TileVal(name, acc_dtype, shape.rows, shape.cols, shape.form, op.span)
        size = self.sizes[op.stage].get(k_dim or "")
        first = home.var if cut_k else None
        k_inner = size.inner if size is not None else None
        self.emit(TileOp("matmul", name, (left.tile, right.tile), op.span, op.stage, first=first, k_inner=k_inner), home, False)
        self.placed[(op.result.name, "")] = Placed(name, scope, False)

    def _reduce_scope(self, scope: Scope, k_dim: str, k_tile: int, op: Op) -> Scope:
        key = (id(scope), k_dim, k_tile)
        if key not in self.reduce_loops:
            whole = self.whole(k_dim)
            stop = self.axes.poly(self._symbol(k_dim))
            exact = whole is not None and whole % k_tile == 0
            self.reduce_loops[key] = self.nest.child(scope, k_dim, ZERO, stop, k_tile, exact, "reduce", op.span)
        return self.reduce_loops[key]

    def _scatter(self, op: Op, scope: Scope) -> None:
        target, index, source = op.operands
        assert isinstance(target, Value) and isinstance(index, Value) and isinstance(source, Value)
        placed = self.operand(source, op, scope)
        home = self.deepest([scope, placed.scope])
        tile = self.tiles[placed.tile]
        tensor = self.gm_names[root(target.name, self.made_by)]
        rows_loop = next((s for s in (home, home.parent) if s is not None and s.valid and Poly.of(s.valid) == tile.rows.valid), home)
        ref = GmRef(tensor, ZERO, Poly.of(tile.cols.size), ONE, tile.rows, tile.cols)
        self._note_write(tensor)
        if index.name not in self.reads:
            self.reads.append(index.name)
        at = Poly.of(rows_loop.var) if rows_loop.var else ZERO
        self.emit(TileOp("scatter", None, (placed.tile,), op.span, op.stage, gm=ref, index=index.name, index_offset=at), home, False)

    def _note_write(self, tensor: str) -> None:
        if tensor not in self.writes:
            self.writes.append(tensor)

    def _store(self, op: Op) -> None:
        placed = self.placed[(op.result.name, "")]
        tensor = self.gm_names[op.result.name]
        view = self.axes.contiguous(tensor, op.result.shape)
        shape = self.shape2d(view.axes, placed.scope, op)
        ref = self.gm_ref(view, shape, placed.scope)
        self._note_write(tensor)
        source = placed.tile
        self.emit(TileOp("store", None, (source,), op.span, op.stage, gm=ref), placed.scope, placed.early and placed.scope is not self.nest.inner)


def run(
    program: Program,
    kernel: KernelOps,
    sizes: Mapping[str, Mapping[str, TileSize]],
    tensors: Mapping[str, GmTensor],
    gm_names: Mapping[str, str],
    platform: Platform,
    longest_segment: int = 0,
) -> TileKernel:
    """Cut one kernel.

    Args:
        program: the operator at the Tensor level.
        kernel: its operations.
        sizes: tile sizes by stage and dim.
        tensors: every GM tensor by name (contract and workspace).
        gm_names: GM tensor of each value that has one.
        platform: where it will run.
        longest_segment: the largest range of the segment dim that a launch gets, 0 for any.

    Raises:
        DiagnosticError: PTG303/PTG304, with the place in the spec.
    """
    return Cutter(program, kernel, sizes, tensors, gm_names, platform, longest_segment).cut()


__all__ = ["VIEWS", "run"]
