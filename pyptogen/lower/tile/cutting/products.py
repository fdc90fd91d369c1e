"""Products inside the loops of a kernel: where they stand, what they sum over, the loop over their depth.

before: y = matmul(a, b)                         depth k in tiles of 256
after:  for k0 in 0..k step 256: y_acc (+)= a_tile @ b_tile

Products over the same tiles of one depth share the loop.
"""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import CopyOf, TwoKernels, unsupported
from pyptogen.lower.tensor.building.rules import GROUP
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.grid import Grid
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.operands import Operands, Placed
from pyptogen.lower.tile.cutting.windows import Windows
from pyptogen.lower.tile.ir import Extent, GmRef, TileVal
from pyptogen.lower.tile.ops import Load, Matmul


class Products:
    """Cuts products."""

    def __init__(self, builder: KernelBuilder, grid: Grid, windows: Windows, operands: Operands) -> None:
        self.builder, self.grid, self.windows, self.operands = builder, grid, windows, operands
        self.axes, self.defining, self.mine, self.tiles = builder.axes, builder.defining, builder.mine, builder.tiles
        self.reduce_loops: dict[tuple[int, str, int], Scope] = {}

    def _check_summed(self, op: Op, dim: str | None, around: Scope | None) -> None:
        """A product sees all of what it sums over: no grid loop over that stands around it, or around what makes its
        operands.

        Raises:
            Refused: PTG303, one does: then the product is a kernel of its own.
        """
        bases = (root(v.name, self.defining) for v in op.operands if isinstance(v, Value))
        made_here = not op.loop and any(base in self.mine for base in bases)
        grid = self.builder.nest.inner.loop_of(dim) if made_here else around
        if grid is not None and grid.role == "grid":  # of other work of this kernel
            error = unsupported(op.span, f"a product over `{dim}`, which is cut", "leave it whole")
            raise error.helped_by(TwoKernels(op.result.name, op.result.name))

    def product(self, op: Op, scope: Scope) -> None:
        a, b, *scales = op.operands
        assert isinstance(a, Value) and isinstance(b, Value)
        contracted = self.axes.axes(a.shape)[-1]
        summed = k_dim = contracted[0].dim if len(contracted) == 1 else None
        around = scope.loop_of(k_dim)
        self._check_summed(op, k_dim, around)
        if around is not None:
            k_dim = None
        k_tile = self.grid.tile_size(op.stage, k_dim, op) if k_dim else None
        cut_k = k_dim is not None and k_tile is not None and k_tile != self.grid.whole(k_dim)
        size = self.builder.sizes[op.stage].get(k_dim or "")
        k_inner = size.inner if size is not None else None
        if scales and any((step or 0) % (2 * GROUP) for step in (k_tile, k_inner)):
            what = f"a scaled product in steps of {k_inner} along its depth"
            raise unsupported(op.span, what, f"cut `{k_dim}` at multiples of {2 * GROUP}, or leave it whole")
        home = scope
        if cut_k:
            assert k_dim is not None and k_tile is not None
            home = self._reduce_scope(scope, k_dim, k_tile, op)
        left = self.operands.operand(a, op, home, "a")
        right = self.operands.operand(b, op, home, "b")
        self._check_complete(op, home, (left, right))
        sources = [left.tile, right.tile]
        for value, beside, role in zip(scales, (left, right), "ab", strict=False):
            assert isinstance(value, Value)
            sources.append(self._scales(value, op, home if cut_k else None, beside, role))
        shape = self.grid.shape2d(self.axes.axes(op.result.shape), scope, op)
        acc_dtype = "int32" if a.dtype in ("int8", "uint8") else "fp32"
        name = self.builder.name(f"{op.result.name}_acc")
        self.tiles[name] = TileVal(name, acc_dtype, shape.rows, shape.cols, shape.form, op.span)
        first = (home.var,) if cut_k else ()
        self.builder.emit(
            Matmul(name, tuple(sources), op.span, op.stage, first, k_inner, k_dim=summed),
            home,
            False,
        )
        self.operands.placed[(op.result.name, "")] = Placed(name, scope, False)
        if op.attrs.get("relu"):
            self.operands.clipped.add(name)

    def _scales(self, value: Value, op: Op, parts: Scope | None, beside: Placed, role: str) -> str:
        """The tile with the scales of an operand's tile, loaded where that is made; ``parts`` is the loop over the
        depth.

        Raises:
            Refused: PTG303, this kernel computes them: they are read from GM.
            Refused: PTG303, an index names them.
            DiagnosticError: PTG303, those of one row or column of the operand are no run.
        """
        view = self.windows.gm_view(value.name, op)
        if view is None:
            error = unsupported(op.span, "scales that their own kernel computes", "put them into a stage of their own")
            raise error.helped_by(TwoKernels(op.result.name, root(value.name, self.defining)))
        if view.gathers:
            raise unsupported(op.span, "scales that an index names", "copy them first").helped_by(
                CopyOf(view.gathers[0].name)
            )
        if view.per_iteration is not None:
            raise unsupported(op.span, "scales that iterations of a loop made", "collect them")
        tile, scope = self.tiles[beside.tile], beside.scope
        along, across = (view.axes[-1], view.axes[-2]) if role == "a" else (view.axes[-2], view.axes[-1])
        if along and along[-1].stride != ONE:
            fix = "lay those of the right operand out as [n, k / 32], and give `.T` of that" if role == "b" else ""
            raise unsupported(op.span, f"scales `{value.name}` that lie apart along the depth", fix)
        depth = _in_groups(tile.cols if role == "a" else tile.rows)
        offset = view.offset + (Poly.of(parts.var).over(GROUP) if parts is not None else ZERO)
        for factor in (factor for axis in view.axes for factor in axis):
            loop = scope.loop_of(factor.dim)
            offset = offset + (Poly.of(loop.var) * factor.stride if loop is not None else ZERO)
        pitch = across[-1].stride if across else ONE
        key = (f"{value.name}:{role} scales", f"{beside.tile}")
        if key not in self.operands.placed:
            self.builder.note_read(view.tensor)
            name = self.builder.name(self.operands.loaded_name(value, view.tensor))
            rows, cols = (tile.rows, depth) if role == "a" else (depth, tile.cols)
            self.tiles[name] = TileVal(name, value.dtype, rows, cols, "full", value.span)
            steps = (pitch, ONE) if role == "a" else (ONE, pitch)
            ref = GmRef(view.tensor, offset, *steps, rows, cols)
            load = Load(name, (), op.span, op.stage, ref, "a scales" if role == "a" else "b scales")
            self.builder.emit(
                load, scope, scope.role != "reduce"
            )  # ahead of a loop over rows in which the product stands
            self.operands.placed[key] = Placed(name, scope, False)
        return self.operands.placed[key].tile

    def _check_complete(self, op: Op, home: Scope, placed: tuple[Placed, Placed]) -> None:
        """Operands of a product are whole along its depth, when it begins.

        Raises:
            Refused: PTG303, one is made in tiles of a loop that does not stand around the product.
        """
        for value, found in zip(op.operands, placed, strict=False):
            assert isinstance(value, Value)
            at: Scope | None = home
            while at is not None and at is not found.scope:
                at = at.parent
            if at is None:
                error = unsupported(op.span, f"a product over `{found.scope.dim}`, which is cut", "leave it whole")
                raise error.helped_by(TwoKernels(op.result.name, root(value.name, self.defining)))

    def _reduce_scope(self, scope: Scope, k_dim: str, k_tile: int, op: Op) -> Scope:
        key = (id(scope), k_dim, k_tile)
        if key not in self.reduce_loops:
            whole = self.grid.whole(k_dim)
            stop = self.axes.poly(dim_symbol(k_dim))
            exact = whole is not None and whole % k_tile == 0
            self.reduce_loops[key] = self.builder.nest.child(scope, k_dim, ZERO, stop, k_tile, exact, "reduce", op.span)
        return self.reduce_loops[key]


def _in_groups(depth: Extent) -> Extent:
    """How many scales a tile has along its depth.

    Raises:
        ValueError: the tile cuts through a group.
    """
    return Extent(
        Poly.of(depth.size).divided(GROUP).evaluate({}), None if depth.valid is None else depth.valid.over(GROUP)
    )
