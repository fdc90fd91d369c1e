"""Dynamic dims of a call, from the shapes of its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from pyptogen.diagnostics import fault
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.numerics.operations import Array


def _laid_out(value: Value, array: Array) -> tuple[int, ...]:
    """The shape of an array, and, where its rows may lie apart, its strides in elements."""
    return (*array.shape, *(step // array.itemsize for step in array.strides if value.strides))


def bind_dims(program: Program, dims: DimTable, arrays: Mapping[str, Array]) -> dict[Any, Any]:
    """Dynamic dims by symbol, from the arrays' shapes. Raises PTG402 or PTG405."""
    sizes: dict[Any, Any] = {}
    equations = []
    for value in program.inputs:
        shape = arrays[value.name].shape
        if len(shape) != len(value.shape):
            raise fault("PTG402", f"`{value.name}` has rank {len(shape)}, not {len(value.shape)}", value.span)
        extents = zip((*value.shape, *value.strides), _laid_out(value, arrays[value.name]), strict=True)
        equations += [(value, axis, dims.resolve(s), n) for axis, (s, n) in enumerate(extents)]
    equations.sort(key=lambda item: (not item[2].is_Symbol, len(item[2].free_symbols)))
    for value, axis, size, got in equations:
        if size.is_Symbol and size not in sizes and got > 0:  # most are, and to solve an equation takes milliseconds
            sizes[size] = sympy.Integer(got)
            continue
        left = size.xreplace(sizes)
        unknown = sorted(left.free_symbols, key=str)
        if len(unknown) == 1:
            solved = [s for s in sympy.solve(left - got, unknown[0]) if s.is_Integer]
            if solved:
                sizes[unknown[0]] = solved[0]
                continue
        if left != got:
            raise fault(
                "PTG405",
                f"axis {axis} of `{value.name}` is {got}, and {(*value.shape, *value.strides)[axis]} is {left}",
                value.span,
                expected="arrays whose shapes agree",
            )
    return sizes
