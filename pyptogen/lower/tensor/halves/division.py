"""Quotients of numbers of two words, rounded down."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.halves.arithmetic import difference, holds, operands, product, select, shifted_right, sum_of
from pyptogen.lower.tensor.halves.conversions import in_fp32, whole_number
from pyptogen.lower.tensor.halves.halver import Halver, Pair, Rule
from pyptogen.lower.tensor.halves.words import number_of
from pyptogen.lower.tensor.ir import Op, Value

STEPS = 3
"""Quotients in fp32 until nothing is left to divide. Each is off by less than 2^-22 of itself (three roundings) and by
half a unit, so that at most 2^-22 of what was there and half a divisor is left: of 2^63 no more than 2^41, then 2^19,
then 1/8, beside half a divisor and a little, which is less than a divisor."""


def floor_div(h: Halver, op: Op) -> Pair:
    """The quotient rounded down, 0 where the divisor is 0; by a power of two, a shift."""
    x, divisor = op.operands
    by = number_of(divisor)
    if by is not None and by > 0 and by & (by - 1) == 0 and isinstance(x, Value):
        return shifted_right(h, h.pair(x), by.bit_length() - 1)
    shape = op.result.shape
    left, b = operands(h, op)
    over = h.real(float(by)) if by is not None else in_fp32(h, b, shape)
    quotient = Pair(h.number(0), h.number(0))
    for _ in range(STEPS):
        ratio = h.emit("div", [in_fp32(h, left, shape), over], "fp32", shape, "ratio")
        part = whole_number(h, h.emit("round", [ratio], "fp32", shape, "whole"))
        left = difference(h, left, product(h, part, b))
        quotient = sum_of(h, quotient, part)
    some = h.word("bitwise_or", left.low, left.high, "some")
    some = h.sign(h.word("bitwise_or", some, h.word("sub", h.number(0), some, "negated"), "some"))
    apart = h.sign(h.word("bitwise_xor", left.high, b.high, "apart"))
    less = h.word("bitwise_and", some, apart, "less")  # -1 where what is left has not the sign of the divisor
    quotient = sum_of(h, quotient, Pair(less, less))
    if isinstance(divisor, Value) or by is None:
        zero = Pair(h.number(0), h.number(0))
        return select(h, holds(h, "eq", b, zero), zero, quotient)
    return quotient


RULES: Mapping[str, Rule] = {"floor_div": floor_div}
