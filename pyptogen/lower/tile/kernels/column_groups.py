"""Reductions over an axis that is not the last, and all work on what they reduce, are one kernel.

before: m = mean(x: [n, c], axis=0); d = x - m; v = mean(d * d, axis=0); y = d / sqrt(v)
after:  one kernel {mean, sub, mul, mean, sqrt, div}: each core takes some of the columns

Such a kernel reads its operands once where all rows of some columns fit UB, and else once for each reduction that
others wait for, and again for the results (`reduction_loops`): nothing but results is written. Cores have columns only,
so that this is done where there are columns for all of them; elsewhere a reduction is a kernel of its own, and its rows
are in parts (`split_reductions`). So it is where nobody reads what is reduced together with the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import PACKED, Op, Program, Value
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.kernels.connected import Connected, values
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.loops.reduction_loops import IN_PIECES, REDUCTIONS, is_by_pieces

NARROWEST = 16
"""Columns of a tile where a kernel is to have one for each core: with twice as many, on two thirds of the cores, it is
faster than kernels of their own, by the model (8192 x 1024)."""


def run(
    program: Program, platform: Platform, is_standalone: Callable[[Op], bool], unfused: Edges = frozenset()
) -> Mapping[str, str]:
    """The operations of such kernels by their results, each with the result of the last one of its kernel.

    Args:
        program: the operator.
        platform: where it will run.
        is_standalone: which operations are kernels of their own else.
        unfused: pairs of (reader, value) that must not be in one kernel.
    """
    finder = _Finder(program, platform, unfused)
    found: dict[str, str] = {}
    for op in program.ops:
        if op.kind in REDUCTIONS and op.result.name not in found and not op.loop and is_standalone(op):
            group = finder.around(op, found)
            found |= dict.fromkeys(group, group[-1]) if group else {}
    return found


class _Finder:
    """Finds the kernel around a reduction."""

    def __init__(self, program: Program, platform: Platform, unfused: Edges) -> None:
        self.program, self.cores, self.unfused = program, platform.vector_cores, unfused
        self.axes = Axes(program)
        self.longest = {dim.name: dim.max for dim in program.dims}
        self.connected = Connected(program, unfused)
        self.reads = self.connected.reads

    def around(self, reduction: Op, taken: Mapping[str, str]) -> list[str]:
        """The results of such a kernel, in the order of the program; none where the reduction is better by itself.
        What is ``taken`` belongs to other kernels, by the result of the last operation of each."""
        (source,) = values(reduction.operands)
        dim = self._reduced_dim(reduction, source)
        if dim is None or self._tiles(reduction.result) < self.cores:
            return []
        dims = {factor.dim for axis in self.axes.axes(source.shape) for factor in axis}
        able = [
            op
            for op in self.program.ops
            if op.stage == reduction.stage and op.result.name not in taken and self._fits(op, dim, dims)
        ]
        names = self.connected.convex(self.connected.around(reduction, able), taken)
        group = [op for op in able if op.result.name in names]
        return [op.result.name for op in group] if reduction in group and self._goes_on(group, dim) else []

    def _reduced_dim(self, op: Op, source: Value) -> str | None:
        """The dim that is all of the reduced axis, where that is not the last one."""
        at = int(op.attrs["axis"])
        axis = self.axes.axes(source.shape)[at]
        behind = any(size != 1 for size in source.shape[at + 1 :])
        return axis[0].dim if behind and len(axis) == 1 and "parts" not in op.attrs else None

    def _tiles(self, result: Value) -> int:
        """Tiles of a reduction's results, in the largest call."""
        sizes = [self.axes.poly(size).evaluate(self.longest) for size in result.shape]
        return prod(sizes[:-1]) * -(-sizes[-1] // NARROWEST)

    def _fits(self, op: Op, dim: str, dims: Collection[str | None]) -> bool:
        """Whether an operation can be done in the loops of such a kernel."""
        if op.loop or op.kind not in IN_PIECES | REDUCTIONS or (op.result.name, op.result.name) in self.unfused:
            return False
        if op.kind in REDUCTIONS and self._reduced_dim(op, *values(op.operands)) != dim:
            return False
        every = values((op.result, *op.operands))
        inside = all(f.dim in dims for value in every for axis in self.axes.axes(value.shape) for f in axis)
        packed = any(value.dtype in PACKED for value in every)
        return inside and not packed and is_by_pieces(op, dim, self.axes, rows=True)

    def _goes_on(self, group: Sequence[Op], dim: str) -> bool:
        """Whether something that has the dim follows from what a reduction over it gives."""
        behind: set[str] = set()
        for op in group:
            if op.kind in REDUCTIONS or self.reads[op.result.name] & behind:
                behind.add(op.result.name)
            has = any(factor.dim == dim for axis in self.axes.axes(op.result.shape) for factor in axis)
            if has and self.reads[op.result.name] & behind:
                return True
        return False
