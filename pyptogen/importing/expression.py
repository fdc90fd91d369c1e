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
    return Expression(f"{a.at(ATOM)}[{', '.join(parts)}]")


def listed(parts: Sequence[object]) -> str:
    return f"[{', '.join(map(str, parts))}]"
