"""The examples of `pyptogen explain CODE`: what they call wrong leads to the code, what they call right does not."""

from __future__ import annotations

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


@pytest.mark.parametrize("code", ["PTG110", "PTG503", "PTG516", "PTG517", "PTG620"])
def test_a_command(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = EXAMPLES[code].parts["text"].split("`")[1]
    result = CliRunner().invoke(app, command.split()[1:])
    said = str(result.exception) + result.output
    assert code in said
    assert result.exit_code == 1


@pytest.mark.parametrize("code", ["PTG201", "PTG405", "PTG511", "PTG606"])
def test_shown_with_its_code(code: str) -> None:
    for part in EXAMPLES[code].parts.values():
        for line in part.splitlines():
            assert line.strip()[:60] in explain_code(code).replace("\n", " ") or line.strip() in explain_code(code)


def test_every_code_has_an_example_and_every_example_a_code() -> None:
    files = {path.stem for path in Path(str(pyptogen.__path__[0]), "diagnostics/examples").glob("*.txt")}
    assert files == set(CODES)
    assert all("pyptogen " in EXAMPLES[code].parts["text"] for code in of_kind("way"))
