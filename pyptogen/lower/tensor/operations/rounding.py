"""Rounding to whole numbers, division and remainders."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import BROADCAST, SAME_FLOAT, operation
from pyptogen.lower.tensor.building.rules import FLOATS
from pyptogen.lower.tensor.ir import Operand, Scalar, Value


@operation("floor(x)", SAME_FLOAT)
def floor(b: Builder, x: Value) -> Value:
    """The greatest whole number that is not above x."""
    return b.unary("floor", x)


@operation("ceil(x)", SAME_FLOAT)
def ceil(b: Builder, x: Value) -> Value:
    """The least whole number that is not below x."""
    return b.unary("ceil", x)


@operation("trunc(x)", SAME_FLOAT)
def trunc(b: Builder, x: Value) -> Value:
    """x without its fraction."""
    return b.unary("trunc", x)


@operation("round(x, decimals: int = 0)", SAME_FLOAT)
def round_(b: Builder, x: Value, decimals: int) -> Value:
    """The nearest number with that many decimals, ties to even: round(x * 10**decimals) / 10**decimals."""
    if not decimals:
        return b.unary("round", x)
    b.need_float(x, "round")
    scale = b.scalar(sympy.Integer(10) ** abs(decimals))
    up, down = ("mul", "div") if decimals > 0 else ("div", "mul")
    wide = b.cast(x, "fp32", hint="x")
    return b.cast(b.binary(down, b.unary("round", b.binary(up, wide, scale, hint="scaled")), scale), x.dtype)


@operation("floor_div(a: operand, b: operand)", f"{BROADCAST}; numbers")
def floor_div(b: Builder, left: Operand, right: Operand) -> Value:
    """The quotient rounded down: of floats floor(a / b), of integers exact."""
    if _dtype(left, right) in FLOATS:
        return b.unary("floor", b.binary("div", left, right, hint="quotient"))
    return b.binary("floor_div", left, right)


@operation("ceil_div(a: operand, b: operand)", f"{BROADCAST}; numbers")
def ceil_div(b: Builder, left: Operand, right: Operand) -> Value:
    """The quotient rounded up: of floats ceil(a / b), of integers -((-a) // b)."""
    if _dtype(left, right) in FLOATS:
        return b.unary("ceil", b.binary("div", left, right, hint="quotient"))
    negated = b.scalar(-left.expr) if isinstance(left, Scalar) else b.unary("neg", left, hint="negated")
    return b.unary("neg", b.binary("floor_div", negated, right, hint="quotient"))


@operation("remainder(a: operand, b: operand)", f"{BROADCAST}; numbers")
def remainder(b: Builder, left: Operand, right: Operand) -> Value:
    """a - floor_div(a, b) * b, with the sign of b."""
    return _left_over(b, left, right, floor_div(b, left, right))


@operation("fmod(a: operand, b: operand)", f"{BROADCAST}, a float")
def fmod(b: Builder, left: Operand, right: Operand) -> Value:
    """a - trunc(a / b) * b, with the sign of a."""
    return _left_over(b, left, right, b.unary("trunc", b.binary("div", left, right, hint="quotient"), hint="whole"))


@operation("gcd(a: operand, b: operand)", f"{BROADCAST}; integers")
def gcd(b: Builder, left: Operand, right: Operand) -> Value:
    """The greatest common divisor."""
    return b.binary("gcd", left, right)


def _dtype(left: Operand, right: Operand) -> str:
    return next(operand.dtype for operand in (left, right) if isinstance(operand, Value))


def _left_over(b: Builder, left: Operand, right: Operand, quotient: Value) -> Value:
    return b.binary("sub", left, b.binary("mul", quotient, right, hint="taken"))
