"""Integer polynomials over run-time names: every offset, extent and stride below the Tensor level.

A polynomial in loop variables and dynamic dims is all that tile addressing needs, prints as C++ and evaluates in the
interpreters. Static dims are substituted by their numbers on the way in.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from pyptogen.records import dataclass

Monomial = tuple[str, ...]

RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""The relations between two numbers, as C++ spells them."""


_UNIT: tuple[tuple[Monomial, int], ...] = (((), 1),)
_NO_NAMES = frozenset[str]()


@dataclass(frozen=True, slots=True)
class Poly:
    """Sum of ``coefficient * product of names``; terms sorted, no zero coefficients, so equality is structural."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    @staticmethod
    def of(value: int | str | Poly) -> Poly:
        """A constant, a name, or a polynomial as it is."""
        return value if value.__class__ is Poly else _single(value)

    @staticmethod
    def _collect(terms: Mapping[Monomial, int]) -> Poly:
        if len(terms) == 1:
            ((mono, coeff),) = terms.items()
            return Poly(((mono, coeff),) if coeff else ())
        return Poly(tuple(sorted(((m, c) for m, c in terms.items() if c), key=lambda t: (-len(t[0]), t[0]))))

    def __add__(self, other: int | str | Poly) -> Poly:
        other = Poly.of(other)
        if not other.terms or not self.terms:
            return self if self.terms else other
        total = dict(self.terms)
        for mono, coeff in other.terms:
            total[mono] = total.get(mono, 0) + coeff
        return Poly._collect(total)

    def __mul__(self, other: int | str | Poly) -> Poly:
        other = Poly.of(other)
        if self.terms == _UNIT or other.terms == _UNIT:
            return other if self.terms == _UNIT else self
        if len(other.terms) == 1 and not other.terms[0][0]:
            factor = other.terms[0][1]
            scaled = [(mono, coeff * factor) for mono, coeff in self.terms]
            return Poly(tuple([(m, c if c.__class__ is int else _fraction(c, 1)) for m, c in scaled]))
        product: dict[Monomial, int] = {}
        for m1, c1 in self.terms:
            for m2, c2 in other.terms:
                mono = tuple(sorted(m1 + m2))
                product[mono] = product.get(mono, 0) + c1 * c2
        return Poly._collect(product)

    def __sub__(self, other: int | str | Poly) -> Poly:
        return self + Poly.of(other) * -1

    @property
    def constant(self) -> int | None:
        """The number, if no name occurs."""
        if not self.terms:
            return 0
        return self.terms[0][1] if self.terms[0][0] == () and len(self.terms) == 1 else None

    def names(self) -> frozenset[str]:
        if len(self.terms) == 1:
            mono = self.terms[0][0]
            return frozenset(mono) if mono else _NO_NAMES
        return frozenset([name for mono, _ in self.terms for name in mono])

    def renamed(self, name: Callable[[str], str]) -> Poly:
        """The same of other names, each of which stands for one of these."""
        names = {old: name(old) for mono, _ in self.terms for old in mono}
        if all(old == new for old, new in names.items()):
            return self
        return Poly._collect({tuple(sorted(names[old] for old in mono)): coeff for mono, coeff in self.terms})

    def substituted(self, values: Mapping[str, int]) -> Poly:
        """The same with numbers for some of its names."""
        total: dict[Monomial, int] = {}
        for mono, coeff in self.terms:
            left = tuple(name for name in mono if name not in values)
            for name in mono:
                coeff *= values.get(name, 1)
            total[left] = total.get(left, 0) + coeff
        return Poly._collect(total)

    def evaluate(self, env: Mapping[str, int]) -> int:
        """Value with every name taken from ``env``; KeyError names what is missing."""
        total = 0
        for mono, coeff in self.terms:
            for name in mono:
                coeff *= env[name]
            total += coeff
        assert total == int(total), f"{self} is no whole number"
        return int(total)

    def evaluate_or_zero(self, env: Mapping[str, int]) -> int:
        """Value with names that are not in ``env`` as 0."""
        total = 0
        for mono, coeff in self.terms:
            for name in mono:
                coeff *= env.get(name, 0)
            total += coeff
        assert total == int(total), f"{self} is no whole number"
        return int(total)

    def divided(self, divisor: int) -> Poly:
        """Exact quotient by a positive integer.

        Raises:
            ValueError: a coefficient is not a multiple of ``divisor``.
        """
        if any(c % divisor for _, c in self.terms):
            raise ValueError(f"{self} is not a multiple of {divisor}")
        return Poly(tuple((m, c // divisor) for m, c in self.terms))

    def over(self, divisor: int) -> Poly:
        """The quotient by a positive integer, of a value that is a multiple of it whatever its names are, such as the
        steps of a loop; coefficients become fractions."""
        return Poly(tuple((m, _fraction(c, divisor)) for m, c in self.terms))

    def quotient(self, divisor: Poly) -> Poly | None:
        """The exact quotient by a product of names and a positive integer, or None."""
        if len(divisor.terms) != 1 or divisor.terms[0][1] <= 0:
            return None
        (names, coeff), found = divisor.terms[0], []
        for mono, c in self.terms:
            rest = list(mono)
            for name in names:
                if name not in rest:
                    return None
                rest.remove(name)
            if c % coeff:
                return None
            found.append((tuple(rest), c // coeff))
        return Poly._collect(dict(found))

    def is_multiple_of(self, divisor: int, steps: Mapping[str, int] | None = None) -> bool:
        """Whether the value is a multiple of ``divisor`` when each name in ``steps`` is a multiple of its number."""
        for mono, coeff in self.terms:
            for name in mono:
                coeff *= (steps or {}).get(name, 1)
            if coeff % divisor:
                return False
        return True

    def c(self, wide: bool = False) -> str:
        """C++ text; ``wide`` computes in int64 (element offsets into GM may exceed 2^31)."""
        parts = []
        for mono, coeff in sorted(self.terms, key=lambda t: (t[1] < 0, not t[0], -t[1], t[0])):
            if not mono:
                parts.append(f"{'-' if coeff < 0 else '+'} {abs(coeff)}")
                continue
            first = f"int64_t({mono[0]})" if wide else mono[0]
            factors = [first, *mono[1:]] + ([str(abs(coeff.numerator))] if abs(coeff.numerator) != 1 else [])
            rest = f" / {coeff.denominator}" if coeff.denominator != 1 else ""
            parts.append(f"{'-' if coeff < 0 else '+'} {' * '.join(factors)}{rest}")
        text = " ".join(parts) or "+ 0"
        return text[2:] if text.startswith("+ ") else "-" + text[2:]

    def __str__(self) -> str:
        return self.c()


@lru_cache(maxsize=4096)
def _single(value: int | str | Poly) -> Poly:
    """A constant or a name: the same few over and over."""
    if isinstance(value, str):
        return Poly((((value,), 1),))
    return value if isinstance(value, Poly) else Poly((((), int(value)),) if value else ())


def _fraction(number: int, divisor: int) -> int:
    """A quotient, an integer where it is one. Fractions of integers count as integers for the type checker: sums,
    products and rests of both are the same operations."""
    found = Fraction(number, divisor)
    return found.numerator if found.denominator == 1 else cast(int, found)


def part_of(iterations: range, after: Poly | None, before: Poly | None, env: Mapping[str, int]) -> range:
    """Iterations of a loop without those that end at or before ``after`` and those that begin at or after
    ``before``."""
    start, stop, step = iterations.start, iterations.stop, iterations.step
    if after is not None:
        start += max(0, after.evaluate(env) - start) // step * step
    return range(start, stop if before is None else min(stop, before.evaluate(env)), step)


ZERO = Poly()
ONE = Poly.of(1)


def from_sympy(expr: Any, static: Mapping[str, int]) -> Poly:
    """Polynomial of a sympy shape expression, static dims replaced by their numbers.

    Raises:
        ValueError: not a polynomial with integer coefficients.
    """
    if isinstance(expr, int) or expr.is_Integer:
        return Poly.of(int(expr))
    if expr.is_Symbol:
        return Poly.of(static.get(expr.name, expr.name))
    import sympy

    expanded = sympy.expand(
        sympy.sympify(expr).subs({s: static[s.name] for s in expr.free_symbols if s.name in static})
    )
    total = ZERO
    for term, coeff in expanded.as_coefficients_dict().items():
        if not coeff.is_integer:
            raise ValueError(f"{expr} has the fractional coefficient {coeff}")
        mono = ONE
        for base, power in term.as_powers_dict().items() if term != 1 else ():
            if not (base.is_Symbol and power.is_Integer and power > 0):
                raise ValueError(f"{expr} is not a polynomial in the dims")
            for _ in range(int(power)):
                mono = mono * base.name
        total = total + mono * int(coeff)
    return total
