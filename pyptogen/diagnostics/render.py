"""Diagnostics as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.plain_text import in_columns, name_shown, shown
from pyptogen.diagnostics.span import Span
from pyptogen.regular_files import read_regular

SourceLookup = Callable[[str], str | None]
"""Text of a file by the name in its spans, or None when there is none."""

_RED, _YELLOW, _BLUE, _BOLD, _RESET = "\033[31m", "\033[33m", "\033[34m", "\033[1m", "\033[0m"
_LONGEST_EXCERPT = 4
"""Lines shown of a stretch that covers many."""
_LONGEST_LINE = 600
"""Characters shown of a line."""


def read_source(file: str) -> str | None:
    """The text of ``file`` on disk, or None; the usual ``SourceLookup``."""
    try:
        return read_regular(file).decode().replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        return None


def render_text(diagnostic: Diagnostic, source_lookup: SourceLookup = read_source, *, colour: bool = False) -> str:
    """Headline, source underlined with carets, expected, fix, notes. Ends without a newline."""
    tint = _RED if diagnostic.severity == "error" else _YELLOW
    place = f"{name_shown(str(diagnostic.span))}: " if diagnostic.span else ""
    head = f"{diagnostic.severity} {diagnostic.code}"
    lines = [f"{place}{_paint(head, tint + _BOLD, colour)}: {shown(diagnostic.message)}"]
    if diagnostic.span:
        lines += _excerpt(diagnostic.span, source_lookup, tint, colour)
    if diagnostic.expected:
        lines.append(f"  {_paint('expected', _BOLD, colour)}: {shown(diagnostic.expected)}")
    if diagnostic.fix:
        lines.append(f"  {_paint('fix', _BOLD, colour)}: {shown(diagnostic.fix)}")
    for text, span in diagnostic.notes:
        lines.append(
            f"  {_paint('note', _BOLD, colour)}: {shown(text)}" + (f" ({name_shown(str(span))})" if span else "")
        )
        if span:
            lines += _excerpt(span, source_lookup, _BLUE, colour)
    return "\n".join(lines)


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A JSON array, one object per diagnostic, keys in a fixed order; as any text in UTF-8 is."""
    text = json.dumps([_as_object(d) for d in diagnostics], indent=2, ensure_ascii=False)
    # Halves of characters, which names of files may have, are spelled as JSON does.
    return text.encode(errors="backslashreplace").decode()


def render_excerpt(span: Span, source_lookup: SourceLookup = read_source, *, colour: bool = False) -> str:
    """The lines of a span with carets below, as a diagnostic shows them; empty without the source."""
    return "\n".join(_excerpt(span, source_lookup, _BLUE, colour))


def _paint(text: str, tint: str, colour: bool) -> str:
    return f"{tint}{text}{_RESET}" if colour else text


def _excerpt(span: Span, source_lookup: SourceLookup, tint: str, colour: bool) -> list[str]:
    source = source_lookup(span.file)
    if source is None:
        return []
    text = source.split("\n")
    last = min(span.end_line, span.line + _LONGEST_EXCERPT - 1)
    gutter = len(str(last))
    lines = [f"{' ' * gutter} |"]
    for number in range(span.line, last + 1):
        line = in_columns(text[number - 1]).replace("\t", " ") if number <= len(text) else ""
        start = span.col - 1 if number == span.line else len(line) - len(line.lstrip())
        stop = span.end_col - 1 if number == span.end_line else len(line.rstrip())
        line, start, stop = _part(line, start, stop)
        carets = " " * start + _paint("^" * max(1, stop - start), tint, colour)
        lines += [f"{number:>{gutter}} | {line}".rstrip(), f"{' ' * gutter} | {carets}"]
    if last < span.end_line:
        lines.append(f"{' ' * gutter} | … to line {span.end_line}")
    return lines


def _part(line: str, start: int, stop: int) -> tuple[str, int, int]:
    """The part of a long line that is underlined, and where that stands in it."""
    if len(line) <= _LONGEST_LINE:
        return line, start, stop
    first = max(0, min(start, len(line)) - _LONGEST_LINE // 2)
    return line[first : first + _LONGEST_LINE], start - first, min(stop - first, _LONGEST_LINE)


def _as_object(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": diagnostic.path or None,
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
