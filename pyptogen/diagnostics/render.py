"""Diagnostics as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.span import Span

SourceLookup = Callable[[str], str | None]
"""Text of a file by the name in its spans, or None when there is none."""

_RED, _YELLOW, _BLUE, _BOLD, _RESET = "\033[31m", "\033[33m", "\033[34m", "\033[1m", "\033[0m"
_LONGEST_EXCERPT = 4
"""Lines shown of a stretch that covers many."""


def read_source(file: str) -> str | None:
    """The text of ``file`` on disk, or None; the usual ``SourceLookup``."""
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError):
        return None


def render_text(diagnostic: Diagnostic, source_lookup: SourceLookup = read_source, *, colour: bool = False) -> str:
    """Headline, source underlined with carets, expected, fix, notes. Ends without a newline."""
    tint = _RED if diagnostic.severity == "error" else _YELLOW
    place = f"{diagnostic.span}: " if diagnostic.span else ""
    head = f"{diagnostic.severity} {diagnostic.code}"
    lines = [f"{place}{_paint(head, tint + _BOLD, colour)}: {diagnostic.message}"]
    if diagnostic.span:
        lines += _excerpt(diagnostic.span, source_lookup, tint, colour)
    if diagnostic.expected:
        lines.append(f"  {_paint('expected', _BOLD, colour)}: {diagnostic.expected}")
    if diagnostic.fix:
        lines.append(f"  {_paint('fix', _BOLD, colour)}: {diagnostic.fix}")
    for text, span in diagnostic.notes:
        lines.append(f"  {_paint('note', _BOLD, colour)}: {text}" + (f" ({span})" if span else ""))
        if span:
            lines += _excerpt(span, source_lookup, _BLUE, colour)
    return "\n".join(lines)


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A JSON array, one object per diagnostic, keys in a fixed order."""
    return json.dumps([_as_object(d) for d in diagnostics], indent=2, ensure_ascii=False)


def _paint(text: str, tint: str, colour: bool) -> str:
    return f"{tint}{text}{_RESET}" if colour else text


def _excerpt(span: Span, source_lookup: SourceLookup, tint: str, colour: bool) -> list[str]:
    source = source_lookup(span.file)
    if source is None:
        return []
    text = source.splitlines()
    last = min(span.end_line, span.line + _LONGEST_EXCERPT - 1)
    gutter = len(str(last))
    lines = [f"{' ' * gutter} |"]
    for number in range(span.line, last + 1):
        shown = text[number - 1] if number <= len(text) else ""
        shown = shown.replace("\t", " ")
        start = span.col - 1 if number == span.line else len(shown) - len(shown.lstrip())
        stop = span.end_col - 1 if number == span.end_line else len(shown.rstrip())
        carets = " " * start + _paint("^" * max(1, stop - start), tint, colour)
        lines += [f"{number:>{gutter}} | {shown}".rstrip(), f"{' ' * gutter} | {carets}"]
    if last < span.end_line:
        lines.append(f"{' ' * gutter} | … to line {span.end_line}")
    return lines


def _as_object(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "span": _span_object(diagnostic.span),
        "expected": diagnostic.expected,
        "fix": diagnostic.fix,
        "notes": [{"text": text, "span": _span_object(span)} for text, span in diagnostic.notes],
    }


def _span_object(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "col": span.col,
        "end_line": span.end_line,
        "end_col": span.end_col,
    }
