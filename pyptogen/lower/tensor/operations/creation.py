"""Tensors from numbers."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.registry import operation
from pyptogen.lower.tensor.ir import Shape, Value

_GIVEN = "the given shape and dtype"


@operation("full(shape: shape, value: scalar, dtype: dtype = fp32)", _GIVEN, "full([t, d], 1, dtype=$dtype)")
def full(b: Builder, shape: Shape, value: Any, dtype: str) -> Value:
    """A tensor of one value."""
    return b.full(shape, value, dtype)


@operation("zeros(shape: shape, dtype: dtype = fp32)", _GIVEN, "zeros([t, d], dtype=$dtype)")
def zeros(b: Builder, shape: Shape, dtype: str) -> Value:
    """A tensor of zeros."""
    return b.full(shape, 0, dtype)


@operation("ones(shape: shape, dtype: dtype = fp32)", _GIVEN, "ones([t, d], dtype=$dtype)")
def ones(b: Builder, shape: Shape, dtype: str) -> Value:
    """A tensor of ones."""
    return b.full(shape, 1, dtype)


@operation(
    "arange(start: scalar, stop: scalar = None, step: scalar = 1, dtype: dtype = int32)",
    "[ceil((stop - start) / step)]; the given dtype",
    "arange(d, dtype=$dtype)",
)
def arange(b: Builder, start: Any, stop: Any, step: Any, dtype: str) -> Value:
    """start, start + step, … before stop; with one number, from 0 to before it."""
    if stop is None:
        start, stop = sympy.Integer(0), start
    size = sympy.ceiling((stop - start) / step) if b.dims.resolve(step) != 0 else sympy.Integer(0)
    if not b.dims.nonnegative(size - 1):
        raise b.fault(
            "PTG215",
            f"a range from {show_size(start)} to {show_size(stop)} in steps of {show_size(step)}",
            expected="at least one number, for every size in range",
        )
    return selection.arange(b, size, start, step, dtype)
