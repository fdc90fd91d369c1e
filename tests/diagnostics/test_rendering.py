"""Diagnostics as text and JSON, and the registry of codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import pyptogen
from pyptogen.diagnostics import (
    CODES,
    Diagnostic,
    DiagnosticError,
    Span,
    did_you_mean,
    fault,
    render_json,
    render_text,
)

SOURCE = "dims:\n  rows: 8\n\tcols: 9\n"
SPAN = Span("s.yaml", 2, 3, 2, 7)


def test_text_underlines_the_place() -> None:
    found = Diagnostic("PTG201", "`rows` is bad", SPAN, "good", "make it good", (("see", None),))
    assert render_text(found, lambda _: SOURCE) == (
        "s.yaml:2:3: error PTG201: `rows` is bad\n"
        "  |\n"
        "2 |   rows: 8\n"
        "  |   ^^^^\n"
        "  expected: good\n"
        "  fix: make it good\n"
        "  note: see"
    )


def test_text_without_source_or_place() -> None:
    assert render_text(Diagnostic("PTG110", "no file", None), lambda _: SOURCE) == "error PTG110: no file"
    assert render_text(Diagnostic("PTG201", "bad", SPAN), lambda _: None) == "s.yaml:2:3: error PTG201: bad"


def test_text_of_many_lines_is_cut() -> None:
    source = "\n".join(f"  line {i}" for i in range(1, 10))
    text = render_text(Diagnostic("PTG201", "long", Span("s", 1, 3, 9, 9)), lambda _: source)
    assert "4 |   line 4" in text
    assert "5 |" not in text
    assert text.endswith("… to line 9")


def test_tab_keeps_the_carets_in_place() -> None:
    text = render_text(Diagnostic("PTG201", "tab", Span("s", 3, 2, 3, 6)), lambda _: SOURCE)
    assert text.endswith("3 |  cols: 9\n  |  ^^^^")


def test_empty_span_at_the_end_of_the_file_has_a_caret() -> None:
    text = render_text(Diagnostic("PTG101", "end", Span("s", 4, 1, 4, 1)), lambda _: SOURCE)
    assert text.endswith("4 |\n  | ^")


def test_colour_changes_nothing_but_escapes() -> None:
    found = Diagnostic("PTG201", "bad", SPAN, "good")
    coloured = render_text(found, lambda _: SOURCE, colour=True)
    assert "\033[" in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == render_text(found, lambda _: SOURCE)


def test_json_holds_everything() -> None:
    found = Diagnostic("PTG201", "bad", SPAN, "good", "fix", (("see", SPAN), ("also", None)))
    span = {"file": "s.yaml", "line": 2, "col": 3, "end_line": 2, "end_col": 7}
    assert json.loads(render_json([found, Diagnostic("PTG110", "no file", None, severity="warning")])) == [
        {
            "code": "PTG201",
            "severity": "error",
            "message": "bad",
            "file": "s.yaml",
            "span": span,
            "expected": "good",
            "fix": "fix",
            "notes": [{"text": "see", "span": span}, {"text": "also", "span": None}],
        },
        {
            "code": "PTG110",
            "severity": "warning",
            "message": "no file",
            "file": None,
            "span": None,
            "expected": "",
            "fix": "",
            "notes": [],
        },
    ]


def test_error_carries_its_findings() -> None:
    error = fault("PTG201", "bad", SPAN, fix="mend")
    assert isinstance(error, DiagnosticError)
    assert str(error) == "s.yaml:2:3: error PTG201: bad\n  fix: mend"
    assert error.diagnostics[0].fix == "mend"


def test_unregistered_code_is_refused() -> None:
    with pytest.raises(KeyError):
        Diagnostic("PTG999", "bad", None)


def test_codes_are_ordered_and_explained() -> None:
    assert list(CODES) == sorted(CODES)
    titles = [code.title for code in CODES.values()]
    assert len(set(titles)) == len(titles)
    assert all(len(code.explanation) > len(code.title) for code in CODES.values())


def test_every_code_in_the_tool_is_registered() -> None:
    root = Path(pyptogen.__file__).parent
    files = [path for path in root.rglob("*.py") if path.name != "codes.py"]
    used = {code for path in files for code in re.findall(r"PTG\d{3}", path.read_text("utf-8"))}
    assert len(used) > 30
    assert used <= set(CODES)


@pytest.mark.parametrize(
    ("name", "fix"), [("grpah", "did you mean `graph`?"), ("Graph", "did you mean `graph`?"), ("zzz", "")]
)
def test_did_you_mean(name: str, fix: str) -> None:
    assert did_you_mean(name, ["graph", "dims", "tiling"]) == fix
