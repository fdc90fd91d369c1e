"""What goes along an axis of its operand, which a tile has as its rows or as its columns."""

from __future__ import annotations

from pyptogen.lower.expr import Poly
from pyptogen.lower.refusal import TwoKernels, unsupported
from pyptogen.lower.tensor.ir import PRODUCTS, Op, Value
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.ir import TileOp, TileVal
from pyptogen.lower.tile.ops import Copy, Scan
from pyptogen.records import replace


class AlongAxes:
    """Which operation on tiles a reduction, a scan or a count of places becomes."""

    def __init__(self, builder: KernelBuilder, grid: Grid) -> None:
        self.builder, self.grid = builder, grid
        self.axes, self.mine = builder.axes, builder.mine

    def check_whole(self, op: Op, scope: Scope) -> None:
        """A reduction sees all of its axis.

        Raises:
            Refused: PTG303, the axis is cut here: then the kernel is cut behind the product whose columns it
                is, so that whole rows of that are read; where there is none, the reduction is a kernel of its own,
                as where a call tells how long the axis is.
        """
        source = op.operands[0]
        assert isinstance(source, Value)
        for factor in self.axes.axes(source.shape)[int(op.attrs["axis"])]:
            loop = scope.loop_of(factor.dim)
            if loop is None and factor.extent.constant is None and not op.loop:
                error = unsupported(op.span, f"`{op.kind}` over {factor.extent}, known at run time only", "cut it")
                raise error.helped_by(TwoKernels(op.result.name, op.result.name))
            if loop is not None and loop.role != "sequential":
                fix = "leave it whole"
                if op.loop and self.grid.whole(loop.dim) is None:
                    fix = "reduce it in a stage before the loop, for all iterations at once"
                error = unsupported(op.span, f"`{op.kind}` over `{factor.dim}`, which is cut", fix)
                raise error.helped_by(self._behind_product(op, loop.dim) or TwoKernels(op.result.name, op.result.name))

    def _behind_product(self, op: Op, dim: str) -> TwoKernels | None:
        """The first reader and the result of a product with these columns that leads to an operation of this kernel,
        outside of loops."""
        waiting, seen = [op], {op.result.name}
        while waiting:
            reader = waiting.pop()
            for maker in (self.mine[name] for name in sorted(self.builder.roots(reader)) if name in self.mine):
                if maker.kind in PRODUCTS and dim in {f.dim for f in self.axes.axes(maker.result.shape)[-1]}:
                    return None if maker.loop else TwoKernels(reader.result.name, maker.result.name)
                if maker.kind not in PRODUCTS and maker.result.name not in seen:
                    seen.add(maker.result.name)
                    waiting.append(maker)
        return None

    def over_rows(self, op: Op, source: TileVal, result: Shape2D) -> bool:
        """Whether a reduction is over the rows of its tile, as that of a middle axis is, and not along them.

        Raises:
            Refused: PTG303, the axis is neither the rows of the tile nor its columns: then it is a kernel of
                its own.
        """
        rows, cols = source.rows.size, source.cols.size
        if (result.rows.size, result.cols.size) == (rows, 1):
            return False
        if (result.rows.size, result.cols.size) == (1, cols) and (cols > 1 or op.kind != "prod"):
            return True
        error = unsupported(op.span, f"`{op.kind}` over a part of a tile", "give the other dims the tile 1")
        raise error.helped_by(TwoKernels(op.result.name, op.result.name))

    def scan_of_a_tile(self, made: Scan, op: Op, shape: Shape2D) -> TileOp:
        """What running sums or products along an axis are in a tile: along its rows, over them, or of one element."""
        along = int(op.attrs["axis"])
        if along == len(op.result.shape) - 1:
            return made
        over_rows = shape.row in self.axes.axes(op.result.shape)[along]
        return replace(made, over_rows=True) if over_rows else Copy.of(made, made.dst, *made.srcs)

    def first_place(self, op: Op, scope: Scope) -> Poly:
        """Which element of the whole axis, or of its block, is the first one of this tile."""
        start = self.axes.poly(op.attrs["start"])
        found = [scope.loop_of(f.dim) for axis in self.axes.axes(op.result.shape) for f in axis]
        loops = [
            loop for loop in found if loop is not None and not (op.attrs["in_block"] and loop.role == "sequential")
        ]
        return sum((Poly.of(loop.var) for loop in loops), start)
