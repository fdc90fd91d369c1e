"""`check --fix`: what has one way out is mended, and nothing else of a file changes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.builder.fixing import fixed
from pyptogen.cli.app import app
from pyptogen.diagnostics import Diagnostic, Span, did_you_mean
from pyptogen.diagnostics.edits import Edit, applied, edit_of

RIGHT = """\
pyptogen: 1
operator: mended   # a comment that stays
dims:
  rows: {min: 1, max: 64}
  cols: 16
inputs:
  x: fp32[rows, cols]      # and this one
outputs:
  y: fp32[rows, cols]
requires: ['rows <= 64']
graph:
  sum_of: x + 1
  y: softmax(sum_of, axis=1)
tiling:
  - {rows: 8}
targets: [cpu]
"""
SLIPS = [
    ("dims:", "dmis:"),
    ("max: 64", "maxx: 64"),
    ("x: fp32[", "x: float32["),
    ("y: fp32[", "y: FP32["),
    ("<= 64", "=< 64"),
    ("softmax", "sofmax"),
    ("(sum_of", "(sum_off"),
    ("- {rows: 8}", "- {row: 8}"),
    ("targets: [cpu]", "targets: cpu"),
    ("  cols: 16", "\tcols: 16"),
]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return tmp_path / "mended.yaml"


@pytest.mark.parametrize(("right", "wrong"), SLIPS)
def test_one_slip(right: str, wrong: str, spec: Path) -> None:
    assert right in RIGHT
    spec.write_text(RIGHT.replace(right, wrong))
    mended = fixed(spec)
    assert mended is not None
    assert mended.after == RIGHT
    assert spec.read_text() != RIGHT


def test_all_at_once_and_written(spec: Path) -> None:
    text = RIGHT
    for right, wrong in SLIPS:
        text = text.replace(right, wrong)
    spec.write_bytes(text.replace("\n", "\r\n").encode())
    spec.chmod(0o640)
    shown = CliRunner().invoke(app, ["check", "--fix", "--diff", str(spec)])
    assert shown.exit_code == 1
    assert "-\tcols: 16" in shown.output
    assert "+  cols: 16" in shown.output
    assert spec.read_bytes() == text.replace("\n", "\r\n").encode()
    result = CliRunner().invoke(app, ["check", "--fix", str(spec)])
    assert result.exit_code == 0, result.output
    assert spec.read_bytes() == RIGHT.replace("\n", "\r\n").encode()
    assert spec.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in spec.parent.iterdir()] == ["mended.yaml"]
    again = CliRunner().invoke(app, ["check", "--fix", "--diff", str(spec)])
    assert (again.exit_code, "+++" in again.output) == (0, False)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param("softmax(sum_of", "softmax(other", id="like nothing"),
        pytest.param("  sum_of: x + 1", "  a_x: x + 1\n  a_z: x + 2\n  sum_of: a_y + a_x", id="like two names"),
        pytest.param("max: 64", "max: many", id="no name"),
        pytest.param("targets: [cpu]", "targets: [gpu]", id="another word of three letters"),
    ],
)
def test_what_has_no_one_way_out_stays(right: str, wrong: str, spec: Path) -> None:
    spec.write_text(RIGHT.replace(right, wrong))
    assert fixed(spec) is None
    result = CliRunner().invoke(app, ["check", "--fix", str(spec)])
    assert result.exit_code == 1
    assert spec.read_text() == RIGHT.replace(right, wrong)


def test_a_link_stays_a_link(spec: Path, tmp_path: Path) -> None:
    spec.write_text(RIGHT.replace("softmax", "sofmax"))
    link = tmp_path / "link.yaml"
    link.symlink_to(spec)
    assert CliRunner().invoke(app, ["check", "--fix", str(link)]).exit_code == 0
    assert link.is_symlink()
    assert spec.read_text() == RIGHT


def test_a_suggestion_travels_between_processes() -> None:
    found = Diagnostic("PTG201", "`sofmax`", Span("a", 1, 1, 1, 7), fix=did_you_mean("sofmax", ["softmax", "exp"]))
    again = pickle.loads(pickle.dumps(found))
    assert edit_of(again, "sofmax(x)") == Edit(Span("a", 1, 1, 1, 7), "softmax")


def test_edits_that_overlap() -> None:
    edits = [Edit(Span("a", 1, 1, 1, 4), "one"), Edit(Span("a", 1, 2, 1, 6), "two"), Edit(Span("a", 2, 1, 2, 2), "")]
    assert applied(edits, "abcdef\nxyz") == "onedef\nyz"
