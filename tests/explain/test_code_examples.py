"""The examples of `pyptogen explain CODE`: what they call wrong leads to the code, what they call right does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
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
from pyptogen.editor.document import Document
from pyptogen.editor.navigate import rename
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


@pytest.mark.parametrize("code", of_kind("rename"))
def test_a_rename(code: str) -> None:
    parts = EXAMPLES[code].parts
    text = whole_spec(parts["spec"])

    def renamed(marked: str) -> None:
        line = marked.rstrip("\n")
        assert text.count(line.replace("|", "")) == 1
        rename(Document("example.yaml", text), text.index(line.replace("|", "")) + line.index("|"), "other")

    with pytest.raises(DiagnosticError) as raised:
        renamed(parts["wrong"])
    assert [one.code for one in raised.value.diagnostics] == [code]
    renamed(parts["right"])


def _package(site: Path, name: str, operation: str, module: bool = True) -> None:
    """What an installation of a plug-in with one operation leaves in ``site``; without its module if so wished."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[pyptogen.operations]\n{operation} = {name}\n")
    if module:
        (site / f"{name}.py").write_text(
            "from pyptogen.lower.tensor.building.registry import SAME, operation\n\n\n"
            f'@operation("{operation}(x)", SAME)\ndef {operation}(b, x):\n    """x."""\n    return x\n'
        )


def _two_packages(site: Path) -> None:
    _package(site, "first_mish", "mish")
    _package(site, "second_mish", "mish")


def _without_its_module(site: Path) -> None:
    _package(site, "halved", "half_of", module=False)


def _without_pygls(site: Path) -> None:
    site.mkdir()
    (site / "pygls.py").write_text("raise ModuleNotFoundError\n")


def _with_torch(site: Path) -> None:
    pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")


GIVEN: dict[str, Callable[[Path], None]] = {
    "PyTorch is installed": _with_torch,
    "pygls is not installed": _without_pygls,
    "two packages are installed that both have an operation `mish`": _two_packages,
    "a package is installed whose entry point names a module that is not there": _without_its_module,
}
"""What an example counts on, and what makes it so in a folder that comes first on Python's path."""


def shell(line: str, site: Path | None = None) -> tuple[int, str]:
    """Exit code and output of a line; commands of pyptogen alone run in this process, which is faster. With ``site``
    as if what lies there was installed."""
    if line.startswith("pyptogen ") and site is None and not set(line) & set("'<>|"):
        result = CliRunner().invoke(app, line.split()[1:])
        raised = result.exception if isinstance(result.exception, DiagnosticError) else ""
        return result.exit_code, f"{result.output}{raised}"
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    if site is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("code", of_kind("commands"))
def test_commands(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = EXAMPLES[code].parts
    site = None
    if "given" in parts:
        site = tmp_path / "site"
        GIVEN[parts["given"].strip()](site)
    folder = tmp_path / "library"
    (folder / "specs").mkdir(parents=True)
    (folder / "specs/example.yaml").write_text(whole_spec(parts.get("spec", "")))
    monkeypatch.chdir(folder)
    *before, last = parts["wrong"].splitlines()
    for line in before:
        assert shell(line, site)[0] == 0, line
    ended, said = shell(last, site)
    assert (ended, code in said) == (1, True), said
    lines = [line for line in parts["right"].splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        ended, said = shell(line)
        assert (ended, f" {code}" in said) == (0, False), f"{line}: {said}"


@pytest.mark.parametrize("code", ["PTG121", "PTG201", "PTG405", "PTG511", "PTG518", "PTG606"])
def test_shown_with_its_code(code: str) -> None:
    for part in EXAMPLES[code].parts.values():
        for line in part.splitlines():
            assert line.strip()[:60] in explain_code(code).replace("\n", " ") or line.strip() in explain_code(code)


def test_every_code_has_an_example_and_every_example_a_code() -> None:
    files = {path.stem for path in Path(str(pyptogen.__path__[0]), "diagnostics/examples").glob("*.txt")}
    assert files == set(CODES)


def test_every_example_is_executed() -> None:
    kinds = ("spec", "change", "call", "rename", "commands")
    assert {code for kind in kinds for code in of_kind(kind)} == set(CODES)
    assert {example.parts["given"].strip() for example in EXAMPLES.values() if "given" in example.parts} == set(GIVEN)
