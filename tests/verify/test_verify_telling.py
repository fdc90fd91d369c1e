"""Warnings of `check` about verify cases that would not show a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.diagnostics import Diagnostic
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.verify.telling import untold

TEXT = """\
pyptogen: 1
operator: demo
dims: {rows: {min: 1, max: 4096}, cols: 64}
inputs: {x: 'fp32[rows, cols]', z: 'fp32[rows, cols]'}
outputs: {y: 'fp32[rows, cols]'}
graph: {y: x + z}
tiling: [{rows: 8}]
verify:
  generate: {z: normal()}
  cases: [{rows: 1}, {rows: 37}]
  tolerance: {y: {rtol: 1.0e-3}}
"""


def warnings(*changes: tuple[str, str]) -> tuple[Diagnostic, ...]:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    spec = load_source(Source("demo.yaml", text))
    return untold(spec, from_spec(spec))


def test_cases_that_tell() -> None:
    assert warnings() == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("{rows: 37}", "{rows: 1}", "PTG240", "`rows` is 1 in every case"),
        ("{rows: 1}, {rows: 37}", "{rows: 8}, {rows: 64}", "PTG240", "a multiple of its tile, 8"),
        ("normal()", "ones()", "PTG240", "all elements of `z` are equal"),
        ("normal()", "'0.5 * 3'", "PTG240", "all elements of `z` are equal"),
        ("1.0e-3", "0.1", "PTG241", "the tolerance of `y` is more than 1%"),
        ("rtol: 1.0e-3", "outliers: 0.05", "PTG241", "the tolerance of `y` is more than 1%"),
    ],
)
def test_cases_that_cannot_tell(old: str, new: str, code: str, words: str) -> None:
    (only,) = warnings((old, new))
    assert (only.code, only.severity) == (code, "warning")
    assert words in only.message
    assert only.span is not None
    assert only.fix


def test_a_reason_lifts_the_cap() -> None:
    assert warnings(("rtol: 1.0e-3", "rtol: 0.5, reason: a coarse table")) == ()


def test_check_prints_them_and_is_content(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text(TEXT.replace("{rows: 37}", "{rows: 1}"))
    result = CliRunner().invoke(app, ["check", str(path)])
    assert result.exit_code == 0
    assert "is fine" in result.output
    assert "warning PTG240" in result.output
    assert "fix: add a case with several" in result.output
