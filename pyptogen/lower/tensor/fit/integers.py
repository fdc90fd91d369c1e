"""Division of whole numbers, which a platform may know for floats alone."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from pyptogen.lower.tensor.fit.arithmetic import compare
from pyptogen.lower.tensor.fit.fitter import INTEGERS, Fitter, Rule
from pyptogen.lower.tensor.ir import Op, Operand, Scalar, Value


def floor_div(f: Fitter, op: Op) -> Value:
    """The quotient rounded down, 0 where the divisor is 0. The sign of a number that only a call knows is one too: the
    caller's processor computes it.

    Numbers of up to 16 bits: floor(a / b) in fp32, which is exact, because a / b is no nearer to a whole number than
    2^-16 of it. Numbers of 32 bits: the same twice, the second time on what the first left, and a step by one where the
    rest is outside 0 .. b. Numbers of 64 bits: by an instruction whose quotients are toward zero. By a power of two: a
    shift.
    """
    a, b = (f.operand(operand) for operand in op.operands)
    dtype = op.result.dtype
    bits = _power_of_two(b)
    if bits is not None and isinstance(a, Value) and dtype in INTEGERS:
        return _shifted(f, op, a, bits)
    if dtype == "int64" and f.takes("TDIV", dtype):
        quotient = _lowered(f, op, a, b)
    elif dtype == "int32":
        quotient = _long(f, op, a, b)
    elif dtype in ("int8", "uint8", "int16", "uint16"):
        quotient = f.cast(_floored(f, op, a, b), dtype)
    else:
        raise f.refused(f"floor_div takes no {dtype} on {f.platform.name}")
    if isinstance(b, Value):
        return _unless_zero(f, op, b, quotient)
    if b.expr.is_nonzero:
        return quotient
    there = f.scalar(sympy.Min(sympy.Abs(b.expr), 1), op)
    wide = f.compute_dtype("TMULS", quotient.dtype)
    return f.cast(f.binary("mul", f.cast(quotient, wide), there, op.result.shape, "safe"), op.result.dtype)


def _power_of_two(b: Operand) -> int | None:
    """The n of a divisor that is 2^n."""
    if isinstance(b, Value) or not b.expr.is_Integer or b.expr <= 0 or int(b.expr).bit_count() > 1:
        return None
    return int(b.expr).bit_length() - 1


def _shifted(f: Fitter, op: Op, a: Value, bits: int) -> Value:
    """``a`` without its last bits: rounded down, of negative numbers too."""
    if not bits:
        return a
    wide = f.compute_dtype("TSHRS", a.dtype)
    return f.cast(f.binary("bitwise_right_shift", f.cast(a, wide), f.scalar(bits, op), op.result.shape), a.dtype)


def _lowered(f: Fitter, op: Op, a: Operand, b: Operand) -> Value:
    """A quotient toward zero, less one where something is left that has not the sign of the divisor."""
    shape, dtype, zero = op.result.shape, op.result.dtype, f.scalar(0, op)
    quotient = f.binary("div", a, b, shape, "quotient")
    left = f.difference(a, f.binary("mul", quotient, b, shape, "taken"), shape, "left")
    if isinstance(b, Scalar) and (b.expr.is_positive or b.expr.is_negative):
        less = compare(f, "lt" if b.expr.is_positive else "gt", left, zero, op)
    else:
        negated = compare(f, "lt", left, zero, op)
        apart = compare(f, "ne", negated, compare(f, "lt", _tensor(f, op, b), zero, op), op)
        less = f.binary("mul", apart, compare(f, "ne", left, zero, op), shape, "less")
    return f.difference(quotient, f.cast(less, dtype), shape)


def _tensor(f: Fitter, op: Op, x: Operand) -> Value:
    """An operand as a tensor."""
    return (
        x
        if isinstance(x, Value)
        else f.emit("full", [], op.result.dtype, op.result.shape, "every", attrs={"value": x.expr})
    )


def _unless_zero(f: Fitter, op: Op, b: Value, quotient: Value) -> Value:
    zero = compare(f, "eq", b, f.scalar(0, op), op)
    wide = f.compute_dtype("TSEL", quotient.dtype)
    chosen = f.emit("where", [zero, f.scalar(0, op), f.cast(quotient, wide)], wide, op.result.shape, "safe")
    return f.cast(chosen, op.result.dtype)


def _floored(f: Fitter, op: Op, a: Operand, b: Operand) -> Value:
    """floor(a / b) as fp32."""
    over, under = (f.cast(v, "fp32") if isinstance(v, Value) else v for v in (a, b))
    ratio = f.binary("div", over, under, op.result.shape, "ratio")
    return f.convert(ratio, "fp32", "floor", "floored")


def _long(f: Fitter, op: Op, a: Operand, b: Operand) -> Value:
    shape = op.result.shape
    left, quotient = a, None
    for step in ("first", "second"):
        part = f.cast(_floored(f, op, left, b), "int32")
        left = f.difference(left, f.binary("mul", part, b, shape, f"{step}_taken"), shape, f"{step}_left")
        quotient = part if quotient is None else f.binary("add", quotient, part, shape, "sum")
    assert quotient is not None
    left, size = _turned_to_positive(f, op, left, b)
    below = f.cast(compare(f, "lt", left, f.scalar(0, op), op), "int32")
    above = f.cast(compare(f, "ge", left, size, op), "int32")
    return f.binary("add", f.binary("sub", quotient, below, shape, "lowered"), above, shape)


def _turned_to_positive(f: Fitter, op: Op, left: Operand, b: Operand) -> tuple[Value, Operand]:
    """What is left and the divisor, both with the sign that makes the divisor positive."""
    shape = op.result.shape
    assert isinstance(left, Value)
    if isinstance(b, Scalar):
        if b.expr.is_positive:  # a number, or a size: dims are positive
            return left, b
        sign = sympy.Integer(-1) if b.expr.is_negative else sympy.Max(sympy.Min(b.expr, 1), -1)
        return f.binary("mul", left, f.scalar(sign, op), shape, "negated"), Scalar(sympy.Abs(b.expr), b.span)
    negative = f.cast(compare(f, "lt", b, f.scalar(0, op), op), "int32")
    sign = f.difference(f.scalar(1, op), f.binary("mul", negative, f.scalar(2, op), shape, "two"), shape, "sign")
    return f.binary("mul", left, sign, shape, "negated"), f.binary("mul", b, sign, shape, "size")


STEPS: Mapping[str, int] = {"int8": 12, "uint8": 14, "int16": 24, "uint16": 25, "int32": 47}
"""Iterations that Euclid's algorithm takes at the most: one more than for neighbouring Fibonacci numbers, which take
longest, in case the lesser number comes first."""


def gcd(f: Fitter, op: Op) -> Value:
    """Euclid's algorithm on all elements at once: (a, b) becomes (b, a mod b), and stays once b is 0. Numbers of up to
    16 bits in fp32, where their quotients are exact."""
    dtype, shape = op.result.dtype, op.result.shape
    if dtype not in STEPS:
        raise f.refused(f"gcd takes no {dtype} on {f.platform.name}")
    wide = "int32" if dtype == "int32" else "fp32"
    zeros = f.emit("full", [], wide, shape, "zeros", {"value": f.scalar(0, op).expr})
    starts = []
    for operand in op.operands:
        value = f.operand(operand)
        value = f.cast(value, wide) if isinstance(value, Value) else value
        every = f.binary("add", zeros, value, shape, "every")
        starts.append(
            f.binary("maximum", every, f.binary("mul", every, f.scalar(-1, op), shape, "negated"), shape, "size")
        )

    def step(a: Value, b: Value) -> tuple[Value, Value]:
        done = compare(f, "eq", b, f.scalar(0, op), op)
        whole = _long(f, f.at, a, b) if wide == "int32" else _floored(f, op, a, b)
        rest = f.binary("sub", a, f.binary("mul", whole, b, shape, "taken"), shape, "rest")
        last = f.emit("where", [done, a, b], wide, shape, "last")
        return last, f.emit("where", [done, f.scalar(0, op), rest], wide, shape, "next")

    found, _ = f.repeated("gcd", STEPS[dtype], starts, step)
    return found if dtype == "int32" else f.wrapped(f.cast(found, "int32"), dtype)


RULES: Mapping[str, Rule] = {"floor_div": floor_div, "gcd": gcd}
