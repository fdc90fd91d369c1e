"""Pass: axes that lie behind a reduced one, and that all values of its kernel have together, are one axis.

before: s = sum(x: [n, h, d], axis=0); y = x / s                        tiles of columns of one h
after:  dim y_columns = h * d; x_flat = reshape(x): [n, y_columns]; s = sum(x_flat, axis=0); y = x_flat / s
        y_whole = reshape(y): [n, h, d]

Of the kernels of `column_groups`, whose cores and tiles take columns. A value that has some of the axes without the
others, such as a scale `[d]`, keeps them apart, and so does a tiling row that names one of them, and memory in which
they do not lie one after the other for sure: what is sliced, in another order, or has gaps between its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import mul

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Dim, Op, Program, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.dims.named_sizes import dim_of_size
from pyptogen.lower.tile.kernels import column_groups
from pyptogen.lower.tile.kernels.standalone import Standalone
from pyptogen.lower.tile.loops.reduction_loops import REDUCTIONS
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace


def run(program: Program, platform: Platform, rows: Sequence[Selected]) -> Program:
    """The program with such axes merged; as it is where there are none."""
    grouped = column_groups.run(program, platform, Standalone(program, platform))
    named = {name for row in rows for sizes in row.row.sizes.values() for name in sizes}
    for last in dict.fromkeys(grouped.values()):
        names = [name for name, other in grouped.items() if other == last]
        merged = _Merged.of(program, names, named)
        program = program if merged is None else merged.program()
    return program


class _Merged:
    """One kernel whose values have the axes ``behind`` as one."""

    def __init__(self, program: Program, names: Sequence[str], behind: Shape) -> None:
        self.before, self.names, self.behind = program, set(names), behind
        self.defining = {op.result.name: op for op in program.ops}
        self.free = FreeNames(program)
        size = reduce(mul, behind)
        named = next((name for name in reversed(names) if name in program.spoken), names[-1])
        span = self.defining[named].span
        self.dim: Dim = dim_of_size(program, Axes(program), size, self.free.take(f"{named}_columns"), span)
        self.flat: dict[str, Value] = {}
        """By name of a value that the kernel reads, its view with one axis."""

    @staticmethod
    def of(program: Program, names: Sequence[str], named: set[str]) -> _Merged | None:
        """With as many axes as can be merged; None where there are not two."""
        axes = Axes(program)
        ops = [op for op in program.ops if op.result.name in names]
        values = [v for op in ops for v in (op.result, *op.operands) if isinstance(v, Value)]
        first = next(op for op in ops if op.kind in REDUCTIONS)
        source = first.operands[0]
        assert isinstance(source, Value)
        for at in range(int(first.attrs["axis"]) + 1, len(source.shape) - 1):
            behind = source.shape[at:]
            dims = {factor.dim for axis in axes.axes(behind) for factor in axis}
            wide = sum(size != 1 for size in behind) > 1
            if wide and not dims & named and all(_has_all_or_none(v.shape, behind) for v in values):
                merged = _Merged(program, names, behind)
                return merged if all(map(merged.lies_in_one_run, values)) else None
        return None

    def lies_in_one_run(self, value: Value) -> bool:
        """Whether the axes of a value lie one after the other, wherever it is read or written."""
        base = root(value.name, self.defining)
        given = next((other for other in self.before.inputs if other.name == base), None)
        if given is not None and (given.layout != "nd" or given.strides):
            return False
        ways = [value_views(self.defining, value.name)]
        for name, output in self.before.outputs:
            if base in self.names and root(output.name, self.defining) == base:
                ways.append(value_views(self.defining, output.name))
                if name in self.before.laid_out or name in self.before.inplace:
                    return False
        return all(view.kind == "reshape" for views in ways for view in views)

    def program(self) -> Program:
        """The program with the axes merged in this kernel."""
        ops: list[Op] = []
        whole: dict[str, Value] = {}
        others = (op.operands for op in self.before.ops if op.result.name not in self.names)
        shown = {v.name for operands in others for v in operands if isinstance(v, Value)}
        shown |= {value.name for _, value in self.before.outputs}
        for op in self.before.ops:
            if op.result.name in self.names:
                operands = tuple(self._flat(v, op, ops) if isinstance(v, Value) else v for v in op.operands)
                result = self._merged(op.result)
                ops.append(replace(op, operands=operands, result=result))
                if op.result.name in shown:
                    whole[op.result.name] = replace(op.result, name=self.free.take(f"{op.result.name}_whole"))
                    ops.append(_reshape(op, result, whole[op.result.name]))
            else:
                operands = tuple(whole.get(v.name, v) if isinstance(v, Value) else v for v in op.operands)
                ops.append(replace(op, operands=operands))
        outputs = tuple((name, whole.get(value.name, value)) for name, value in self.before.outputs)
        return replace(self.before, ops=tuple(ops), outputs=outputs, dims=(*self.before.dims, self.dim))

    def _flat(self, value: Value, op: Op, ops: list[Op]) -> Value:
        """A value as the kernel reads it, by a view that is added to the ``ops`` where there is none yet."""
        base = root(value.name, self.defining)
        made = self._merged(self.defining[base].result) if base in self.names else None
        wanted = self._merged(value)
        if made is not None and wanted.shape == made.shape:
            return made
        if made is None and wanted.shape == value.shape:
            return value
        if value.name not in self.flat:
            self.flat[value.name] = replace(wanted, name=self.free.take(f"{value.name}_flat"))
            ops.append(_reshape(op, made or value, self.flat[value.name]))
        return self.flat[value.name]

    def _merged(self, value: Value) -> Value:
        """A value of that name with one axis in place of those behind; as it is where it has fewer."""
        if len(value.shape) < len(self.behind):
            return value
        around, last = value.shape[: -len(self.behind)], value.shape[-len(self.behind) :]
        size = dim_symbol(self.dim.name) if last == self.behind else last[0]
        return replace(value, shape=(*around, size), layout="nd", strides=())


def _reshape(op: Op, source: Value, result: Value) -> Op:
    return replace(op, kind="reshape", operands=(source,), result=result, attrs={"shape": result.shape})


def _has_all_or_none(shape: Shape, behind: Shape) -> bool:
    """Whether a value has all of the axes, or none: they are of size 1, or it has fewer axes, all of size 1."""
    last = shape[-len(behind) :]
    return last == behind or all(size == 1 for size in last)
