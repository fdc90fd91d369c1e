"""The Reviewdog Diagnostic Format (github.com/reviewdog/reviewdog, proto/rdf: DiagnosticResult as JSON).

Columns count bytes of UTF-8 there, and a range ends before its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.documents import TOOL, document, relative
from pyptogen.diagnostics.formats.sentences import paragraph
from pyptogen.diagnostics.render import read_source
from pyptogen.diagnostics.span import Span

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render_rdjson(diagnostics: Sequence[Diagnostic]) -> str:
    """One result with all findings."""
    return document({"source": {"name": TOOL}, "diagnostics": [_diagnostic(one) for one in diagnostics]})


def _diagnostic(one: Diagnostic) -> dict[str, Any]:
    location: dict[str, Any] = {"path": relative(one.path) if one.path else ""}
    if one.span:
        location["range"] = _range(one.span)
    return {
        "message": paragraph(one),
        "location": location,
        "severity": _SEVERITIES[one.severity],
        "code": {"value": one.code},
    }


def _range(span: Span) -> dict[str, Any]:
    lines = (read_source(span.file) or "").split("\n")
    return {
        "start": {"line": span.line, "column": _column(lines, span.line, span.col)},
        "end": {"line": span.end_line, "column": _column(lines, span.end_line, span.end_col)},
    }


def _column(lines: Sequence[str], line: int, col: int) -> int:
    """A column in bytes; that of the characters where the line cannot be read."""
    before = lines[line - 1][: col - 1] if line <= len(lines) else ""
    return col + len(before.encode(errors="replace")) - len(before)
