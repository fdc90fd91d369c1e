"""Rotary position embedding: pairs of elements rotated by angles."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.registry import SAME_FLOAT, operation
from pyptogen.lower.tensor.ir import Value


@operation(
    "rope(x, cos, sin, interleaved: flag = False, inverse: flag = False)",
    f"{SAME_FLOAT}; the last axis of cos and sin is that of x, the others broadcast",
    "rope(x, z, z)",
)
def rope(b: Builder, x: Value, cos: Value, sin: Value, interleaved: bool, inverse: bool) -> Value:
    """concat(x1 * cos1 - x2 * sin1, x2 * cos2 + x1 * sin2) of the halves of the last axis, or of its elements of even
    and odd index where interleaved; inverse rotates back (sin with its sign changed)."""
    length = _check(b, x, cos, sin)
    split = _pairs if interleaved else _halves
    half = length / 2
    x1, x2 = split(b, x, half, length, "x")
    c1, c2 = split(b, cos, half, length, "cos")
    s1, s2 = split(b, sin, half, length, "sin")
    low_kind, high_kind = ("add", "sub") if inverse else ("sub", "add")
    low = b.binary(low_kind, b.binary("mul", x1, c1, hint="x1c1"), b.binary("mul", x2, s1, hint="x2s1"), hint="low")
    high = b.binary(high_kind, b.binary("mul", x2, c2, hint="x2c2"), b.binary("mul", x1, s2, hint="x1s2"), hint="high")
    if not interleaved:
        return b.cast(b.concat([low, high], -1, hint="roped"), x.dtype, hint="rope")
    narrow = [b.cast(part, x.dtype, hint=hint) for part, hint in ((low, "even"), (high, "odd"))]
    columns = [b.reshape(part, (*part.shape, sympy.Integer(1)), "column") for part in narrow]
    return b.reshape(b.concat(columns, -1, hint="rope"), (*low.shape[:-1], length))


def _check(b: Builder, x: Value, cos: Value, sin: Value) -> Any:
    """The size of the last axis. Raises PTG205, PTG206."""
    for name, value in (("rope", x), ("cos", cos), ("sin", sin)):
        b.need_float(value, name)
    length = x.shape[b.axis(x, -1)]
    for name, table in (("cos", cos), ("sin", sin)):
        if not table.shape or not b.dims.equal(table.shape[-1], length):
            raise b.fault(
                "PTG205",
                f"`{name}` has the shape {show_shape(table.shape)}, x has {show_shape(x.shape)}",
                expected=f"{show_size(length)} as the last axis of both",
            )
    if not b.dims.resolve(length / 2).is_integer:
        raise b.fault("PTG205", f"rope of an axis of size {show_size(length)}", expected="an even size")
    return length


def _halves(b: Builder, value: Value, half: Any, length: Any, name: str) -> tuple[Value, Value]:
    wide = b.cast(value, "fp32", hint=name)
    return b.slice(wide, -1, 0, half, hint=f"{name}1"), b.slice(wide, -1, half, length, hint=f"{name}2")


def _pairs(b: Builder, value: Value, half: Any, length: Any, name: str) -> tuple[Value, Value]:
    """The elements of even index, and those of odd index: gathered where they lie, and widened then."""
    shape = (*value.shape[:-1], half)
    pairs = b.reshape(value, (*shape, sympy.Integer(2)), f"{name}_pairs")
    even, odd = (b.reshape(b.slice(pairs, -1, at, at + 1), shape) for at in (0, 1))
    return b.cast(even, "fp32", hint=f"{name}1"), b.cast(odd, "fp32", hint=f"{name}2")
