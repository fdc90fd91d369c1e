"""Several specs at a time: the same folders and the same findings as one after the other."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pyptogen.builder import build
from pyptogen.builder.at_once import each
from pyptogen.builder.checking import check_specs
from pyptogen.diagnostics import DiagnosticError

SPEC = """\
pyptogen: 1
operator: {name}
dims: {{t: {{min: 1, max: 64}}, n: 64}}
inputs: {{x: "fp32[t, n]"}}
outputs: {{y: "fp32[t, n]"}}
graph: {{y: "{expression}"}}
tiling: [{{t: 8}}]
"""


def written(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def specs(folder: Path, **expressions: str) -> Path:
    folder.mkdir()
    for name, expression in expressions.items():
        (folder / f"{name}.yaml").write_text(SPEC.format(name=name, expression=expression))
    return folder


def slow_first(number: int) -> tuple[int, int]:
    if number == 0:
        time.sleep(0.2)
    return number, os.getpid()


def refuse_odd(number: int) -> int:
    if number % 2:
        raise ValueError(number)
    return number


def test_results_come_in_order_from_other_processes() -> None:
    found = each(slow_first, range(4), 2)
    assert [number for number, _ in found] == [0, 1, 2, 3]
    assert os.getpid() not in {process for _, process in found}
    assert {process for _, process in each(slow_first, range(2), 1)} == {os.getpid()}


def test_an_exception_arrives() -> None:
    with pytest.raises(ValueError, match="1"):
        each(refuse_odd, range(4), 2)


def test_folders_are_the_same(tmp_path: Path) -> None:
    given = specs(tmp_path / "specs", doubled="x + x", scaled="x * 3.0", least="minimum(x, 0.5)")
    for jobs in (1, 2):
        build([given], tmp_path / str(jobs), jobs=jobs)
    assert len(written(tmp_path / "1")) > 20
    assert written(tmp_path / "1") == written(tmp_path / "2")
    again = build([given], tmp_path / "2", jobs=2)
    assert [operator.quick for operator in again.operators] == [True, True, True]


def test_checks_are_the_same(tmp_path: Path) -> None:
    given = specs(tmp_path / "specs", doubled="x + x", scaled="x * 3.0")
    assert check_specs([given], jobs=2) == check_specs([given])
    (given / "wrong.yaml").write_text(SPEC.format(name="wrong", expression="x + z"))
    said = []
    for jobs in (1, 2):
        with pytest.raises(DiagnosticError) as caught:
            check_specs([given], jobs=jobs)
        said.append(caught.value.diagnostics)
    assert said[0] == said[1]


def test_findings_are_the_same(tmp_path: Path) -> None:
    given = specs(tmp_path / "specs", first="x + z", fine="x + x", last="nothing(x)")
    said = []
    for jobs in (1, 2):
        with pytest.raises(DiagnosticError) as caught:
            build([given], tmp_path / "out", jobs=jobs)
        said.append(caught.value.diagnostics)
    assert said[0] == said[1]
    assert [d.span.file.rsplit("/")[-1] for d in said[0] if d.span] == ["first.yaml", "last.yaml"]
    assert not (tmp_path / "out").exists()
