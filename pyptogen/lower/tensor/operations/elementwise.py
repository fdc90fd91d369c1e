"""Elementwise arithmetic and casts."""

from __future__ import annotations

from collections.abc import Callable

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import BROADCAST, SAME, SAME_FLOAT, operation
from pyptogen.lower.tensor.building.rules import FLOATS, FP4, FP8
from pyptogen.lower.tensor.ir import PACKED, Operand, Value

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
_UNARY_RULES = dict.fromkeys(("neg", "abs", "relu"), f"{SAME}, signed")
_POSITIVE = {kind: f"{kind}(z)" for kind in ("log", "sqrt", "rsqrt")}
_BINARY_DTYPES = {"div": "floats"}


def _unary(kind: str, doc: str) -> None:
    def expand(b: Builder, x: Value) -> Value:
        return b.unary(kind, x)

    expand.__doc__ = doc
    operation(f"{kind}(x)", _UNARY_RULES.get(kind, SAME_FLOAT), _POSITIVE.get(kind, ""))(expand)


def _binary(kind: str, doc: str) -> None:
    def expand(b: Builder, left: Operand, right: Operand) -> Value:
        return b.binary(kind, left, right)

    expand.__doc__ = doc
    operation(f"{kind}(a: operand, b: operand)", f"{BROADCAST}; {_BINARY_DTYPES.get(kind, 'numbers')}")(expand)


def _register(families: tuple[tuple[dict[str, str], Callable[[str, str], None]], ...]) -> None:
    for names, register in families:
        for kind, doc in names.items():
            register(kind, doc)


_register(((_UNARY, _unary), (_BINARY, _binary)))


@operation(
    "cast(x, dtype: dtype, mode: mode = rint, saturate: flag = True)",
    "shape of x; the given dtype",
    "cast(x, int8, mode=rint)",
)
def cast(b: Builder, x: Value, dtype: str, mode: str, saturate: bool) -> Value:
    """x in another dtype. Modes none, rint, round, floor, ceil, trunc, odd; NaN becomes 0 in integers."""
    narrow, floats = (FP8 | {FP4}) & {dtype, x.dtype}, FLOATS | FP8 | {FP4}
    if dtype in floats and (x.dtype in floats or narrow) and mode not in {"none", "rint"}:
        raise b.fault(
            "PTG109",
            f"casts between floats with mode={mode} are not supported yet",
            expected="mode=rint or mode=none",
        )
    if dtype in FP8 | PACKED and not saturate:
        raise b.fault("PTG109", f"casts to {dtype} with saturate=false are not supported yet", expected="saturate=true")
    if mode == "odd" and dtype not in FLOATS:
        raise b.fault("PTG215", f"mode=odd has no meaning for a cast to {dtype}", expected="a cast between floats")
    return b.cast(x, dtype, mode, saturate)


@operation("clip(x, min: operand, max: operand)", f"{BROADCAST}; numbers", "clip(x, -0.5, 0.25)")
def clip(b: Builder, x: Value, low: Operand, high: Operand) -> Value:
    """minimum(maximum(x, min), max)."""
    return b.binary("minimum", b.binary("maximum", x, low), high)


@operation("square(x)", SAME)
def square(b: Builder, x: Value) -> Value:
    """x * x."""
    return b.binary("mul", x, x)


@operation("axpy(y, x, alpha: operand)", BROADCAST, "axpy(x, z, 0.5)")
def axpy(b: Builder, y: Value, x: Value, alpha: Operand) -> Value:
    """y + x * alpha."""
    return b.binary("add", y, b.binary("mul", x, alpha, hint="scaled"))


@operation("expand_exp_dif(a: operand, b: operand)", f"{BROADCAST}, a float")
def expand_exp_dif(b: Builder, left: Operand, right: Operand) -> Value:
    """exp(a - b)."""
    return b.unary("exp", b.binary("sub", left, right, hint="difference"))


@operation("hypot(a, b)", f"{BROADCAST}, a float")
def hypot(b: Builder, left: Value, right: Value) -> Value:
    """sqrt(a * a + b * b): squares may overflow."""
    squares = b.binary("mul", left, left, hint="aa"), b.binary("mul", right, right, hint="bb")
    return b.unary("sqrt", b.binary("add", *squares, hint="total"))
