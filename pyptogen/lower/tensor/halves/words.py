"""Operations on 32-bit words: what is known at build time is computed then."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.ir import Operand, Scalar

BITS = 32
TOP = -(1 << (BITS - 1))
"""The word with nothing but its sign set."""
ALL = -1
"""The word with all bits set."""


def signed(number: int) -> int:
    """The word with these bits, as int32 has it."""
    return (number + (1 << (BITS - 1))) % (1 << BITS) - (1 << (BITS - 1))


def number_of(operand: Operand) -> int | None:
    """The word that is known at build time."""
    if isinstance(operand, Scalar) and operand.expr.is_Integer:
        return int(operand.expr)
    return None


def folded(kind: str, a: int, b: int) -> int:
    """An operation on two known words."""
    found: dict[str, Any] = {
        "add": a + b, "sub": a - b, "mul": a * b, "bitwise_and": a & b, "bitwise_or": a | b, "bitwise_xor": a ^ b,
    }  # fmt: skip
    if kind == "bitwise_left_shift":
        return signed(a << b)
    if kind == "bitwise_right_shift":
        return a >> b
    return signed(found[kind])


_KEEPS = {
    "add": 0, "sub": 0, "mul": 1, "bitwise_and": ALL, "bitwise_or": 0, "bitwise_xor": 0, "bitwise_left_shift": 0,
    "bitwise_right_shift": 0,
}  # fmt: skip
"""The word that leaves the other operand as it is; of sub and shifts the second operand."""
_GIVES = {"mul": 0, "bitwise_and": 0, "bitwise_or": ALL}
"""The word that is the result whatever the other operand is."""


def simplified(kind: str, a: Operand, b: Operand) -> Operand | None:
    """One of the operands, or a word, where no instruction is needed."""
    left, right = number_of(a), number_of(b)
    if left is not None and right is not None:
        return word(folded(kind, left, right), a)
    for number, known, other in ((right, b, a), (left, a, b)):
        if number is None or (other is b and kind in ("sub", "bitwise_left_shift", "bitwise_right_shift")):
            continue
        if number == _KEEPS[kind]:
            return other
        if number == _GIVES.get(kind):
            return known
    return None


def word(number: int, like: Operand) -> Scalar:
    """A known word, at the place of an operand."""
    return Scalar(sympy.Integer(signed(number)), like.span)
