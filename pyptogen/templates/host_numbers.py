"""C++ text of numbers that the caller's processor computes from dims and attrs, in double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

_CALLS = {
    sympy.floor: "std::floor", sympy.ceiling: "std::ceil", sympy.Abs: "std::abs", sympy.exp: "std::exp",
    sympy.log: "std::log",
}  # fmt: skip
_SUM, _FACTOR, _DIVISOR = 0, 1, 2


def host_number(expr: Any, local: Callable[[str], str], place: int = _SUM) -> str:
    """``temperature**2 / n`` as C++; ``local`` gives the names of its variables, ``place`` says how tightly binds what
    is around."""

    def part(inner: Any, place: int = _SUM) -> str:
        return host_number(inner, local, place)

    def bracketed(text: str, own: int) -> str:
        return text if place <= own else f"({text})"

    if expr.is_number:
        return bracketed(repr(float(expr)), _SUM if expr.is_negative else _DIVISOR)
    if expr.is_Symbol:
        return f"double({local(expr.name)})"
    if expr.is_Add:
        first, *others = expr.as_ordered_terms()
        signed = ((" - ", -term) if term.could_extract_minus_sign() else (" + ", term) for term in others)
        return bracketed(part(first) + "".join(sign + part(term, _FACTOR) for sign, term in signed), _SUM)
    # A quotient, not a product with 1 / 49: that is rounded, and 49 times it is less than 1.
    above, below = sympy.fraction(expr)
    if below != 1:
        return bracketed(f"{part(above, _FACTOR)} / {part(below, _DIVISOR)}", _FACTOR)
    if expr.is_Mul:
        return bracketed(" * ".join(part(factor, _FACTOR) for factor in sympy.Mul.make_args(expr)), _FACTOR)
    if expr.is_Pow and expr.exp == 2:
        return bracketed(f"{part(expr.base, _FACTOR)} * {part(expr.base, _FACTOR)}", _FACTOR)
    if expr.is_Pow:
        root = expr.exp == 0.5
        return f"std::sqrt({part(expr.base)})" if root else f"std::pow({part(expr.base)}, {part(expr.exp)})"
    if isinstance(expr, sympy.Mod):  # with the sign of the divisor
        number, divisor = expr.args
        return part(number - sympy.floor(number / divisor) * divisor, place)
    if isinstance(expr, sympy.Min | sympy.Max):
        name = "std::min" if isinstance(expr, sympy.Min) else "std::max"
        return f"{name}({{{', '.join(map(part, expr.args))}}})"
    return f"{_CALLS[type(expr)]}({part(expr.args[0])})"
