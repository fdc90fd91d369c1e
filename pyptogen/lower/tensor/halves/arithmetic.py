"""Sums, products, comparisons and bits of numbers of two words.

Carries, borrows and the high word of a product: H. S. Warren, "Hacker's Delight", 2nd edition, 2-13 and 8-2.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.halves.halver import Halver, Pair, Rule
from pyptogen.lower.tensor.halves.words import ALL, BITS, number_of
from pyptogen.lower.tensor.ir import BITWISE, COMPARE, Op, Operand, Scalar, Value

_SHORT = BITS // 2


def operands(h: Halver, op: Op) -> tuple[Pair, ...]:
    """The halves of all operands."""
    shape = next(operand.shape for operand in op.operands if isinstance(operand, Value))
    return tuple(h.pair(operand, shape) for operand in op.operands)


def sum_of(h: Halver, a: Pair, b: Pair) -> Pair:
    """a + b: the low words carry where both have the top bit, or one has and the sum has not."""
    low = h.word("add", a.low, b.low, "low")
    high = h.word("add", a.high, b.high, "high")
    if 0 in (number_of(a.low), number_of(b.low)):
        return Pair(low, high)
    both = h.word("bitwise_and", a.low, b.low, "both")
    lost = h.word("bitwise_and", h.word("bitwise_or", a.low, b.low, "any"), h.inverted(low), "lost")
    carry = h.sign(h.word("bitwise_or", both, lost, "carry"))
    return Pair(low, h.word("sub", high, carry, "high"))


def difference(h: Halver, a: Pair, b: Pair) -> Pair:
    """a - b: the low words borrow where b has the top bit and a has not, or one of these and the difference has."""
    low = h.word("sub", a.low, b.low, "low")
    high = h.word("sub", a.high, b.high, "high")
    if number_of(b.low) == 0:
        return Pair(low, high)
    inverted = h.inverted(a.low)
    more = h.word("bitwise_and", inverted, b.low, "more")
    left = h.word("bitwise_and", h.word("bitwise_or", inverted, b.low, "any"), low, "left")
    borrow = h.sign(h.word("bitwise_or", more, left, "borrow"))
    return Pair(low, h.word("add", high, borrow, "high"))


def product(h: Halver, a: Pair, b: Pair) -> Pair:
    """a * b modulo 2^64: the whole product of the low words, and the low words of the others."""
    crossed = h.word("add", h.word("mul", a.low, b.high), h.word("mul", a.high, b.low), "crossed")
    high = h.word("add", _high_word(h, a.low, b.low), crossed, "high")
    return Pair(h.word("mul", a.low, b.low, "low"), high)


def _high_word(h: Halver, a: Operand, b: Operand) -> Operand:
    """The high word of the product of two unsigned words, by their halves of 16 bits: no sum is beyond 32 bits."""
    mask = h.number((1 << _SHORT) - 1)
    (a0, a1), (b0, b1) = (
        (h.word("bitwise_and", x, mask, "short"), h.unsigned_right(x, _SHORT)) for x in (a, b)
    )  # fmt: skip
    first = h.unsigned_right(h.word("mul", a0, b0), _SHORT)
    middle = h.word("add", h.word("mul", a1, b0), first)
    other = h.word("add", h.word("mul", a0, b1), h.word("bitwise_and", middle, mask))
    high = h.word("add", h.word("mul", a1, b1), h.unsigned_right(middle, _SHORT))
    return h.word("add", high, h.unsigned_right(other, _SHORT), "product")


def negative(h: Halver, x: Pair) -> Pair:
    """-x."""
    return difference(h, Pair(h.number(0), h.number(0)), x)


def holds(h: Halver, kind: str, a: Pair, b: Pair) -> Value:
    """A comparison: that of the high words, and where these are equal of the low ones as unsigned."""
    if kind in ("eq", "ne"):
        apart = h.word("bitwise_or", h.word("sub", a.low, b.low, "low"), h.word("sub", a.high, b.high, "high"), "apart")
        return h.holds(kind, apart, h.number(0))
    low = number_of(b.low)
    if (low == 0 and kind in ("lt", "ge")) or (low == ALL and kind in ("gt", "le")):  # the low word decides nothing
        return h.holds(kind, a.high, b.high)
    strict = {"le": "lt", "ge": "gt"}.get(kind, kind)
    above = h.holds(strict, a.high, b.high, "high")
    same = h.holds("eq", a.high, b.high, "same")
    return h.logical("or", above, h.logical("and", same, h.unsigned(kind, a.low, b.low, "low")))


def select(h: Halver, condition: Value, a: Pair, b: Pair) -> Pair:
    """a where the condition holds, else b."""
    return Pair(h.chosen(condition, a.low, b.low, "low"), h.chosen(condition, a.high, b.high, "high"))


def shifted_left(h: Halver, x: Pair, bits: int) -> Pair:
    """x << bits, 0 <= bits < 64."""
    if bits >= BITS:
        return Pair(h.number(0), h.left(x.low, bits - BITS))
    over = h.unsigned_right(x.low, BITS - bits)
    return Pair(h.left(x.low, bits), h.word("bitwise_or", h.left(x.high, bits), over, "high"))


def shifted_right(h: Halver, x: Pair, bits: int) -> Pair:
    """x >> bits with x's sign, 0 <= bits < 64."""
    if bits >= BITS:
        return Pair(h.right(x.high, bits - BITS), h.sign(x.high))
    over = h.left(x.high, BITS - bits)
    return Pair(h.word("bitwise_or", h.unsigned_right(x.low, bits), over, "low"), h.right(x.high, bits))


def _comparison(h: Halver, op: Op) -> Value:
    a, b = op.operands
    kind = op.kind
    if isinstance(a, Scalar):
        a, b, kind = b, a, {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(kind, kind)
    assert isinstance(a, Value)
    return holds(h, kind, h.pair(a), h.pair(b, a.shape))


def _arithmetic(h: Halver, op: Op) -> Pair:
    a, b = operands(h, op)
    return {"add": sum_of, "sub": difference, "mul": product}[op.kind](h, a, b)


def _extreme(h: Halver, op: Op) -> Pair:
    a, b = operands(h, op)
    if isinstance(op.operands[0], Scalar):  # a comparison has its tensor first
        a, b = b, a
    return select(h, holds(h, "gt" if op.kind == "maximum" else "lt", a, b), a, b)


def _one(h: Halver, op: Op) -> Pair:
    (x,) = operands(h, op)
    zero = Pair(h.number(0), h.number(0))
    if op.kind == "neg":
        return negative(h, x)
    below = holds(h, "lt", x, zero)
    return select(h, below, zero if op.kind == "relu" else negative(h, x), x)


def _where(h: Halver, op: Op) -> Pair:
    condition, a, b = op.operands
    assert isinstance(condition, Value)
    return select(h, condition, h.pair(a, op.result.shape), h.pair(b, op.result.shape))


def _bits(h: Halver, op: Op) -> Pair:
    if op.kind.endswith("shift"):
        return _shift(h, op)
    a, b = operands(h, op)
    return Pair(h.word(op.kind, a.low, b.low, "low"), h.word(op.kind, a.high, b.high, "high"))


def _shift(h: Halver, op: Op) -> Pair:
    x, count = op.operands
    bits = number_of(count)
    if bits is None or not isinstance(x, Value):
        raise h.refused(f"`{op.kind}` of int64 by other than a number", "shift by a number that stands in the spec")
    return (shifted_left if op.kind == "bitwise_left_shift" else shifted_right)(h, h.pair(x), bits)


def _bitwise_not(h: Halver, op: Op) -> Pair:
    (x,) = operands(h, op)
    return Pair(h.inverted(x.low), h.inverted(x.high))


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(COMPARE, _comparison),
    **dict.fromkeys(("add", "sub", "mul"), _arithmetic),
    **dict.fromkeys(("maximum", "minimum"), _extreme),
    **dict.fromkeys(("neg", "abs", "relu"), _one),
    **dict.fromkeys(BITWISE, _bits),
    "bitwise_not": _bitwise_not,
    "where": _where,
}
