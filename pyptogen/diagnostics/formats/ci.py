"""Findings for the two CI systems that show them in a merge request.

GitHub: workflow commands, a line each (docs.github.com, "Workflow commands for GitHub Actions"; how characters are
escaped is that of `actions/toolkit`, core/src/command.ts). GitLab: the Code Quality report (docs.gitlab.com, "Code
Quality", "Code Quality report format").
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pyptogen.diagnostics.codes import CODES
from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.documents import document, relative
from pyptogen.diagnostics.formats.sentences import paragraph

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render_github(diagnostics: Sequence[Diagnostic]) -> str:
    """A workflow command for each finding. Columns are given for findings within one line: GitHub refuses others."""
    return "\n".join(_command(one) for one in diagnostics)


def _command(one: Diagnostic) -> str:
    properties = {"title": f"{one.code} {CODES[one.code].title}"}
    if one.path:
        properties["file"] = relative(one.path)
    if one.span:
        span = one.span
        properties |= {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:
            properties |= {"col": str(span.col), "endColumn": str(span.end_col)}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[one.severity]} {listed}::{_data(paragraph(one))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def render_gitlab(diagnostics: Sequence[Diagnostic]) -> str:
    """A JSON array. A fingerprint is of code, file and message: a finding that moves to another line stays the same."""
    seen: dict[str, int] = {}
    found = []
    for one in diagnostics:
        path = relative(one.path or ".")
        key = f"{one.code}\0{path}\0{one.message}"
        seen[key] = seen.get(key, 0) + 1
        found.append(
            {
                "description": f"{one.code}: {paragraph(one)}",
                "check_name": one.code,
                "fingerprint": hashlib.sha256(f"{key}\0{seen[key]}".encode(errors="replace")).hexdigest(),
                "severity": _SEVERITIES[one.severity],
                "location": {"path": path, "lines": {"begin": one.span.line if one.span else 1}},
            }
        )
    return document(found)
