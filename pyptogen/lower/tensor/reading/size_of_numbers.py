"""Numbers and sizes that a spec may compute: real ones, and no larger than can be worked with."""

from __future__ import annotations

import math
from typing import Any

import sympy

from pyptogen.diagnostics import Span, fault

MOST_BITS = 4096
"""Before and behind the point; float64 has 1024 and 1074."""
MOST_TERMS = 256
"""Of a size that is multiplied out. Sizes of the library have four at most."""


def within_reason(value: Any, span: Span) -> Any:
    """``value`` itself, a number or an expression of dims and attrs.

    Raises PTG106 for what is not real (the root of a negative number, a power of zero, `inf - inf`), for a number of
    more than `MOST_BITS`, and for an expression of more than `MOST_TERMS` once it is multiplied out.
    """
    if value.has(sympy.nan, sympy.zoo, sympy.I) or value.is_extended_real is False:
        raise fault("PTG106", "this is no real number", span, expected="a real number, `inf` or `-inf`")
    if not value.is_number:
        if _terms(value) > MOST_TERMS:
            raise fault(
                "PTG106",
                "this expression is too large once it is multiplied out",
                span,
                expected=f"at most {MOST_TERMS} terms",
            )
    elif value.is_finite and not _fits(value):
        raise fault(
            "PTG106", "this number is too large, or too close to zero", span, expected=f"at most {MOST_BITS} bits"
        )
    return value


def _fits(value: Any) -> bool:
    if value.is_Rational:
        return max(abs(int(value.p)).bit_length(), int(value.q).bit_length()) <= MOST_BITS
    if not value.is_Float:
        value = value.evalf(15)
        if not value.is_Float:
            return False
    _, mantissa, exponent, bits = value._mpf_
    return not mantissa or abs(exponent + bits) <= MOST_BITS


def _terms(value: Any) -> int:
    """At most how many terms the expression has once it is multiplied out; of functions, those of their arguments."""
    if not value.args:
        return 1
    inner = [min(_terms(part), MOST_TERMS + 1) for part in value.args]
    if value.is_Mul:
        return math.prod(inner)
    if value.is_Pow and value.exp.is_Integer and abs(value.exp) <= MOST_TERMS:
        count = abs(int(value.exp))
        return math.comb(count + inner[0] - 1, count)
    return sum(inner)
