"""`pyptogen doctor`, and completion in shells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app


def test_it_says_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PTO_ISA_ROOT", raising=False)
    said = CliRunner().invoke(app, ["doctor"])
    assert said.exit_code == 0, said.output
    lines = dict(line.split(None, 1) for line in said.output.splitlines())
    assert {"pyptogen", "compiler", "machine", "cache", "PTO-ISA", "[torch]", "device"} <= lines.keys()
    assert f"{tmp_path / 'cache'}: 0 entries" in lines["cache"]


@pytest.mark.parametrize(
    ("name", "value", "code"), [("CXX", "no-such-compiler", "PTG501"), ("PTO_ISA_ROOT", "/", "PTG503")]
)
def test_what_is_broken_is_a_finding(name: str, value: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    said = CliRunner().invoke(app, ["doctor"])
    assert said.exit_code == 1
    assert code in said.output


def test_completion_knows_the_commands() -> None:
    environment = {**os.environ, "_PYPTOGEN_COMPLETE": "complete_bash", "COMP_WORDS": "pyptogen doc", "COMP_CWORD": "1"}
    said = CliRunner().invoke(app, [], prog_name="pyptogen", env=environment)
    assert said.output.split() == ["doctor"]
