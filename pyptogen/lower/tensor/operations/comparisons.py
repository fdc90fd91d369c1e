"""Comparison, logic, bits, and selection by a condition."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import BROADCAST, SAME, operation
from pyptogen.lower.tensor.ir import Operand, Value

_TRUTH = "shapes broadcast as in NumPy; a and b have one dtype; the result is bool"
_COMPARISONS = {
    "lt": ("lt", "a < b."),
    "le": ("le", "a <= b."),
    "gt": ("gt", "a > b."),
    "ge": ("ge", "a >= b."),
    "eq": ("eq", "a == b."),
    "ne": ("ne", "a != b."),
    "greater": ("gt", "a > b, as gt."),
}
_BITS = {
    "bitwise_and": "The bits that a and b have both.",
    "bitwise_or": "The bits that a or b has.",
    "bitwise_xor": "The bits that one of a and b has.",
    "bitwise_left_shift": "a * 2**b, bits beyond the dtype are lost.",
    "bitwise_right_shift": "a // 2**b, the sign stays.",
}


def _comparison(name: str, kind: str, doc: str) -> None:
    def expand(b: Builder, left: Operand, right: Operand) -> Value:
        return b.binary(kind, left, right)

    expand.__doc__ = doc
    operation(f"{name}(a: operand, b: operand)", _TRUTH)(expand)


def _bits(kind: str, doc: str) -> None:
    def expand(b: Builder, left: Operand, right: Operand) -> Value:
        return b.binary(kind, left, right)

    expand.__doc__ = doc
    dtypes = "integers" if kind.endswith("shift") else "integers or bool"
    example = f"{kind}(x, 2)" if kind.endswith("shift") else ""
    operation(f"{kind}(a: operand, b: operand)", f"{BROADCAST}; {dtypes}", example)(expand)


for _name, (_kind, _doc) in _COMPARISONS.items():
    _comparison(_name, _kind, _doc)
for _name, _doc in _BITS.items():
    _bits(_name, _doc)


@operation("bitwise_not(x)", f"{SAME}, integers or bool")
def bitwise_not(b: Builder, x: Value) -> Value:
    """All bits inverted; of bool, the opposite."""
    return b.unary("bitwise_not", x)


@operation("logical_not(x)", "shape of x; bool")
def logical_not(b: Builder, x: Value) -> Value:
    """x == 0; of bool, the opposite."""
    return b.unary("bitwise_not", x) if x.dtype == "bool" else b.binary("eq", x, b.scalar(0))


@operation("logical_and(a, b)", "shapes broadcast as in NumPy; bool")
def logical_and(b: Builder, left: Value, right: Value) -> Value:
    """a != 0 and b != 0."""
    return b.binary("bitwise_and", _truth(b, left), _truth(b, right))


@operation("logical_or(a, b)", "shapes broadcast as in NumPy; bool")
def logical_or(b: Builder, left: Value, right: Value) -> Value:
    """a != 0 or b != 0."""
    return b.binary("bitwise_or", _truth(b, left), _truth(b, right))


@operation(
    "where(condition, a: operand, b: operand)",
    "the three broadcast as in NumPy; condition is bool, a and b have one dtype, which the result has; two numbers are "
    "fp32",
    "where(x > 0, x, z)",
)
def where(b: Builder, condition: Value, left: Operand, right: Operand) -> Value:
    """a where the condition holds, else b."""
    return selection.where(b, condition, left, right)


@operation("isnan(x)", "shape of x, a float; bool")
def isnan(b: Builder, x: Value) -> Value:
    """x != x."""
    b.need_float(x, "isnan")
    return b.binary("ne", x, x)


@operation("isfinite(x)", "shape of x, a float; bool")
def isfinite(b: Builder, x: Value) -> Value:
    """abs(x) < inf."""
    b.need_float(x, "isfinite")
    return b.binary("lt", b.unary("abs", x, hint="abs"), b.scalar(sympy.oo))


@operation("signbit(x)", "shape of x, a float; bool")
def signbit(b: Builder, x: Value) -> Value:
    """where(x == 0, 1 / x, x) < 0: true for negative numbers and -0, false for NaN."""
    b.need_float(x, "signbit")
    return negative(b, x)


def negative(b: Builder, x: Value) -> Value:
    """Whether the sign of a float is set; NaN has none."""
    zero = b.binary("eq", x, b.scalar(0), hint="zero")
    shown = selection.where(b, zero, b.unary("reciprocal", x, hint="infinite"), x, hint="shown")
    return b.binary("lt", shown, b.scalar(0), hint="negative")


@operation("sign(x)", f"{SAME}, signed")
def sign(b: Builder, x: Value) -> Value:
    """where(x > 0, 1, where(x < 0, -1, x)): 0 and NaN stay."""
    below = selection.where(b, b.binary("lt", x, b.scalar(0), hint="below"), b.scalar(-1), x, hint="down")
    return selection.where(b, b.binary("gt", x, b.scalar(0), hint="above"), b.scalar(1), below)


@operation("copysign(a, b)", f"{BROADCAST}, a float")
def copysign(b: Builder, left: Value, right: Value) -> Value:
    """where(signbit(b), -abs(a), abs(a))."""
    b.need_float(left, "copysign")
    size = b.unary("abs", left, hint="abs")
    return selection.where(b, negative(b, right), b.unary("neg", size, hint="negated"), size)


@operation("triu(x, diagonal: int = 0)", SAME)
def triu(b: Builder, x: Value, diagonal: int) -> Value:
    """x on and above a diagonal of its last two axes, 0 elsewhere."""
    return _triangle(b, x, "ge", diagonal)


@operation("tril(x, diagonal: int = 0)", SAME)
def tril(b: Builder, x: Value, diagonal: int) -> Value:
    """x on and below a diagonal of its last two axes, 0 elsewhere."""
    return _triangle(b, x, "le", diagonal)


def _triangle(b: Builder, x: Value, kind: str, diagonal: int) -> Value:
    if len(x.shape) < 2:
        raise b.fault("PTG204", f"a triangle of a tensor of rank {len(x.shape)}", expected="at least two axes")
    if x.dtype == "bool":
        raise b.fault("PTG206", "a triangle of bool", expected="numbers")
    rows, columns = x.shape[-2:]
    row = b.positions((rows, sympy.Integer(1)), 0, "row", in_block=True)
    distance = b.binary("sub", b.positions((columns,), 0, "column", in_block=True), row, hint="distance")
    return selection.where(b, b.binary(kind, distance, b.scalar(diagonal), hint="inside"), x, b.scalar(0))


def _truth(b: Builder, x: Value) -> Value:
    return x if x.dtype == "bool" else b.binary("ne", x, b.scalar(0), hint="true")
