"""The one form of specs: what `pyptogen fmt` changes, and what it never does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen.builder import build
from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.editor.format_spec import formatted
from pyptogen.schema.source import Source, read

ROOT = Path(__file__).parents[2]
MESSY = """\
# on top
pyptogen:   1
operator: scaled
dims: {n: {min: 1,   max: 64},d: 64}     # sizes


inputs:
    # in
    x:  fp32[n, d]
    gain: fp32[d]        # of a column
    # between
    limit:    fp32[1, d] # above
outputs: {y: "fp32[n, d]"}
graph:
    y: minimum(x * gain,   limit)
tiling:
- {n: 8}
verify:
  cases: [{n: 1},
      # more than one
    {n: 37}]
doc: >-
    a text

      # of two lines


    and gaps
"""
NEAT = """\
# on top
pyptogen: 1
operator: scaled
dims: {n: {min: 1, max: 64}, d: 64}      # sizes

inputs:
  # in
  x:    fp32[n, d]
  gain: fp32[d]          # of a column
  # between
  limit: fp32[1, d]      # above
outputs: {y: "fp32[n, d]"}
graph:
  y: minimum(x * gain,   limit)
tiling:
  - {n: 8}
verify:
  cases: [{n: 1},
      # more than one
    {n: 37}]
doc: >-
  a text

    # of two lines


  and gaps
"""


def neat(text: str, file: str = "x.yaml") -> str:
    once = formatted(Source(file, text))
    assert formatted(Source(file, once)) == once
    return once


def test_one_form() -> None:
    assert neat(MESSY) == NEAT


def test_every_spec_of_the_library_has_it() -> None:
    paths = [*ROOT.glob("specs/**/*.yaml"), *ROOT.glob("examples/specs/*.yaml")]
    assert len(paths) > 80
    assert [path.name for path in paths if formatted(read(str(path))) != path.read_text()] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nlonger:   2\nlongest_of_all: 3\n", "a: 1\nlonger:         2\nlongest_of_all: 3\n"),
        ("a: 1\nbb:  2\n", "a: 1\nbb: 2\n"),
        ("a:   1\n\nbb: 2\n", "a: 1\n\nbb: 2\n"),
        ("k, l: 1\nlonger:      2\nother_long:  3\n", "k, l: 1\nlonger:     2\nother_long: 3\n"),
        ("a: 1 # x\nbbbbbb: 2\n", "a: 1  # x\nbbbbbb: 2\n"),
        ("a: 1    # x\nb:   [1,2]    # y\n", "a: 1    # x\nb: [1, 2]     # y\n"),
        ("a: &q 1\nb: *q # of an alias\n", "a: &q 1\nb: *q  # of an alias\n"),
        ("a: 1.0e-6\nb: .inf\nc: 'q'\nd: ~\n", "a: 1.0e-6\nb: .inf\nc: 'q'\nd: ~\n"),
        ("a: [{b: 1}]\nc: {d}\n", "a: [{b: 1}]\nc: {d}\n"),
        ("a: ~   # nothing\nb:   [c, null]\n", "a: ~   # nothing\nb: [c, null]\n"),
        ("a: one\n  two   # end\nb: 2", "a: one\n  two   # end\nb: 2\n"),
    ],
)
def test_columns_and_comments(text: str, expected: str) -> None:
    assert neat(text) == expected


def test_toml_stays_as_it_is() -> None:
    assert neat("a   = 1\n", "x.toml") == "a   = 1\n"


def test_what_is_not_well_formed_is_a_finding() -> None:
    with pytest.raises(DiagnosticError, match=r"x\.yaml:2:1: error PTG101"):
        formatted(Source("x.yaml", "a: [1\n"))


def test_kernels_stay_the_same(tmp_path: Path) -> None:
    """The formatter proves that the tree stays the same; this asks the whole way down."""
    kernels = []
    for name, text in (("messy", MESSY), ("neat", NEAT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scaled.yaml").write_text(text)
        build(tmp_path / name / "scaled.yaml", tmp_path / name / "out", ["cpu"])
        kernels.append({p.name: p.read_bytes() for p in (tmp_path / name).glob("out/scaled/**/*.cpp")})
    assert kernels[0]
    assert kernels[0] == kernels[1]


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "messy.yaml").write_text(MESSY)
    (tmp_path / "neat.yaml").write_text(NEAT)
    return lambda *words: CliRunner().invoke(app, ["fmt", *words])


def test_check_names_the_first_line_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    result = run(".", "--check", "--output-format", "concise")
    assert result.exit_code == 1
    assert "messy.yaml:2:11: error PTG120" in result.stderr
    assert "neat.yaml" not in result.stderr
    assert (tmp_path / "messy.yaml").read_text() == MESSY


def test_diff_is_a_patch(run: Run, tmp_path: Path) -> None:
    result = run("messy.yaml", "--diff")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- a/messy.yaml\n+++ b/messy.yaml\n@@ ")
    assert "-pyptogen:   1\n+pyptogen: 1\n" in result.stdout
    assert (tmp_path / "messy.yaml").read_text() == MESSY


def test_the_file_is_replaced_and_keeps_its_mode(run: Run, tmp_path: Path) -> None:
    (tmp_path / "messy.yaml").chmod(0o640)
    (tmp_path / "link.yaml").symlink_to("messy.yaml")
    assert "formatted link.yaml" in run("link.yaml").stdout
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "messy.yaml").read_text() == NEAT
    assert (tmp_path / "messy.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.yaml", "messy.yaml", "neat.yaml"]


def test_a_fault_in_one_spec_leaves_all_as_they_are(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [1\n")
    result = run(".")
    assert result.exit_code == 1
    assert "bad.yaml:2:1: error PTG101" in result.stderr
    assert (tmp_path / "messy.yaml").read_text() == MESSY
