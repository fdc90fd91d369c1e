"""The examples of `pyptogen explain CODE`: what they call wrong leads to the code, what they call right does not."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pyptogen
from pyptogen.builder.checking import check_specs
from pyptogen.cli.app import app
from pyptogen.diagnostics import CODES, DiagnosticError
from pyptogen.diagnostics.examples import Example, example_of, whole_spec
from pyptogen.explain import explain_code
from pyptogen.review.compare import review

ROOT = Path(__file__).parents[2]
EXAMPLES = {code: example_of(code) for code in CODES}


def of_kind(kind: str) -> list[str]:
    return [code for code, example in EXAMPLES.items() if example.kind == kind]


def checked(folder: Path, fragment: str) -> set[str]:
    """The codes of all findings about a spec."""
    spec = folder / "example.yaml"
    spec.write_text(whole_spec(fragment))
    try:
        return {one.code for result in check_specs(spec) for one in result.warnings}
    except DiagnosticError as error:
        return {one.code for one in error.diagnostics}


@pytest.mark.parametrize("code", of_kind("spec"))
def test_a_spec(code: str, tmp_path: Path) -> None:
    parts = EXAMPLES[code].parts
    assert checked(tmp_path, parts["wrong"]) - {"PTG240"} | {code} == {code}
    assert code in checked(tmp_path, parts["wrong"])
    assert checked(tmp_path, parts["right"]) <= {"PTG240"} - {code}


@pytest.mark.parametrize("code", of_kind("change"))
def test_a_change(code: str, tmp_path: Path) -> None:
    found = {}
    for name in ("before", "wrong", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "example.yaml").write_text(whole_spec(EXAMPLES[code].parts[name]))
    for name in ("wrong", "right"):
        reviewed = review([tmp_path / name], str(tmp_path / "before"), made=False)
        found[name] = {change.code for operator in reviewed.operators for change in operator.changes}
    assert code in found["wrong"]
    assert code not in found["right"]


@cache
def operator(spec: str, folder: Path) -> Any:
    path = folder / "example.yaml"
    path.write_text(whole_spec(spec))
    return pyptogen.compile(path)


@pytest.mark.parametrize("code", of_kind("call"))
def test_a_call(code: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    example: Example = EXAMPLES[code]
    names = {"np": np, "operator": operator(example.parts["spec"], tmp_path_factory.getbasetemp())}
    with pytest.raises(DiagnosticError) as raised:
        exec(example.parts["wrong"], dict(names))
    assert [one.code for one in raised.value.diagnostics] == [code]
    exec(example.parts["right"], dict(names))


def shell(line: str) -> tuple[int, str]:
    """Exit code and output of a line; commands of pyptogen alone run in this process, which is faster."""
    if line.startswith("pyptogen "):
        result = CliRunner().invoke(app, line.split()[1:])
        raised = result.exception if isinstance(result.exception, DiagnosticError) else ""
        return result.exit_code, f"{result.output}{raised}"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("code", of_kind("commands"))
def test_commands(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "library"
    (folder / "specs").mkdir(parents=True)
    (folder / "specs/example.yaml").write_text(whole_spec(""))
    monkeypatch.chdir(folder)
    *before, last = EXAMPLES[code].parts["wrong"].splitlines()
    for line in before:
        assert shell(line)[0] == 0, line
    ended, said = shell(last)
    assert (ended, code in said) == (1, True), said
    for line in EXAMPLES[code].parts["right"].splitlines():
        ended, said = shell(line)
        assert (ended, f" {code}" in said) == (0, False), f"{line}: {said}"


@pytest.mark.parametrize("code", ["PTG201", "PTG405", "PTG511", "PTG606"])
def test_shown_with_its_code(code: str) -> None:
    for part in EXAMPLES[code].parts.values():
        for line in part.splitlines():
            assert line.strip()[:60] in explain_code(code).replace("\n", " ") or line.strip() in explain_code(code)


def test_every_code_has_an_example_and_every_example_a_code() -> None:
    files = {path.stem for path in Path(str(pyptogen.__path__[0]), "diagnostics/examples").glob("*.txt")}
    assert files == set(CODES)
    assert all("pyptogen " in EXAMPLES[code].parts["text"] for code in of_kind("way"))
