"""Which operations are kernels of their own, as their loops are not those of elementwise work."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.concat_parts import lie_in_a_tile
from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES, REDUCE, SCAN, Op, Program, Value
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.kernels.gathers import GATHERS
from pyptogen.lower.tile.kernels.moves import MOVES
from pyptogen.lower.tile.kernels.orders import ORDERS
from pyptogen.lower.tile.kernels.updates import SCATTERS
from pyptogen.lower.tile.loops.reduction_loops import LONG_ROWS

ALWAYS = (MOVES - {"concat"}) | GATHERS | SCATTERS | ORDERS | SCAN


class Standalone:
    """Says it of the operations of one program on one platform."""

    def __init__(self, program: Program, platform: Platform) -> None:
        self.axes = Axes(program)
        self.platform = platform
        self.longest = {dim.name: dim.max for dim in program.dims}

    def __call__(self, op: Op) -> bool:
        if op.loop:
            return False
        if op.kind in REDUCE | ARG_REDUCE | {"prod"}:
            return self._reduction(op)
        if op.kind == "concat":
            return not lie_in_a_tile(op, lambda size: self.axes.poly(size).constant)
        return op.kind in ALWAYS

    def _reduction(self, op: Op) -> bool:
        """Of an axis that is not the last, or of one that gives few results: then parts of it go to all cores. Where
        all axes behind it have the size 1, its elements lie side by side in GM, while a tile has a row for each."""
        axis = int(op.attrs["axis"])
        source = op.operands[0]
        assert isinstance(source, Value)
        if axis < len(source.shape) - 1 or "parts" in op.attrs:
            return True
        length = self.axes.poly(source.shape[axis]).constant
        short = length is not None and length * DTYPES[source.dtype] <= self.platform.memories["ub"] // LONG_ROWS
        return not short and (op.kind in ARG_REDUCE or self._most(op.result) < self.platform.vector_cores)

    def _most(self, value: Value) -> int:
        """Elements of a value, in the largest call."""
        return prod(self.axes.poly(size).evaluate(self.longest) for size in value.shape)


def longest_rows(ops: Sequence[Op], axes: Axes) -> Op | None:
    """The reduction with the longest rows that a tile has whole, of those outside of loops; None: there is none."""
    found: dict[str, int] = {}
    for op in ops:
        source = op.operands[0] if op.operands else None
        if op.kind in REDUCE | ARG_REDUCE | {"prod"} and not op.loop and isinstance(source, Value):
            length = axes.poly(source.shape[-1]).constant
            if length is not None:
                found[op.result.name] = length * DTYPES[source.dtype]
    longest = max(found, key=lambda name: found[name], default=None)
    return next((op for op in ops if op.result.name == longest), None)
