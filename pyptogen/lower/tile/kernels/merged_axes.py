"""Axes of a reduction or a scan that lie one after the other in all that its kernel reads and writes are one axis.

before: y = sum(x: [b, h, n, d, e], axis=2)                            tiles of columns of one d
after:  dims y_rows = b * h, y_columns = d * e; y = sum(reshape(x): [y_rows, n, y_columns], axis=1)

Of a reduction or a scan that is a kernel by itself, with the work that leads to it. A tile has rows of one dim and
columns of one: so the axes ahead of that which it goes along, those behind it, and the dims that it is a product of,
each become one, as far as their elements are at equal distances. An axis of one element is none. The kernel has the new
dims to itself, so that others that read its result see the axes that this has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

from sympy import Integer

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import Refusal, asked, unsupported
from pyptogen.lower.tensor.ir import PAIRS, SCAN, SORTING, Dim, Op, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.cutting.axes import Axes, Axis, Factor, GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.items import items_of
from pyptogen.lower.tile.cutting.items import merged as merged_items
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.dims.named_sizes import dim_of_size
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.loops.reduction_loops import REDUCTIONS
from pyptogen.records import dataclass, replace


def run(builder: KernelBuilder) -> KernelView:
    """The kernel with such axes merged; as it is where there are none, or where it cannot be seen so."""
    found = asked(merged, builder)
    return KernelView(builder.program, builder.kernel, builder.axes) if isinstance(found, Refusal) else found


def merged(b: KernelBuilder) -> KernelView:
    """The same, of a kernel that has to be seen so. Raises Refused, PTG303: it cannot be."""
    found = _Merged(b)
    return KernelView(b.program, b.kernel, b.axes, views=b.gm_views) if found.is_as_it_was() else found.rewritten()


@dataclass(frozen=True, slots=True)
class _MergedAxis:
    """Its size, and what it is of each value that is read, and of each result in GM."""

    size: Any
    read: tuple[Axis, ...]
    written: tuple[Axis, ...]


class _Merged:
    """The kernel of one reduction, or around scans, with the axes of what these go along merged to ``shape``.

    Raises:
        Refused: PTG303, what it reads or writes splits an axis in different places, or has no strides.
    """

    def __init__(self, b: KernelBuilder) -> None:
        self.along = next((op for op in b.kernel.ops if op.kind in SCAN | SORTING | PAIRS), b.kernel.ops[-1])
        self.b, self.views, self.names, self.dims = b, GmViews(b), FreeNames(b.program), list[Dim]()
        (operand,) = self.along.operands
        assert isinstance(operand, Value)
        self.operand, axis = operand, int(self.along.attrs["axis"])
        made = {op.result.name: op for op in b.kernel.ops}
        values = (v for op in b.kernel.ops for v in op.operands if isinstance(v, Value) and v.name not in made)
        self.read = list({value.name: value for value in values}.values())
        frame, reads = b.axes.axes(operand.shape), list(map(self._broadcast, self.read))
        written = [self._result(made[name]) for name in b.kernel.writes]
        sides = [frame, *written, *reads]
        whole = sides if self.along.kind in SCAN else [frame, *reads]
        before = self._merged([side[:axis] for side in sides], "rows")
        along = self._merged([side[axis : axis + 1] for side in whole], "depth")
        behind = self._merged([side[axis + 1 :] for side in sides], "columns")
        if len(along) != 1:
            along = [_MergedAxis(operand.shape[axis], tuple(map(_there, (read[axis] for read in reads))), ())]
        self.axis, together = len(before), (*before, *along, *behind)
        self.shape = tuple(one.size for one in together)
        self.flat: dict[str, Value] = {}
        """The values that are read, as the kernel sees them."""
        self.views_of: dict[str, GmView] = {}
        for n, value in enumerate(self.read):
            self._view(value, tuple(one.read[n] for one in together))
        for at, (name, axes) in enumerate(zip(b.kernel.writes, written, strict=True)):
            places = [one.written[at] for one in before], [one.written[at] for one in behind]
            whole_axis = along[0].written[at] if along[0].written else axes[axis]
            self.views_of[name] = replace(
                self.views.written(made[name].result), axes=(*places[0], whole_axis, *places[1])
            )

    def _result(self, op: Op) -> tuple[Axis, ...]:
        """The axes of the result of an operation in GM.

        Raises:
            Refused: PTG303, it lies in fractals.
        """
        view = self.views.written(op.result)
        if self.b.tensors[view.tensor].layout == "nz":
            raise unsupported(self.along.span, f"`{view.tensor}` @ nz", "leave `@ nz` out")
        return view.axes

    def _broadcast(self, value: Value) -> tuple[Axis, ...]:
        """The axes of a value in GM in the shape of the operand: along one that it does not have its step is 0."""
        view, shape = self.views.strided(value.name, self.along), self.b.axes.axes(self.operand.shape)
        missing: tuple[Axis, ...] = ((),) * (len(shape) - len(view.axes))
        axes = zip((*missing, *view.axes), shape, strict=True)
        return tuple(has or tuple(replace(factor, stride=ZERO) for factor in wanted) for has, wanted in axes)

    def _merged(self, sides: Sequence[tuple[Axis, ...]], word: str) -> list[_MergedAxis]:
        """Neighbouring axes once they are merged; ``sides``: of the operand, of results that are written if they have
        them, and of what is read. A dim by itself stays; else there is one more."""
        left = [factor for axis in sides[0] for factor in axis if factor.extent != ONE]
        found: list[_MergedAxis] = []
        for item in merged_items(items_of(self.along.span, *sides)):
            taken = [left.pop(0)]
            while reduce(Poly.__mul__, (factor.extent for factor in taken)) != item.extent:
                taken.append(left.pop(0))
            alone = taken[0].dim if len(taken) == 1 else None
            dim = alone or self._dim(item.extent, word)
            steps = item.steps[1:]
            of_results, of_read = steps[: -len(self.read)], steps[-len(self.read) :]
            sides_of = [tuple((Factor(dim, item.extent, step),) for step in some) for some in (of_read, of_results)]
            read, written = sides_of
            found.append(_MergedAxis(dim_symbol(dim), tuple(map(_there, read)), written))
        return found

    def _dim(self, extent: Poly, word: str) -> str:
        """The name of a new dim."""
        size = sum(prod(map(dim_symbol, names), start=Integer(times)) for names, times in extent.terms)
        name = self.names.take(f"{self.along.result.name}_{word}")
        self.dims.append(dim_of_size(self.b.program, self.b.axes, size, name, self.along.span))
        return name

    def _view(self, value: Value, axes: tuple[Axis, ...]) -> None:
        """The kernel reads a value with the merged axes, of one element where it has one not."""
        shape = tuple(size if axis else Integer(1) for size, axis in zip(self.shape, axes, strict=True))
        name = self.names.take(f"{value.name}_flat")
        self.flat[value.name] = replace(value, name=name, shape=shape, layout="nd", strides=())
        self.views_of[name] = replace(self.views.strided(value.name, self.along), axes=axes)

    def is_as_it_was(self) -> bool:
        """Whether there is nothing to merge: all values have the axes of the operand already."""
        shapes = [self.operand.shape, *(op.result.shape for op in self.b.kernel.ops)]
        return all(shape[: self.axis] == self.shape[: self.axis] for shape in shapes) and shapes[0] == self.shape

    def rewritten(self) -> KernelView:
        """The kernel, with its program."""
        values = dict(self.flat)
        ops: dict[str, Op] = {}
        for op in self.b.kernel.ops:
            operands = tuple(values[v.name] if isinstance(v, Value) else v for v in op.operands)
            attrs = {**op.attrs, "axis": self.axis} if "axis" in op.attrs else op.attrs
            shape = self.shape
            if op.kind in REDUCTIONS | SORTING | PAIRS:
                shape = (*shape[: self.axis], op.result.shape[int(op.attrs["axis"])], *shape[self.axis + 1 :])
            values[op.result.name] = replace(op.result, shape=shape)
            ops[op.result.name] = replace(op, operands=operands, result=values[op.result.name], attrs=attrs)
        every = tuple(ops.get(op.result.name, op) for op in self.b.program.ops)
        program = replace(self.b.program, ops=every, dims=(*self.b.program.dims, *self.dims))
        return KernelView(program, replace(self.b.kernel, ops=tuple(ops.values())), Axes(program), views=self.views_of)


def _there(axis: Axis) -> Axis:
    """An axis without what only repeats elements."""
    return tuple(factor for factor in axis if factor.stride != ZERO)
