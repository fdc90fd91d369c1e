"""Casts from and to numbers of two words, and ranges of them."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from pyptogen.lower.tensor.halves.arithmetic import negative, product, select, sum_of
from pyptogen.lower.tensor.halves.halver import HALF, Halver, Pair, Rule
from pyptogen.lower.tensor.halves.words import BITS, TOP
from pyptogen.lower.tensor.ir import Op, Operand, Scalar, Shape, Value

_FLOATS = ("fp32", "fp16", "bf16")
_SMALL = ("int8", "uint8", "int16", "uint16")


def _cast(h: Halver, op: Op) -> Pair | Value:
    source = op.operands[0]
    assert isinstance(source, Value)
    if op.result.dtype == "int64":
        return _widened(h, op, source)
    x, dtype, shape = h.pair(source), op.result.dtype, source.shape
    if dtype == "bool":
        return h.holds("ne", h.value(h.word("bitwise_or", x.low, x.high, "any"), shape), h.number(0))
    if dtype in _FLOATS:
        return h.cast(in_fp32(h, x, shape), dtype)
    if dtype not in (*_SMALL, HALF):
        raise h.refused(f"a cast of int64 to {dtype}")
    if op.attrs["saturate"]:
        whole = h.value(h.narrowed(x), shape)
        return whole if dtype == HALF else h.cast(whole, dtype)
    low = h.value(x.low, shape)
    if dtype == HALF:  # a name of its own
        return h.emit("copy", [low], HALF, shape, "bits")
    return h.cast(low, dtype, saturate=False)


def _widened(h: Halver, op: Op, source: Value) -> Pair:
    """Whole numbers of up to 32 bits and truth values as two words; floats by way of their whole parts."""
    if source.dtype in _FLOATS:
        return _of_float(h, op, source)
    if source.dtype not in (*_SMALL, HALF, "bool"):
        raise h.refused(f"a cast of {source.dtype} to int64")
    low = h.cast(source, HALF, "low")
    return Pair(low, h.number(0) if source.dtype.startswith(("u", "b")) else h.sign(low))


def _of_float(h: Halver, op: Op, source: Value) -> Pair:
    """A float's whole number; beyond 64 bits the extremes, and 0 for NaN, as every cast to integers."""
    kind = _WHOLE.get(op.attrs["mode"])
    if kind is None:
        raise h.refused(f"a cast of {source.dtype} to int64 with mode={op.attrs['mode']}", "round it first")
    return whole_number(h, h.emit(kind, [h.cast(source, "fp32", "wide")], "fp32", source.shape, "whole"))


_WHOLE: Mapping[str, str] = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "none": "round", "rint": "round"}
_SPLIT = float(1 << BITS)


def whole_number(h: Halver, x: Value) -> Pair:
    """A whole number in fp32: how often 2^32 is in its magnitude, and what is left of that, both exact."""
    shape = x.shape
    size = h.emit("abs", [x], "fp32", shape, "size")
    often = h.emit("floor", [h.fp32("mul", size, 1 / _SPLIT, "ratio")], "fp32", shape, "often")
    left = h.fp32("sub", size, h.fp32("mul", often, _SPLIT, "taken"), "left")
    upper = h.holds("ge", left, h.real(_SPLIT / 2), "upper")
    rest = h.emit("where", [upper, h.fp32("sub", left, _SPLIT / 2, "lower"), left], "fp32", shape, "rest")
    bits = h.cast(rest, HALF, "bits")
    low = h.chosen(upper, h.word("add", bits, h.number(TOP), "top"), bits, "low")
    found = Pair(low, h.cast(often, HALF, "high"))
    found = select(h, h.holds("lt", x, h.real(0.0), "below"), negative(h, found), found)
    found = select(h, h.holds("ge", x, h.real(2.0**63), "greatest"), Pair(h.number(-1), h.number(~TOP)), found)
    return select(h, h.holds("lt", x, h.real(-(2.0**63)), "least"), Pair(h.number(0), h.number(TOP)), found)


def in_fp32(h: Halver, x: Pair, shape: Shape) -> Value:
    """The nearest fp32, in one rounding: the sum of two numbers that fp32 holds.

    Below 2^45 these are the bits from the 21st on, 24 with a sign, and the 21 below. Above, the bits from the 44th on,
    and the 24 below of which the last one is also set for any bit below it: it stands two places behind the last that
    fp32 keeps, so that it only says on which side of a tie the number lies.
    """
    low = h.word("bitwise_and", x.low, h.number((1 << 21) - 1), "low_bits")
    near = h.word("bitwise_or", h.left(x.high, 11), h.unsigned_right(x.low, 21), "near")
    middle = h.left(h.word("bitwise_and", x.high, h.number((1 << 12) - 1), "middle"), 12)
    middle = h.word("bitwise_or", middle, h.unsigned_right(x.low, 20), "middle")
    below = h.word("bitwise_and", x.low, h.number((1 << 20) - 1), "below")
    some = h.cast(h.holds("ne", h.value(below, shape), h.number(0), "some"), HALF, "some_bit")
    middle = h.word("bitwise_or", middle, some, "middle")
    small = h.holds("eq", h.value(h.right(x.high, 13), shape), h.sign(x.high), "small")
    sums = (_sum(h, shape, near, 2.0**21, low, 1.0), _sum(h, shape, h.right(x.high, 12), 2.0**44, middle, 2.0**20))
    return h.emit("where", [small, *sums], "fp32", shape, "fp32")


def _sum(h: Halver, shape: Shape, a: Operand, a_scale: float, b: Operand, b_scale: float) -> Value:
    """``a * a_scale + b * b_scale`` in fp32, of words that it holds and powers of two."""
    wide = (h.cast(h.value(word, shape), "fp32", "wide") for word in (a, b))
    scaled = [h.fp32("mul", x, by, "scaled") for x, by in zip(wide, (a_scale, b_scale), strict=True)]
    return h.fp32("add", scaled[0], scaled[1], "sum")


def _arange(h: Halver, op: Op) -> Pair:
    shape = op.result.shape
    places = h.emit("arange", [], HALF, shape, "positions", start=0, step=1, dtype=HALF)
    step, start = (h.pair(Scalar(sympy.sympify(op.attrs[name]), op.span), shape) for name in ("step", "start"))
    return sum_of(h, product(h, Pair(places, h.number(0)), step), start)


def _full(h: Halver, op: Op) -> Pair:
    """A tensor of one number."""
    words = h.pair(Scalar(op.attrs["value"], op.span), op.result.shape)
    return Pair(*(h.value(word, op.result.shape) for word in (words.low, words.high)))


RULES: Mapping[str, Rule] = {"cast": _cast, "arange": _arange, "full": _full}
