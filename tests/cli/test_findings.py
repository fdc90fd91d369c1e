"""How findings leave the commands: `--output-format`, `--strict`, colours, each once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from pyptogen.cli.app import app

GOOD = """\
pyptogen: 1
operator: fine
dims: {n: {min: 1, max: 64}, d: 64}
inputs: {x: "fp32[n, d]"}
outputs: {y: "fp32[n, d]"}
graph: {y: exp(x)}
verify:
  cases: [{n: 1}]
"""
"""With one row no case can tell one from another: a warning."""

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(GOOD.replace("exp(", "epx("))
    return lambda *words: CliRunner().invoke(app, [*words])


def test_a_document_is_all_of_stdout(run: Run) -> None:
    result = run("check", "good.yaml", "bad.yaml", "--output-format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [(one["code"], one["severity"]) for one in found] == [("PTG240", "warning"), ("PTG202", "error")]
    assert "good.yaml: fine is fine for cpu, a2a3" in result.stderr


def test_a_fault_before_any_spec_is_in_the_document(run: Run) -> None:
    result = run("check", "nowhere", "--output-format", "sarif")
    assert result.exit_code == 1
    (one,) = json.loads(result.stdout)["runs"][0]["results"]
    assert one["ruleId"] == "PTG110"


def test_build_and_its_check(run: Run) -> None:
    result = run("build", "bad.yaml", "--output-format", "concise")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("bad.yaml:6:12: error PTG202: there is no operation `epx` (expected: ")
    result = run("build", "good.yaml", "--check", "--output-format", "junit")
    assert result.exit_code == 1
    assert ElementTree.fromstring(result.stdout).get("failures") == "1"
    result = run("build", "bad.yaml", "--output-format", "gitlab")
    assert [one["check_name"] for one in json.loads(result.stdout)] == ["PTG202"]


def test_strict_makes_errors_of_warnings(run: Run) -> None:
    lax, strict = run("check", "good.yaml"), run("check", "good.yaml", "--strict")
    assert (lax.exit_code, strict.exit_code) == (0, 1)
    assert "warning PTG240" in lax.stderr
    assert "error PTG240" in strict.stderr


def test_a_fault_of_a_file_that_two_specs_include_is_told_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sizes.yaml").write_text("dmis: {c: 8}\n")
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.replace("operator: fine", f"operator: {name}\ninclude: sizes.yaml"))
    result = run("check", "one.yaml", "two.yaml", "--output-format", "json")
    assert [(one["code"], one["span"]["file"]) for one in json.loads(result.stdout)] == [("PTG103", "sizes.yaml")]


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, False),
    ],
)
def test_colours(run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\033[" in run("check", "bad.yaml").stderr) is coloured
    assert "\033[" not in run("check", "bad.yaml", "--output-format", "concise").stderr
