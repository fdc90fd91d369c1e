"""Expressions of the language as text that knows how strongly it binds, so that parentheses stand where they must."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ATOM, POWER, UNARY, PRODUCT, SUM, SHIFT, AND, XOR, OR, COMPARISON = range(10)
"""Python's levels, the strongest first."""
_LEVELS = {
    "**": POWER, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "+": SUM, "-": SUM, "<<": SHIFT,
    ">>": SHIFT, "&": AND, "^": XOR, "|": OR, "==": COMPARISON, "!=": COMPARISON, "<": COMPARISON, "<=": COMPARISON,
    ">": COMPARISON, ">=": COMPARISON,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A text of the language and its level."""

    text: str
    level: int = ATOM
    indexed: tuple[Expression, tuple[str, ...]] | None = None
    """Of what is indexed: what, and by which parts."""
    truth_of: Expression | None = None
    """Of truth values that zeros and ones of int32 were made into: these."""

    @property
    def is_name(self) -> bool:
        return self.text.isidentifier()

    def at(self, level: int) -> str:
        """The text where something binds as strongly as ``level``."""
        return self.text if self.level <= level else f"({self.text})"


def number(value: float) -> Expression:
    """A number as the language writes it. A whole one is an ``int``."""
    if isinstance(value, bool):
        return Expression("1" if value else "0")
    if isinstance(value, float) and not math.isfinite(value):
        text = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    elif isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        text = str(int(value))
    else:
        text = repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")  # YAML's and Python's floats are one then
    return Expression(text, UNARY if text.startswith("-") else ATOM)


def infix(a: Expression, operator: str, b: Expression) -> Expression:
    """``a operator b``. Comparisons do not chain, and ``**`` groups from the right."""
    level = _LEVELS[operator]
    left = a.at(level - 1 if level in (COMPARISON, POWER) else level)
    right = b.at(level if operator == "**" else level - 1)
    return Expression(f"{left} {operator} {right}", level)


def prefix(operator: str, a: Expression) -> Expression:
    return Expression(f"{operator}{a.at(POWER)}", UNARY)


def call(name: str, *given: Expression | str, **options: str) -> Expression:
    """A call. Arguments that are texts are taken as they are."""
    parts = [one if isinstance(one, str) else one.text for one in given]
    return Expression(f"{name}({', '.join([*parts, *(f'{key}={text}' for key, text in options.items())])})")


def subscript(a: Expression, *parts: str) -> Expression:
    return Expression(f"{a.at(ATOM)}[{', '.join(parts)}]", indexed=(a, parts))


def new_axis(a: Expression, axis: int) -> Expression:
    """``a`` with an axis of one element before ``axis``. What is indexed gets it among its parts."""
    base, parts = a.indexed or (a, ())
    at = _place(parts, axis)
    return subscript(base, *parts[:at], *[":"] * (at - len(parts)), "None", *parts[at:])


def along_axis(a: Expression, axis: int, part: str) -> Expression:
    """A part of ``a`` along an axis: a slice, or an element. Where it is indexed by something else than this axis, by
    one more part."""
    if a.indexed is not None:
        base, parts = a.indexed
        at = _place(parts, axis)
        whole = (*parts, *[":"] * (at + 1 - len(parts)))
        if whole[at] == ":":
            return subscript(base, *whole[:at], part, *whole[at + 1 :])
    return subscript(a, *[":"] * axis, part)


def _place(parts: Sequence[str], axis: int) -> int:
    """Where the part for an axis of the result stands: elements have no axis there."""
    found = 0
    for at, part in enumerate(parts):
        is_element = ":" not in part and part != "None"
        if found == axis and not is_element:
            return at
        found += not is_element
    return len(parts) + axis - found


def listed(parts: Sequence[object]) -> str:
    return f"[{', '.join(map(str, parts))}]"
