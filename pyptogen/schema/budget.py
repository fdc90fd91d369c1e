"""How much a spec may hold: bounds far beyond any operator, within which each spec is answered in seconds."""

from __future__ import annotations

from collections.abc import Sized

from pyptogen.diagnostics import DiagnosticError, Span, fault

MOST_OPERATIONS = 400
"""Primitive operations, with functions and composites written out. The largest operator of the library has 193."""
MOST_CALLS = 1000
"""Calls of functions of the spec, with those inside of functions."""
MOST_NESTED = 32
"""Calls of functions one in another, and dims that lead to one another."""
MOST_AXES = 8
"""Of a tensor. Those of the library have five."""
MOST_OF = {
    "dims": 500,
    "attrs": 100,
    "inputs": 100,
    "outputs": 50,
    "axes": MOST_AXES,
    "stages": 100,
    "functions": 200,
    "requirements": 100,
    "parts of a condition": 32,
    "tiling rows": 200,
    "cases": 200,
    "files": 100,
}
"""Of each kind of thing."""


def check_count(things: Sized, what: str, span: Span) -> None:
    """Raises PTG114 for more things of a kind of ``MOST_OF`` than one operator may have."""
    if len(things) > MOST_OF[what]:
        raise too_much(f"{len(things)} {what}", MOST_OF[what], span)


def too_much(what: str, most: int, span: Span) -> DiagnosticError:
    """PTG114."""
    return fault(
        "PTG114", f"{what} in one operator", span, expected=f"at most {most}", fix="make several operators of it"
    )
