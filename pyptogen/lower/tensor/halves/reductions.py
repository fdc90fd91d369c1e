"""Extremes, their positions and sums of numbers of two words."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from pyptogen.lower.tensor.halves.halver import HALF, Halver, Pair, Rule
from pyptogen.lower.tensor.halves.words import BITS, TOP
from pyptogen.lower.tensor.ir import Op, Operand, Shape, Value

_PARTS = (16, 8)
"""How many bits of the low words are summed apart."""


def _reduced(h: Halver, op: Op, kind: str, x: Operand, hint: str, dtype: str = HALF) -> Value:
    """A reduction, or a scan, of words along the operation's axis."""
    source = op.operands[0]
    assert isinstance(source, Value)
    whole = h.value(x, source.shape)
    return h.emit(kind, [whole], dtype, op.result.shape, hint, **op.attrs)


def _extremes(h: Halver, op: Op, kind: str) -> tuple[Value, Operand, Value]:
    """The extreme high word, the low words beside it with flipped signs, others being the least extreme, and the
    extreme of these."""
    source = op.operands[0]
    assert isinstance(source, Value)
    x = h.pair(source)
    best = h.emit(kind, [h.value(x.high, source.shape)], HALF, _along(source.shape, op), "high", axis=op.attrs["axis"])
    flipped = h.word("add", x.low, h.number(TOP), "flipped")
    last = h.number(TOP if kind == "amax" else ~TOP)
    beside = h.chosen(h.holds("eq", x.high, best, "beside"), flipped, last, "beside")
    found = h.emit(kind, [h.value(beside, source.shape)], HALF, _along(source.shape, op), "lows", axis=op.attrs["axis"])
    return best, beside, found


def _along(shape: Shape, op: Op) -> Shape:
    axis = int(op.attrs["axis"])
    return (*shape[:axis], sympy.Integer(1), *shape[axis + 1 :])


def _extreme(h: Halver, op: Op) -> Pair:
    best, _, found = _extremes(h, op, op.kind)
    return Pair(h.word("add", found, h.number(TOP), "low"), best)


def _position(h: Halver, op: Op) -> Value:
    """The first place of the extreme. Where all low words beside the extreme high one are the least extreme, so are
    those elsewhere: then high words are compared, too."""
    source = op.operands[0]
    assert isinstance(source, Value)
    best, beside, found = _extremes(h, op, "amax" if op.kind == "argmax" else "amin")
    same = h.logical("and", h.holds("eq", h.pair(source).high, best, "best"), h.holds("eq", beside, found, "found"))
    marked = h.cast(same, "fp32", "marked")
    return h.emit("argmax", [marked], op.result.dtype, op.result.shape, "place", **op.attrs)


def _total(h: Halver, op: Op) -> Pair:
    """The sum, or the running sums: of short parts of the low words, whose sums 32 bits hold, and of the high words."""
    source = op.operands[0]
    assert isinstance(source, Value)
    longest = h.forms.dims.bounds(source.shape[op.attrs["axis"]])[1]
    part = next((bits for bits in _PARTS if longest <= 1 << (BITS - bits)), None)
    if part is None:
        raise h.refused(f"`{op.kind}` of int64 along an axis of up to {longest}", "sum parts of the axis first")
    x = h.pair(source)
    mask = h.number((1 << part) - 1)
    sums: list[Operand] = []
    for at in range(0, BITS, part):
        bits = h.word("bitwise_and", h.unsigned_right(x.low, at), mask, "part")
        sums.append(_reduced(h, op, op.kind, bits, "part_sum"))
    low, over = h.number(0), h.number(0)
    rest: Operand = over
    total: Operand = low
    for at, summed in zip(range(0, BITS, part), sums, strict=True):
        rest = h.word("add", summed, h.unsigned_right(rest, part), "carried")
        total = h.word("bitwise_or", total, h.left(h.word("bitwise_and", rest, mask, "bits"), at), "low")
    high = _reduced(h, op, op.kind, x.high, "high_sum")
    return Pair(total, h.word("add", high, h.unsigned_right(rest, part), "high"))


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("amax", "amin"), _extreme),
    **dict.fromkeys(("argmax", "argmin"), _position),
    **dict.fromkeys(("sum", "cumsum"), _total),
}
