"""Whose code runs: goldens and C++ of specs from outside of the project only where somebody said so."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.project import project_root, trusted_folders
from pyptogen.schema import Source, load_source, load_spec

SPEC = """\
pyptogen: 1
operator: strange
dims: {rows: {min: 1, max: 64}}
inputs: {x: 'fp32[rows]'}
outputs: {y: 'fp32[rows]'}
graph: {y: x * 2}
targets: [cpu]
verify: {cases: [{rows: 3}], golden: {file: strange.py}}
"""
GOLDEN = """\
from pathlib import Path
Path(__file__).with_name("it_ran").touch()
def strange(x):
    return x * 2
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec with a golden beside a project that is the working directory."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / "strange.yaml").write_text(SPEC)
    (folder / "strange.py").write_text(GOLDEN)
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return folder


def asked(command: str, folder: Path, *more: str) -> Result:
    sizes = ("--dims", "rows=3") if command == "run" else ()
    return CliRunner().invoke(app, [command, str(folder / "strange.yaml"), *sizes, *more])


@pytest.mark.parametrize("command", ["run", "test"])
def test_code_from_outside_does_not_run(command: str, outside: Path) -> None:
    result = asked(command, outside)
    assert result.exit_code == 1
    assert "PTG411" in result.output + str(result.exception)
    assert not (outside / "it_ran").exists()


@pytest.mark.parametrize("how", ["option", "file", "inside"])
def test_code_runs_where_somebody_said_so(how: str, outside: Path) -> None:
    if how == "file":
        Path("pyptogen.toml").write_text('[trust]\ncode = ["../downloads"]\n')
    folder = outside.rename("downloads") if how == "inside" else outside
    result = asked("run", folder, *(["--allow-code"] if how == "option" else []))
    assert result.exit_code == 0, result.output + str(result.exception)
    assert (folder / "it_ran").exists()


@pytest.mark.parametrize("command", ["check", "build"])
def test_check_and_build_run_nothing(command: str, outside: Path) -> None:
    assert CliRunner().invoke(app, [command, str(outside)]).exit_code == 0
    assert not (outside / "it_ran").exists()


def test_the_root_of_a_project(tmp_path: Path) -> None:
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)
    (tmp_path / "a/pyptogen.toml").write_text("[trust]\ncode = ['more']\n")
    assert project_root(inner) == tmp_path / "a"
    assert trusted_folders(tmp_path / "a") == (tmp_path / "a", tmp_path / "a/more")
    (tmp_path / "a/pyptogen.toml").write_text("[trust]\ncod = ['more']\n")
    with pytest.raises(DiagnosticError, match="PTG103"):
        trusted_folders(tmp_path / "a")


@pytest.mark.parametrize("deep", ["-" * 100_000 + "1", "1" + "+1" * 50_000, "((" * 200])
def test_python_that_no_parser_takes(deep: str, tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(deep)
    (tmp_path / "strange.yaml").write_text(SPEC)
    with pytest.raises(DiagnosticError, match="PTG101"):
        load_spec(tmp_path / "strange.yaml")
    when = SPEC.replace("graph: {y: x * 2}", f"graph: {{s: {{when: {{rows: '{deep}'}}, y: x * 2}}}}")
    with pytest.raises(DiagnosticError, match="PTG104"):
        load_source(Source("a.yaml", when.replace(", golden: {file: strange.py}", "")))
