"""Pass: a size that loops have to cut, and that is no dim, becomes one.

before: g = reshape(x: [n, c, hw], [n * 8, 12 * hw])              hw known at run time
after:  dim g_cols = 12 * hw;  g: [8 * n, g_cols]

Such are sizes that are known at run time only, sums of dims on axes that are not the last, because a tile has rows of
one dim, and those that an operation asks for (``cut``: the windows of a convolution). Afterwards every factor of an
axis that loops may have to cut has a name. A size that is no polynomial in the dims stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.refusal import Refusal, asked
from pyptogen.lower.tensor.ir import Dim, Op, Operand, Program, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.records import replace


def run(program: Program) -> Program:
    """The program with a dim for each such size of what is computed; the program itself where there is none."""
    named = _Names(program)
    ops = tuple(map(named.op, program.ops))
    if not named.dims:
        return program
    return replace(
        program,
        dims=(*program.dims, *named.dims.values()),
        outputs=tuple((name, named.value(value)) for name, value in program.outputs),
        ops=ops,
    )


def dim_of_size(program: Program, axes: Axes, size: Any, name: str, span: Span) -> Dim:
    """A dim of a size that is made of others."""
    poly = axes.poly(size)
    ends = [poly.evaluate({dim.name: getattr(dim, end) for dim in program.dims}) for end in ("min", "max")]
    low, high = max(1, min(ends)), max(ends)
    static = low if low == high else None
    return Dim(name, static, low, high, static or 1, None if static else size, span)


class _Names:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.axes = Axes(program)
        self.computed = {op.result.name for op in program.ops}
        self.names = FreeNames(program)
        self.asked = {size for op in program.ops for size in op.attrs.get("cut", ()) if not size.is_Symbol}
        self.dims: dict[Any, Dim] = {}
        """By size."""

    def op(self, op: Op) -> Op:
        operands: tuple[Operand, ...] = tuple(self.value(v) if isinstance(v, Value) else v for v in op.operands)
        if op.loop:
            return replace(op, operands=operands)
        result = self.value(op.result)
        attrs: Mapping[str, Any] = {**op.attrs, "shape": result.shape} if "shape" in op.attrs else op.attrs
        return replace(op, operands=operands, result=result, attrs=attrs)

    def value(self, value: Value) -> Value:
        return replace(value, shape=self._shape(value)) if value.name in self.computed else value

    def _shape(self, value: Value) -> Shape:
        words = {len(value.shape) - 1: "cols", len(value.shape) - 2: "rows"}
        return tuple(
            self._size(size, f"{value.name}_{words.get(axis, f'axis{axis}')}", value, axis < len(value.shape) - 1)
            for axis, size in enumerate(value.shape)
        )

    def _size(self, size: Any, wanted: str, value: Value, leading: bool) -> Any:
        if size in self.dims:
            return dim_symbol(self.dims[size].name)
        if not self._is_nameless(size) and not (leading and size.is_Add):
            return size
        self.dims[size] = dim_of_size(self.program, self.axes, size, self.names.take(wanted), value.span)
        return dim_symbol(self.dims[size].name)

    def _is_nameless(self, size: Any) -> bool:
        """Whether loops have to cut an axis that is no dim, or one of its factors."""
        if size in self.asked:
            return True
        factors = asked(self.axes.factor, size)
        if isinstance(factors, Refusal):
            return False
        return any(factor.dim is None and factor.extent.constant is None for factor in factors)
