"""Reductions over one axis."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.ir import Value
from pyptogen.lower.tensor.registry import operation


@operation("sum(x, axis: int = -1, keepdim: flag = False)")
def sum_(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The sum over an axis."""
    return b.reduce("sum", x, axis, keepdim)


@operation("amax(x, axis: int = -1, keepdim: flag = False)")
def amax(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The greatest element along an axis."""
    return b.reduce("amax", x, axis, keepdim)


@operation("amin(x, axis: int = -1, keepdim: flag = False)")
def amin(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The least element along an axis."""
    return b.reduce("amin", x, axis, keepdim)


@operation("mean(x, axis: int = -1, keepdim: flag = False)")
def mean(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The sum over an axis of x * (1 / size)."""
    b.need_float(x, "mean")
    share = b.scalar(sympy.Integer(1) / x.shape[b.axis(x, axis)])
    return b.reduce("sum", b.binary("mul", x, share), axis, keepdim)
