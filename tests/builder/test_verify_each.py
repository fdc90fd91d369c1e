"""`--verify-each`: a pass that makes an illegal program is caught where it happened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.builder import build
from pyptogen.builder.checking import check_specs
from pyptogen.cli.app import app
from pyptogen.lower.tensor import IllegalIR
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.passes import remove_dead

SPEC = """\
pyptogen: 1
operator: demo
dims: {t: {max: 64}, u: {max: 64}, d: 16}
requires: [t == u]
inputs:
  x: fp32[t, d]
  z: fp32[u, d]
outputs:
  y: fp32[t, d]
graph:
  e: exp(x)
  y: e + z
tiling: [{t: 8}]
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "demo.yaml"
    path.write_text(SPEC)
    return path


def lose_the_first(program: Program) -> Program:
    """A pass that drops an operation which others use."""
    return replace(program, ops=program.ops[1:])


def test_an_illegal_program_is_found_in_a_build(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remove_dead, "run", lose_the_first)
    with pytest.raises(IllegalIR, match="which is not defined before it"):
        build(spec, tmp_path / "out", verify_each=True)
    with pytest.raises(IllegalIR):
        check_specs(spec, verify_each=True)


def test_an_unchanged_spec_is_verified_too(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(spec, tmp_path / "out")
    monkeypatch.setattr(remove_dead, "run", lose_the_first)
    assert not build(spec, tmp_path / "out").changed
    with pytest.raises(IllegalIR):
        build(spec, tmp_path / "out", verify_each=True)


def test_the_flags_are_on_the_command_line(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = CliRunner().invoke(app, ["check", str(spec), "--verify-each"])
    assert fine.exit_code == 0
    assert fine.output.splitlines() == [f"{spec}: demo is fine for cpu, a2a3"]
    monkeypatch.setattr(remove_dead, "run", lose_the_first)
    for words in (["check", str(spec)], ["build", str(spec), "-o", str(tmp_path / "out")]):
        assert isinstance(CliRunner().invoke(app, [*words, "--verify-each"]).exception, IllegalIR)
