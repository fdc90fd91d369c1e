"""Arithmetic of C++ on numbers of which some are unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.syntax import Binary, Expr, Literal, Name, Ternary
from pyptogen.sanitize.values import UNKNOWN, SlotPointer, Within

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


def combine(op: str, left: Any, right: Any, token: Token) -> Any:
    """``left op right``, unknown where one of them is."""
    if op in ("==", "!=") and UNKNOWN not in (left, right):
        return _ARITHMETIC[op](left, right)
    if isinstance(left, SlotPointer):
        return left
    if isinstance(left, Within) or isinstance(right, Within):
        return _bounded(op, left, right)
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return UNKNOWN
    if op in ("/", "%"):
        if right == 0:
            return UNKNOWN
        if isinstance(left, int) and isinstance(right, int):
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if op == "/" else left - quotient * right
        return left / right if op == "/" else UNKNOWN
    if op not in _ARITHMETIC:
        raise unsupported(token, f"the operator `{op}`")
    try:
        return _ARITHMETIC[op](left, right)
    except (TypeError, ValueError):
        return UNKNOWN


def _bounded(op: str, left: Any, right: Any) -> Any:
    """Sums, differences and products of numbers of which some lie within bounds, and comparisons that hold for all of
    them or for none."""
    a, b = _bounds(left), _bounds(right)
    if a is None or b is None or op not in ("+", "-", "*", "<", ">", "<=", ">="):
        return UNKNOWN
    ends = [_ARITHMETIC[op](x, y) for x in a for y in b]
    if op in ("+", "-", "*"):
        return Within(min(ends), max(ends))
    return ends[0] if len(set(ends)) == 1 else UNKNOWN


def _bounds(value: Any) -> tuple[int, int] | None:
    if isinstance(value, Within):
        return value.least, value.limit
    return (value, value) if isinstance(value, int) else None


def either(then: Any, other: Any, node: Ternary) -> Any:
    """``a < 8 ? a : 8`` is at most 8, whatever ``a`` is; and at least 1: a loop that has nothing left does not run."""
    if then == other:
        return then
    test = node.condition
    smaller = isinstance(test, Binary) and test.op in ("<", "<=") and _same(test.left, node.then)
    if smaller and isinstance(test, Binary) and _same(test.right, node.other) and isinstance(other, int):
        return Within(min(1, other), other)
    return UNKNOWN


def _same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are written alike."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Binary) and isinstance(b, Binary):
        return a.op == b.op and _same(a.left, b.left) and _same(a.right, b.right)
    if isinstance(a, Name) and isinstance(b, Name):
        return a.path == b.path
    return isinstance(a, Literal) and isinstance(b, Literal) and a.value == b.value
