"""Fixes that a program can make: `check --fix` makes them, an editor offers them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.span import Span
from pyptogen.diagnostics.suggest import Suggestion
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands at ``span`` becomes ``text``."""

    span: Span
    text: str


def edit_of(diagnostic: Diagnostic, source: str) -> Edit | None:
    """The one way out of a finding in ``source``, the text of its file with ``\\n`` at the ends of lines; None where
    there is none, or more than one."""
    if diagnostic.span is None or not isinstance(diagnostic.fix, Suggestion):
        return None
    start, stop = _offset(source, diagnostic.span, end=False), _offset(source, diagnostic.span, end=True)
    wrong = diagnostic.fix.wrong
    word = rf"(?<!\w){re.escape(wrong)}(?!\w)" if wrong.isidentifier() else re.escape(wrong)
    found = list(re.finditer(word, source[start:stop]))
    if len(found) != 1:
        return None
    at, end = start + found[0].start(), start + found[0].end()
    line, col = _place(source, at)
    end_line, end_col = _place(source, end)
    return Edit(replace(diagnostic.span, line=line, col=col, end_line=end_line, end_col=end_col), diagnostic.fix.right)


def applied(edits: Iterable[Edit], source: str) -> str:
    """The text after edits of one file; of two that overlap the first in the text counts."""
    parts, done = [], 0
    for edit in sorted(set(edits), key=lambda one: (one.span.line, one.span.col)):
        start, stop = _offset(source, edit.span, end=False), _offset(source, edit.span, end=True)
        if start >= done:
            parts += [source[done:start], edit.text]
            done = stop
    return "".join((*parts, source[done:]))


def _offset(source: str, span: Span, *, end: bool) -> int:
    line, col = (span.end_line, span.end_col) if end else (span.line, span.col)
    at = 0
    for _ in range(line - 1):
        at = source.find("\n", at) + 1
    return at + col - 1


def _place(source: str, at: int) -> tuple[int, int]:
    before = source[:at]
    return before.count("\n") + 1, at - before.rfind("\n")
