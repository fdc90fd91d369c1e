"""What an import cannot take, gathered so that all of it is told at once."""

from __future__ import annotations

import linecache

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span

Place = tuple[str, int]
"""A file and a line."""


class NotTakenError(Exception):
    """An operation, or a form of one, that the language has no words for. ``fix``: what to write instead."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what, self.fix = what, fix


class Findings:
    """Those of one import, each told once for a place."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Place | None], Diagnostic] = {}

    def add(self, error: NotTakenError, place: Place | None) -> None:
        span = None if place is None else span_of(place)
        found = Diagnostic("PTG802", error.what, span, expected="an operation that imports take", fix=error.fix)
        self._found.setdefault((error.what, place), found)

    def raise_if_any(self) -> None:
        """Raises PTG802, one for each."""
        if self._found:
            raise DiagnosticError(*self._found.values())


def span_of(place: Place) -> Span:
    """The text of a line."""
    file, line = place
    text = linecache.getline(file, line).rstrip("\n")
    first = len(text) - len(text.lstrip()) + 1
    return Span(file, line, first, line, len(text) + 1)
