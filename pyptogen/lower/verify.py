"""What the legality checks of all levels share."""

from __future__ import annotations

from pyptogen.diagnostics import Span


class IllegalIR(AssertionError):
    """A pass made IR that breaks a rule of its level: a fault of the compiler."""


def require(condition: bool, what: str, span: Span) -> None:
    """Raise `IllegalIR` with the place in the spec when ``condition`` does not hold."""
    if not condition:
        raise IllegalIR(f"{what} (from {span.file}:{span.line}:{span.col})")
