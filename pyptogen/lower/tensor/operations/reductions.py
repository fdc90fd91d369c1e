"""Reductions over one axis or several, and scans along one."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.registry import REDUCED, SAME, operation
from pyptogen.lower.tensor.ir import Value

_PLACE = "shape of x without the axis, with size 1 there where keepdim; int32"

Axes = int | tuple[int, ...]


def _axes(b: Builder, x: Value, axis: Axes) -> list[int]:
    """The axes from the front, in order. Raises PTG204 for one that is named twice, or where none is."""
    found = [b.axis(x, at) for at in (axis if isinstance(axis, tuple) else (axis,))]
    if not found or len(set(found)) < len(found):
        given = ", ".join(map(str, axis)) if isinstance(axis, tuple) else axis
        raise b.fault("PTG204", f"the axes [{given}] of {show_shape(x.shape)}", expected="each axis once, at least one")
    return sorted(found)


def _over(b: Builder, kind: str, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The last axis first: the others stay where they are."""
    for at in reversed(_axes(b, x, axis)):
        x = b.reduce(kind, x, at, keepdim)
    return x


@operation("sum(x, axis: ints = -1, keepdim: flag = False)", REDUCED)
def sum_(b: Builder, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The sum over an axis, or over several."""
    return _over(b, "sum", x, axis, keepdim)


@operation("amax(x, axis: ints = -1, keepdim: flag = False)", REDUCED)
def amax(b: Builder, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The greatest element along an axis, or several."""
    return _over(b, "amax", x, axis, keepdim)


@operation("amin(x, axis: ints = -1, keepdim: flag = False)", REDUCED)
def amin(b: Builder, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The least element along an axis, or several."""
    return _over(b, "amin", x, axis, keepdim)


@operation("mean(x, axis: ints = -1, keepdim: flag = False)", f"{REDUCED}, a float")
def mean(b: Builder, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The sum over an axis, or over several, of x * (1 / size)."""
    b.need_float(x, "mean")
    share = b.scalar(sympy.Integer(1) / b.dims.product(tuple(x.shape[at] for at in _axes(b, x, axis))))
    return _over(b, "sum", b.binary("mul", x, share), axis, keepdim)


@operation("prod(x, axis: ints = -1, keepdim: flag = False)", REDUCED)
def prod(b: Builder, x: Value, axis: Axes, keepdim: bool) -> Value:
    """The product over an axis, or over several."""
    return _over(b, "prod", x, axis, keepdim)


@operation("argmax(x, axis: int = -1, keepdim: flag = False)", _PLACE)
def argmax(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The index of the greatest element along an axis, the first of equal ones."""
    return b.reduce("argmax", x, axis, keepdim)


@operation("argmin(x, axis: int = -1, keepdim: flag = False)", _PLACE)
def argmin(b: Builder, x: Value, axis: int, keepdim: bool) -> Value:
    """The index of the least element along an axis, the first of equal ones."""
    return b.reduce("argmin", x, axis, keepdim)


@operation("var(x, axis: int = -1, correction: int = 1, keepdim: flag = False)", f"{REDUCED}, a float")
def var(b: Builder, x: Value, axis: int, correction: int, keepdim: bool) -> Value:
    """c = x - sum(x * (1 / size)); sum(c * c) * (1 / (size - correction)), in fp32."""
    b.need_float(x, "var")
    size = x.shape[b.axis(x, axis)]
    if not b.dims.nonnegative(size - correction - 1):
        raise b.fault(
            "PTG205", f"var of {show_size(size)} elements with correction={correction}", expected="size > correction"
        )
    wide = b.cast(x, "fp32", hint="x")
    share = b.scalar(sympy.Integer(1) / size)
    mean_ = b.reduce("sum", b.binary("mul", wide, share, hint="part"), axis, hint="mean")
    centred = b.binary("sub", wide, mean_, hint="c")
    total = b.reduce("sum", b.binary("mul", centred, centred, hint="square"), axis, keepdim, hint="total")
    return b.cast(b.binary("mul", total, b.scalar(sympy.Integer(1) / (size - correction))), x.dtype)


@operation("cumsum(x, axis: int = -1)", f"{SAME}, numbers")
def cumsum(b: Builder, x: Value, axis: int) -> Value:
    """The sums of the elements up to each one along an axis."""
    return selection.scan(b, "cumsum", x, axis)


@operation("cumprod(x, axis: int = -1)", f"{SAME}, numbers")
def cumprod(b: Builder, x: Value, axis: int) -> Value:
    """The products of the elements up to each one along an axis."""
    return selection.scan(b, "cumprod", x, axis)
