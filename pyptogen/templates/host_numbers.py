"""C++ text of numbers that the caller's processor computes from dims and attrs: whole ones of whole ones in int64, all
others in double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

_CALLS = {
    sympy.floor: "std::floor", sympy.ceiling: "std::ceil", sympy.Abs: "std::abs", sympy.exp: "std::exp",
    sympy.log: "std::log",
}  # fmt: skip
_CALLS_OF_TWO = {sympy.Min: "std::min", sympy.Max: "std::max"}
_SUM, _FACTOR, _DIVISOR = 0, 1, 2
_MOST_FACTORS = 8


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
        return f"{_CALLS_OF_TWO[type(expr)]}({{{', '.join(map(part, expr.args))}}})"
    return f"{_CALLS[type(expr)]}({part(expr.args[0])})"


def whole_number(expr: Any, local: Callable[[str], str]) -> str | None:
    """``p // 3 + t`` as C++ in int64, which double would round beyond 2^53; None for what int64 has no operators
    for."""
    try:
        return _whole(expr, local)
    except _NotWhole:
        return None


class _NotWhole(Exception):
    """An expression of other than sums, products, floors, remainders and extremes of whole numbers."""


def _whole(expr: Any, local: Callable[[str], str]) -> str:
    if expr.is_Integer:
        text = f"int64_t({int(expr)})"
        return text if expr > -(2**63) else "INT64_MIN"
    if expr.is_Symbol and expr.is_integer:
        return f"int64_t({local(expr.name)})"
    parts = [] if isinstance(expr, sympy.floor | sympy.ceiling | sympy.Pow) else [_whole(x, local) for x in expr.args]
    if expr.is_Add or expr.is_Mul:
        return f"({(' + ' if expr.is_Add else ' * ').join(parts)})"
    if isinstance(expr, sympy.Min | sympy.Max):
        return f"{_CALLS_OF_TWO[type(expr)]}({{{', '.join(parts)}}})"
    if isinstance(expr, sympy.Abs):
        return f"std::abs({parts[0]})"
    if expr.is_Pow and expr.exp.is_Integer and 0 < expr.exp <= _MOST_FACTORS:
        return f"({' * '.join([_whole(expr.base, local)] * int(expr.exp))})"
    if isinstance(expr, sympy.Mod) and expr.args[1].is_positive:
        return _left_over(*parts)
    if isinstance(expr, sympy.floor):
        above, below = sympy.fraction(sympy.together(expr.args[0]))
        if below.is_positive:
            number, divisor = _whole(above, local), _whole(below, local)
            return f"(({number} - {_left_over(number, divisor)}) / {divisor})"
    if isinstance(expr, sympy.ceiling):
        return f"(-{_whole(sympy.floor(-expr.args[0]), local)})"
    raise _NotWhole


def _left_over(number: str, divisor: str) -> str:
    """The remainder that is not negative, of a divisor above 0."""
    return f"(({number} % {divisor} + {divisor}) % {divisor})"
