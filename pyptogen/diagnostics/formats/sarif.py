"""SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format Version 2.1.0"), for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from pyptogen.diagnostics.codes import CODES
from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.documents import TOOL, VERSION, document, relative
from pyptogen.diagnostics.formats.sentences import paragraph
from pyptogen.diagnostics.span import Span

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def render_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """One run. Rules are the codes that occur; columns count characters (``columnKind``), and a region ends before its
    ``endColumn`` (section 3.30)."""
    codes = list(dict.fromkeys(one.code for one in diagnostics))
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES[code].title},
            "fullDescription": {"text": CODES[code].explanation},
        }
        for code in codes
    ]
    run = {
        "tool": {"driver": {"name": TOOL, "version": VERSION, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, codes.index(one.code)) for one in diagnostics],
    }
    return document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(one: Diagnostic, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": one.severity,
        "message": {"text": paragraph(one)},
        "locations": [_location(one.path, one.span)] if one.path else [],
    }
    related = [
        {"id": number, **_location(span.file, span), "message": {"text": text}} for number, (text, span) in _placed(one)
    ]
    return {**result, "relatedLocations": related} if related else result


def _placed(one: Diagnostic) -> list[tuple[int, tuple[str, Span]]]:
    return list(enumerate(((text, span) for text, span in one.notes if span is not None), 1))


def _location(file: str, span: Span | None) -> dict[str, Any]:
    """A place in a file, or the file as a whole."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(relative(file), errors="replace")}}
    if span is not None:
        physical["region"] = {
            "startLine": span.line,
            "startColumn": span.col,
            "endLine": span.end_line,
            "endColumn": span.end_col,
        }
    return {"physicalLocation": physical}
