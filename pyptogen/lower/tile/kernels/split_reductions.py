"""Reductions of a long axis that give few results: parts of the axis on all cores, then the parts.

before: s = sum(x: [n], axis=0)                                  n at most 1048576, one tile of results: one core
after:  s_parts = sum(x, axis=0, parts=48, piece=6144): [s_part]       piece i belongs to part i % 48
        s = sum(s_parts, axis=0)

Pieces are distributed to the parts cyclically, so that each core has as much as the others whatever a call's `n`. With
the tiles of results there are as many as the platform has cores, not as a call gets: results are the same on any number
of them. Where cube and vector cores are one (`cpu`), reductions stay whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import REDUCE, Dim, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.kernels import column_groups
from pyptogen.lower.tile.kernels.moved_axes import elements_of_a_tile, most_rows
from pyptogen.lower.tile.kernels.standalone import Standalone
from pyptogen.records import replace

DEEP = 64
"""Steps along an axis that is not the last in one piece."""
LONG = 16
"""The least pieces of an axis that is split, in the longest call. By the model of A2/A3 a core takes 0.5 us for one,
and the launch that adds the parts up 2 us: a short call loses a little, where a long one gains thirty times as much."""


def run(program: Program, platform: Platform) -> Program:
    """The program with such reductions in two steps; as it is where there are none."""
    if platform.unified:
        return program
    splitter = _Splitter(program, platform)
    ops = [made for op in program.ops for made in splitter.split(op)]
    if not splitter.dims:
        return program
    return replace(program, ops=tuple(ops), dims=(*program.dims, *splitter.dims))


class _Splitter:
    def __init__(self, program: Program, platform: Platform) -> None:
        self.platform = platform
        self.axes = Axes(program)
        self.longest = {dim.name: dim.max for dim in program.dims}
        by_kind = Standalone(program, platform)
        grouped = column_groups.run(program, platform, by_kind)
        self.is_standalone: Callable[[Op], bool] = lambda op: op.result.name not in grouped and by_kind(op)
        self.names = FreeNames(program)
        self.dims: list[Dim] = []

    def split(self, op: Op) -> Sequence[Op]:
        """The operations for one."""
        if op.kind not in REDUCE | {"prod"} or not self.is_standalone(op):
            return [op]
        parts = self._parts(op)
        if parts == 1:
            return [op]
        axis = int(op.attrs["axis"])
        dim = Dim(self.names.take(f"{op.result.name}_part"), parts, parts, parts, parts, None, op.span)
        self.dims.append(dim)
        shape = (*op.result.shape[:axis], dim_symbol(dim.name), *op.result.shape[axis + 1 :])
        whole = Value(self.names.take(f"{op.result.name}_parts"), op.result.dtype, shape, "nd", op.span)
        return [
            replace(op, result=whole, attrs={**op.attrs, "parts": parts}),
            replace(op, operands=(whole,)),
        ]

    def _parts(self, op: Op) -> int:
        """Parts of the axis that an operation reduces; 1: it stays whole."""
        (source,) = op.operands
        assert isinstance(source, Value)
        axis, elements = int(op.attrs["axis"]), elements_of_a_tile(self.platform, op.result.dtype)
        sides = source.shape[:axis], source.shape[axis : axis + 1], source.shape[axis + 1 :]
        before, length, behind = (prod(map(self._most, sizes)) for sizes in sides)
        if behind > 1:
            piece, rows, columns = DEEP, 1, elements // DEEP
        else:  # elements side by side: pieces of one row, or a quarter as long of several
            piece = elements // 4 if before > 1 else elements
            rows, columns = most_rows(self.platform, op.result.dtype, piece), 1
        tiles = -(-before // rows) * -(-behind // columns)
        return max(1, self.platform.vector_cores // tiles) if -(-length // piece) >= LONG else 1

    def _most(self, size: Any) -> int:
        return self.axes.poly(size).evaluate(self.longest)
