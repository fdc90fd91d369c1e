"""Equalities of sizes that a precondition of the spec states: where one determines a dim, that dim follows from the
others; else it is a relation that proofs may use. Both are checked at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import Span
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Stated:
    """The spec says that ``left == right``. ``dim`` is the dim that ``definition`` now gives, or "" where none follows;
    then the difference of the two is 0."""

    left: Any
    right: Any
    dim: str
    definition: Any
    span: Span


def solve(difference: Any, order: Sequence[str]) -> list[tuple[str, Any]]:
    """The dims that ``difference == 0`` gives as a sum or product of others, those declared last first.

    ``difference`` is expanded, in symbols of dims. A dim counts only where it stands alone with the factor 1, and where
    all other terms are added: the result is then positive for all sizes.
    """
    symbols = sorted(difference.free_symbols, key=lambda symbol: order.index(symbol.name), reverse=True)
    if not symbols or not difference.is_polynomial(*symbols):
        return []
    _, primitive = sympy.Poly(difference, *symbols).primitive()
    found = []
    for symbol in symbols:
        terms = primitive.as_expr()
        factor = terms.coeff(symbol, 1)
        rest = sympy.expand(terms - factor * symbol)
        if factor not in (1, -1) or rest.has(symbol):
            continue
        definition = sympy.expand(-rest * factor)
        if definition != 0 and all(coefficient > 0 for coefficient in sympy.Poly(definition, *symbols).coeffs()):
            found.append((symbol.name, definition))
    return found


def multilinear(expr: Any) -> bool:
    """Whether the extremes of an expression lie at the corners of the ranges: no dim in it is squared or divided."""
    symbols = expr.free_symbols
    return bool(expr.is_polynomial(*symbols)) and all(sympy.degree(expr, symbol) <= 1 for symbol in symbols)


def follows(difference: Any, stated: Sequence[Any]) -> bool:
    """Whether ``difference == 0`` follows from these differences being 0, all expanded: it is in the ideal that they
    span. Sizes are positive, so that common factors may be divided out: from ``d*n*u == 2*d*t`` follows ``n*u == 2*t``.
    """
    symbols = sorted(set().union(difference.free_symbols, *(other.free_symbols for other in stated)), key=str)
    if not stated or not all(expr.is_polynomial(*symbols) for expr in (difference, *stated)):
        return False
    shortest = [sympy.Poly(other, *symbols).terms_gcd()[1].as_expr() for other in stated]
    return bool(sympy.groebner(shortest, *symbols).contains(difference))


def unbound(sizes: Sequence[Any], dims: set[Any]) -> set[Any]:
    """The dims (symbols) that array axes of these sizes do not determine, one unknown at a time."""
    unknown = set(dims)
    progress = True
    while progress:
        progress = False
        for size in sizes:
            open_ = size.free_symbols & unknown
            if len(open_) == 1 and size.is_polynomial(*open_) and sympy.Poly(size, *open_).degree() == 1:
                unknown -= open_
                progress = True
    return unknown
