"""An operation that is made of others."""

from __future__ import annotations

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import SAME_FLOAT, operation
from pyptogen.lower.tensor.ir import Value


@operation("half_of(x)", SAME_FLOAT)
def half_of(b: Builder, x: Value) -> Value:
    """x / 2."""
    b.need_float(x, "half_of")
    return b.binary("mul", x, b.scalar(0.5))
