"""Slices with a step, `x[a:b:s]`, made of views; windows that may overlap.

before: x[1:9:2]                               x[::2] of 5 elements
after:  reshape(x[1:9], [4, 2])[:, 0]          concat(reshape(x[0:4], [2, 2])[:, 0], x[4:5])
"""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.ir import Value


def run(b: Builder, x: Value, axis: int, start: Any, stop: Any, step: int) -> Value:
    """Every ``step``-th element of an axis from ``start`` to before ``stop``. Raises PTG205."""
    whole = b.slice(x, axis, start, stop)
    if step == 1:
        return whole
    count = _steps(b, stop - start, step)
    if b.dims.is_one(count):
        return b.slice(x, axis, start, start + 1)
    missing = b.dims.resolve(start + count * step - x.shape[axis])
    if b.dims.nonnegative(-missing):
        return _groups(b, x, axis, start, count, step, 0)
    if missing.is_Integer and b.dims.nonnegative(start - missing):
        return _groups(b, x, axis, start - missing, count, step, int(missing))
    last = start + (count - 1) * step
    front = b.slice(x, axis, start, start + 1) if b.dims.is_one(count - 1) else None
    front = front or _groups(b, x, axis, start, count - 1, step, 0)
    return b.concat([front, b.slice(x, axis, last, last + 1)], axis, hint="every")


def unfold(b: Builder, x: Value, axis: int, size: int, step: int, dilation: int, hint: str = "") -> Value:
    """Windows of ``size`` elements, ``dilation`` apart, one every ``step`` elements of an axis: the axis counts the
    windows, a new last one their elements. The axis has room for one. Raises PTG205."""
    if size == step == 1:
        return b.reshape(x, (*x.shape, sympy.Integer(1)), hint)
    count = _steps(b, x.shape[axis] - dilation * (size - 1), step)
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :], sympy.Integer(size))
    return b.emit("unfold", [x], x.dtype, shape, hint, axis=axis, step=step, dilation=dilation)


def _steps(b: Builder, length: Any, step: int) -> Any:
    """ceil(length / step). Raises PTG205 where that is no polynomial of dims."""
    if step == 1:
        return length
    known = b.dims.resolve(length)
    count = _count(sympy.expand(length), step) if known.free_symbols else sympy.ceiling(known / step)
    count = _count(known, step) if count is None else count
    if count is None:
        raise b.fault(
            "PTG205",
            f"a step of {step} along {show_size(known)} elements: how many are left is no sum of products of dims",
            expected=f"a length that is a multiple of {step}, but for a number",
            fix=f"write the size as `{step} * name` with a dim `name`",
        )
    return count


def _count(length: Any, step: int) -> Any | None:
    """ceil(length / step), where that is a polynomial of dims."""
    number, rest = length.as_coeff_Add()
    groups = sympy.expand(rest / step)
    whole = all(coefficient.is_integer for coefficient in groups.as_coefficients_dict().values())
    return groups + sympy.ceiling(number / step) if whole and number.is_integer else None


def _groups(b: Builder, x: Value, axis: int, start: Any, count: Any, step: int, offset: int) -> Value:
    """Element ``offset`` of ``count`` groups of ``step`` elements."""
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    whole = b.slice(x, axis, start, start + count * step)
    groups = b.reshape(whole, (*before, count, sympy.Integer(step), *after), "groups")
    return b.reshape(b.slice(groups, axis + 1, offset, offset + 1), (*before, count, *after))
