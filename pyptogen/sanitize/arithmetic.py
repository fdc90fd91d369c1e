"""Arithmetic of C++ on numbers of which some are unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.syntax import Binary, Expr, Literal, Name, Ternary
from pyptogen.sanitize.values import UNKNOWN, AtMost, SlotPointer

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


def either(then: Any, other: Any, node: Ternary) -> Any:
    """``a < 8 ? a : 8`` is at most 8, whatever ``a`` is."""
    if then == other:
        return then
    test = node.condition
    smaller = isinstance(test, Binary) and test.op in ("<", "<=") and _same(test.left, node.then)
    if smaller and isinstance(test, Binary) and _same(test.right, node.other) and isinstance(other, int):
        return AtMost(other)
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
