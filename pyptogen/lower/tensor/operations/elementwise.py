"""Elementwise operations, casts, and tensors of one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.ir import Operand, Shape, Value
from pyptogen.lower.tensor.registry import operation
from pyptogen.lower.tensor.rules import FLOATS

_UNARY = {
    "neg": "The negative, -x.",
    "abs": "The absolute value.",
    "exp": "e to the power of x.",
    "log": "The natural logarithm.",
    "sqrt": "The square root.",
    "rsqrt": "1 / sqrt(x).",
    "reciprocal": "1 / x.",
    "relu": "max(x, 0).",
}
_BINARY = {
    "add": "a + b.",
    "sub": "a - b.",
    "mul": "a * b.",
    "div": "a / b.",
    "maximum": "The greater of a and b.",
    "minimum": "The lesser of a and b.",
}


def _unary(kind: str, doc: str) -> None:
    def expand(b: Builder, x: Value) -> Value:
        return b.unary(kind, x)

    expand.__doc__ = doc
    operation(f"{kind}(x)")(expand)


def _binary(kind: str, doc: str) -> None:
    def expand(b: Builder, left: Operand, right: Operand) -> Value:
        return b.binary(kind, left, right)

    expand.__doc__ = doc
    operation(f"{kind}(a: operand, b: operand)")(expand)


def _register(families: tuple[tuple[dict[str, str], Callable[[str, str], None]], ...]) -> None:
    for names, register in families:
        for kind, doc in names.items():
            register(kind, doc)


_register(((_UNARY, _unary), (_BINARY, _binary)))


@operation("cast(x, dtype: dtype, mode: mode = rint, saturate: flag = True)")
def cast(b: Builder, x: Value, dtype: str, mode: str, saturate: bool) -> Value:
    """x in another dtype. Modes none, rint, round, floor, ceil, trunc, odd; NaN becomes 0 in integers."""
    if dtype in FLOATS and x.dtype in FLOATS and mode not in {"none", "rint"}:
        raise b.fault(
            "PTG109",
            f"casts between floats with mode={mode} are not supported yet",
            expected="mode=rint or mode=none",
        )
    if mode == "odd" and dtype not in FLOATS:
        raise b.fault("PTG215", f"mode=odd has no meaning for a cast to {dtype}", expected="a cast between floats")
    return b.cast(x, dtype, mode, saturate)


@operation("clip(x, min: operand, max: operand)")
def clip(b: Builder, x: Value, low: Operand, high: Operand) -> Value:
    """minimum(maximum(x, min), max)."""
    return b.binary("minimum", b.binary("maximum", x, low), high)


@operation("square(x)")
def square(b: Builder, x: Value) -> Value:
    """x * x."""
    return b.binary("mul", x, x)


@operation("full(shape: shape, value: scalar, dtype: dtype = fp32)")
def full(b: Builder, shape: Shape, value: Any, dtype: str) -> Value:
    """A tensor of one value."""
    return b.full(shape, value, dtype)


@operation("zeros(shape: shape, dtype: dtype = fp32)")
def zeros(b: Builder, shape: Shape, dtype: str) -> Value:
    """A tensor of zeros."""
    return b.full(shape, 0, dtype)


@operation("ones(shape: shape, dtype: dtype = fp32)")
def ones(b: Builder, shape: Shape, dtype: str) -> Value:
    """A tensor of ones."""
    return b.full(shape, 1, dtype)
