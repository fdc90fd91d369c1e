"""The loops of a kernel and the 2-D tile of every value inside them.

The grid is the loops over result dims that are cut; a stage with smaller tiles than the grid's runs in a sub-loop. A
value's tile has the rows of its one leading dim that is wider than 1, or of several that all values have together
(`merged_rows`), and the columns of its last axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import PAIRS, REDUCE, SORTING, Op, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tile.cutting.axes import Axis, Factor
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.merged_rows import merged_rows
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.ir import Extent, Form
from pyptogen.lower.tile.loops.reduction_loops import WHOLE_ROWS, ReductionLoops
from pyptogen.records import dataclass

MANY_TILES = 8
"""Tiles of a static dim from which on they alone keep the cores of a launch busy."""


@dataclass(frozen=True, slots=True)
class Shape2D:
    """The 2-D tile of a value in a stage, and the GM factors behind rows and columns."""

    rows: Extent
    cols: Extent
    form: Form
    row: Factor | None
    col: Factor | None


class Grid:
    """Sizes, loops and shapes of one kernel. ``launch_dim`` is the dim of whose range a launch gets a part,
    ``longest_range`` the largest part (0: any)."""

    def __init__(
        self,
        builder: KernelBuilder,
        launch_dim: str | None,
        longest_range: int,
        reductions: ReductionLoops = WHOLE_ROWS,
    ) -> None:
        self.builder, self.longest_range, self.reductions = builder, longest_range, reductions
        self.reduction_loops: dict[tuple[str, int], Scope] = {}
        self.program, self.axes = builder.program, builder.axes
        self.blocks = {loop.block.name: loop for loop in builder.program.loops}
        self.sub_loops: dict[str, Scope] = {}
        self.wanted_launch_dim = launch_dim
        self.launch_dim: str | None = None
        self._grid_sizes: dict[str, int | None] = {}
        self.merged = merged_rows(builder.kernel.ops, builder.axes)
        self.moved = any(op.kind in ("move", "update") for op in builder.kernel.ops)
        """Whether a nest moves elements: then its loops have the order of its axes, in which the result lies."""

    def whole(self, dim: str) -> int | None:
        return self.axes.static.get(dim)

    def tile_size(self, stage: str, dim: str, op: Op) -> int:
        """Tile of ``dim`` in ``stage``; the whole dim when nobody names it."""
        size = self.builder.sizes[stage].get(dim)
        whole = self.whole(dim)
        if size is None:
            if whole is None:
                raise unsupported(
                    op.span,
                    f"the dynamic dim `{dim}` without a tile",
                    f"name a tile for `{dim}` in the tiling row",
                )
            return whole
        return size.tile if whole is None else min(size.tile, whole)

    def grid_size(self, dim: str) -> int | None:
        """Tile of the grid loop over ``dim``: that of the first stage of the kernel; None if ``dim`` has no loop."""
        if dim not in self._grid_sizes:
            self._grid_sizes[dim] = self._grid_size(dim)
        return self._grid_sizes[dim]

    def _grid_size(self, dim: str) -> int | None:
        if dim in self.blocks or dim in self.reductions.dims:
            return None
        for op in self.builder.kernel.ops:
            if any(f.dim == dim for axis in self.op_axes(op) for f in axis):
                tile = self.tile_size(op.stage, dim, op)
                return None if tile == self.whole(dim) else tile
        return None

    def open_grid(self) -> None:
        """Grid loops over the result dims that are cut: dynamic ones outermost, then in order of the axes; all in that
        order where elements are moved. Of a dim in bands, the bands are there and their tiles innermost."""
        banded: list[Scope] = []
        names: list[str] = []
        for op in self.builder.kernel.ops:
            for axis in self.op_axes(op):
                names += [f.dim for f in axis if f.dim and f.dim not in names]
        inward = {n: self.whole(n) is not None and not self.moved for n in names if n not in self.blocks}
        for dim in sorted(inward, key=lambda n: inward[n]):
            tile = self.grid_size(dim)
            if tile is None:
                continue
            whole = self.whole(dim)
            declared = self.program.dim(dim)
            start, stop, launched = *self._range(dim), self._of_launch_dim(dim) is not None
            band = self._band(dim, whole)
            size = band or tile
            exact = size == 1 or (
                whole % size == 0 if whole is not None else not launched and declared.multiple_of % size == 0
            )
            if band:
                banded.append(self.builder.nest.band(dim, start, stop, band, exact, declared.span))
            else:
                self.builder.nest.grid(dim, start, stop, tile, exact, declared.span)
        for scope in banded:
            dim, first = scope.dim.removesuffix(".band"), Poly.of(scope.var)
            tile = self.grid_size(dim) or 1
            self.builder.nest.grid(dim, first, first + scope.extent().poly(), tile, scope.valid is None, scope.span)
        self._distribute(frozenset(scope.dim.removesuffix(".band") for scope in banded))

    def _range(self, dim: str) -> tuple[Poly, Poly]:
        """Where a loop over a dim begins and ends: of the launch dim, with other axes inside of it perhaps, a launch
        has a part."""
        inside = self._of_launch_dim(dim)
        if inside is None:
            return ZERO, self.axes.poly(dim_symbol(dim))
        self.launch_dim = self.wanted_launch_dim
        return Poly.of(f"{self.launch_dim}_begin") * inside, Poly.of(f"{self.launch_dim}_end") * inside

    def _of_launch_dim(self, dim: str) -> Poly | None:
        """What each element of the launch dim is of a dim; None for a dim that has nothing to do with it."""
        if self.wanted_launch_dim is None or self.whole(dim) is not None:
            return None
        return self.axes.poly(dim_symbol(dim)).quotient(Poly.of(self.wanted_launch_dim))

    def _band(self, dim: str, whole: int | None) -> int:
        """Elements of a band of ``dim``, 0 where it has none or there is only one."""
        found = max(
            (
                self.builder.sizes[op.stage][dim].band
                for op in self.builder.kernel.ops
                if dim in self.builder.sizes[op.stage]
            ),
            default=0,
        )
        return 0 if whole is not None and whole <= found else found

    def _distribute(self, banded: frozenset[str]) -> None:
        """One grid loop is distributed to the blocks, not that over the tiles of a band: the one that an operation
        names, or none for "", the parts of a split product,
        the innermost static one with many tiles, as what it reads serves a block again and again, else the longest."""
        scopes: list[Scope] = []
        scope: Scope | None = self.builder.nest.inner
        while scope is not None and scope.var:
            if scope.dim not in banded:
                scopes.append(scope)
            scope = scope.parent
        named = [str(op.attrs["distributed"]) for op in self.builder.kernel.ops if "distributed" in op.attrs]
        scopes = [s for s in scopes if not named or s.dim in named]
        if not scopes:
            return
        many = [s for s in scopes if not self.moved and self.whole(s.dim) is not None and self._trips(s) >= MANY_TILES]
        parts = {op.attrs.get("part") for op in self.builder.kernel.ops}
        split = [s for s in scopes if s.dim in parts]
        max(split or many[:1] or scopes, key=self._trips).parallel = True

    def distribute_instead(self, loop: Scope) -> None:
        """Distributes independent iterations to the blocks, where they are more than the tiles that would be
        distributed and these are not many for sure."""
        scope = loop.parent
        while scope is not None and not scope.parallel:
            scope = scope.parent
        if scope is not None:
            if (self.whole(scope.dim) is not None and self._trips(scope) >= MANY_TILES) or (
                self._trips(scope) >= self._trips(loop)
            ):
                return
            scope.parallel = False
        loop.parallel = True

    def _trips(self, scope: Scope) -> int:
        """How many tiles a launch may have of a loop, at the most."""
        dim = scope.dim.split(".")[0]
        stop = self.whole(dim)
        if stop is None:
            longest = self.longest_range if dim == self.launch_dim else 0
            stop = longest or self.program.dim(dim).max
        return -(-stop // scope.tile)

    def shape2d(self, axes: tuple[tuple[Factor, ...], ...], scope: Scope, op: Op) -> Shape2D:
        """Rows and columns of the tile of a value with these axes, inside ``scope``."""

        def open_factors(axis: tuple[Factor, ...]) -> list[tuple[Factor, Extent]]:
            result = []
            for factor in axis:
                loop = scope.loop_of(factor.dim)
                if loop is not None:
                    result.append((factor, loop.extent()))
                    continue
                size = factor.extent.constant
                if size is None and op.kind in SORTING:
                    result.append((factor, self.whole_extent(factor.extent)))
                    continue
                if size is None:
                    fix = "name a tile for it in the tiling row"
                    if op.loop and op.kind in REDUCE:
                        fix = "reduce it in a stage before the loop, for all iterations at once"
                    raise unsupported(op.span, f"the dynamic extent {factor.extent} without a tile", fix)
                result.append((factor, Extent(size)))
            wide = [f for f in result if f[1].size != 1]
            return wide or result[-1:]

        last = open_factors(axes[-1]) if axes else []
        lead = [f for axis in axes[:-1] for f in open_factors(axis)]
        lead = [f for f in lead if f[1].size != 1] or lead[-1:]
        if len(lead) > 1 and self._is_one_run(lead, scope):
            (_, cut), *inside = lead
            each = prod(extent.size for _, extent in inside)
            lead = [(lead[-1][0], Extent(cut.size * each, None if cut.valid is None else cut.valid * each))]
        if len(lead) > 1:
            named = [f"`{factor.dim}`" for factor, _ in lead if factor.dim is not None]
            fix = "give all but one of the leading dims the tile 1"
            if named and len(named) < len(lead):
                sizes = " and ".join(sorted(str(extent.size) for factor, extent in lead if factor.dim is None))
                fix = (
                    f"name {sizes} in `dims` and write that name in the shapes, or give {', '.join(named)} the tile 1: "
                )
                fix += "an axis whose size has no name is never cut"
            raise unsupported(op.span, f"a tile of rank {len(lead) + 1}", fix)
        one = Extent(1)
        rows, row = (lead[0][1], lead[0][0]) if lead else (one, None)
        if len(last) > 1:
            (outermost, cut), *inside = last
            if any(e.valid is not None for _, e in inside):
                raise unsupported(op.span, "a masked tile over two dims of one axis", "give one of the dims the tile 1")
            self._check_gaps(axes[-1], outermost, last[-1][0], scope, op)
            each = prod(extent.size for _, extent in inside)
            cols = Extent(cut.size * each, None if cut.valid is None else cut.valid * each)
        else:
            cols = last[0][1] if last else one
        # A block of one element is one number a row, as an axis of size 1 is.
        col = last[-1][0] if last and last[-1][0].dim not in self.axes.single else None
        form: Form = "row" if row is None else "full" if col is not None else "col"
        return Shape2D(rows, cols, form, row, col)

    def _is_one_run(self, lead: Sequence[tuple[Factor, Extent]], scope: Scope) -> bool:
        """Whether the rows of a tile go over these axes together (`merged_rows`), and lie at equal distances."""
        (outer, _), *inside = lead
        if self.merged is None or outer.dim != self.merged.outer or self.builder.platform.unified:
            return False
        whole = all(factor.dim in self.merged.inside and scope.loop_of(factor.dim) is None for factor, _ in inside)
        even = all(a.stride == b.stride * b.extent for (a, _), (b, _) in pairwise(lead))
        return whole and even and all(factor.gather is None for factor, _ in lead)

    def _check_gaps(self, axis: Axis, first: Factor, last: Factor, scope: Scope, op: Op) -> None:
        """Of an axis with several dims that a tile has more than one element of, only the outermost may be cut: the
        elements of a tile lie at equal distances.

        Raises:
            DiagnosticError: PTG303.
        """
        for factor in axis[axis.index(first) + 1 : axis.index(last) + 1]:
            if scope.loop_of(factor.dim) is not None:
                raise unsupported(
                    op.span,
                    f"a tile with gaps: `{factor.dim}` is cut and lies inside `{first.dim or first.extent}`",
                    f"leave `{factor.dim}` whole, or give the dims before it the tile 1",
                )

    def whole_extent(self, size: Poly) -> Extent:
        """An axis that a tile has whole, though a call may tell how long it is."""
        most = size.evaluate({dim.name: dim.max for dim in self.program.dims})
        return Extent(most, None if size.constant is not None else size)

    def wants_sub(self, op: Op) -> str | None:
        """The dim that ``op`` runs over in smaller tiles than the grid's, if any."""
        dims = {f.dim for axis in self.op_axes(op) for f in axis if f.dim}
        smaller = [
            d for d in sorted(dims) if (g := self.grid_size(d)) is not None and self.tile_size(op.stage, d, op) < g
        ]
        if len(smaller) > 1:
            raise unsupported(
                op.span, f"smaller tiles of two dims ({', '.join(smaller)}) in one kernel", "keep one of them"
            )
        return smaller[0] if smaller else None

    def op_axes(self, op: Op) -> tuple[tuple[Factor, ...], ...]:
        """The axes that loops around an operation go over: of the rows that it writes where it updates a tensor, and of
        an order the rows, or their spans."""
        if op.kind == "scatter_update":
            source = op.operands[2]
            assert isinstance(source, Value)
            return self.axes.axes(source.shape)
        if op.kind == "span_pairs":
            (source,) = op.operands
            assert isinstance(source, Value)
            return self.axes.axes(source.shape)
        shape = op.result.shape[:-1] if op.kind in SORTING | PAIRS else op.result.shape
        return self.axes.axes(shape)

    def reduction_loop(self, op: Op) -> Scope | None:
        """The loop over the columns in which an operation goes on piece by piece; None for one that has whole rows."""
        values = [op.result, *(value for value in op.operands if isinstance(value, Value))]
        every = (f.dim for value in values for axis in self.axes.axes(value.shape) for f in axis)
        dim = next((dim for dim in every if dim in self.reductions.dims), None)
        if dim is None:
            return None
        key = dim, self.reductions.loop[op.result.name]
        if key not in self.reduction_loops:
            tile, whole, declared = self.tile_size(op.stage, dim, op), self.whole(dim), self.program.dim(dim)
            exact = tile == 1 or (whole if whole is not None else declared.multiple_of) % tile == 0
            inner, stop = self.builder.nest.inner, self.axes.poly(dim_symbol(dim))
            opened = self.builder.nest.child(inner, dim, ZERO, stop, tile, exact, "reduce", op.span)
            part = self._part()
            if part is not None:
                opened.start, opened.every = Poly.of(part.var) * tile, self.axes.static[part.dim]
            self.reduction_loops[key] = opened
        return self.reduction_loops[key]

    def _part(self) -> Scope | None:
        """The loop over the parts of a reduced axis, which its pieces belong to in turns; None where it is whole."""
        ops = (op for op in self.builder.kernel.ops if "parts" in op.attrs)
        dims = [f.dim for op in ops for f in self.axes.axes(op.result.shape)[int(op.attrs["axis"])]]
        return self.builder.nest.inner.loop_of(dims[0]) if dims else None

    def scope_for(self, dims: set[str], sub: str | None, op: Op) -> Scope:
        """The outermost scope in which all of ``dims`` are bound."""
        pieces = self.reduction_loop(op)
        if pieces is not None:
            return pieces
        if sub is not None and sub in dims:
            return self._sub_scope(sub, op)
        scope = self.builder.nest.inner
        while scope.parent is not None and scope.dim not in dims:
            scope = scope.parent
        return scope

    def _sub_scope(self, dim: str, op: Op) -> Scope:
        if dim not in self.sub_loops:
            inner = self.builder.nest.inner
            grid = inner.loop_of(dim)
            assert grid is not None
            tile = self.tile_size(op.stage, dim, op)
            if grid.tile % tile:
                raise unsupported(op.span, f"`{dim}` in tiles of {tile} inside tiles of {grid.tile}", "use a divisor")
            start = Poly.of(grid.var)
            self.sub_loops[dim] = self.builder.nest.child(
                inner,
                dim,
                start,
                start + grid.extent().poly(),
                tile,
                grid.valid is None or tile == 1,
                "sub",
                op.span,
            )
        return self.sub_loops[dim]
