"""Suites: every case is told, whatever becomes of the others. Operators in numpy that fail as asked stand for compiled
ones."""

from __future__ import annotations

import faulthandler
import os
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.diagnostics import fault
from pyptogen.inputs.example import example_inputs
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime.native.binding import RunError
from pyptogen.schema import load_spec
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.suite import run_suite

SPEC = """\
pyptogen: 1
operator: {name}
dims:
  n: {{min: 1, max: 64}}
inputs:
  x: fp32[n]
outputs:
  y: fp32[n]
graph:
  y: x * 2
verify:
  cases: [{{n: 1}}, {{n: 2}}, {{n: 3}}]
"""


Outputs = namedtuple("Outputs", "y")


class Doubler:
    """The operator in numpy; ``fails`` happens in the case of size 2."""

    last_run = 0.25

    def __init__(self, spec: Any, target: str, fails: Any) -> None:
        self.spec, self.target, self.fails = spec, target, fails
        self.program = from_spec(spec)

    def example_inputs(self, seed: int, **dims: int) -> dict[str, Any]:
        return example_inputs(self.spec, dims, seed, program=self.program)

    def golden(self, *, x: Any) -> Any:
        return self._results(interpret(self.program, {"x": x}, {})["y"])

    def __call__(self, *, x: Any, out: Any) -> Any:
        if len(x) == 2 and self.fails is not None:
            self.fails()
        out["y"][...] = x * np.float32(2)
        return self._results(out["y"])

    def _results(self, y: Any) -> Any:
        return Outputs(y)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.yaml").write_text(SPEC.format(name=name))
    return tmp_path


def compiled(monkeypatch: pytest.MonkeyPatch, fails: Any, only: str = "second") -> None:
    """Operators of these specs; the one named ``only`` fails in its middle case on cpu."""

    def compile_(spec: Any, target: str, checked: bool, interpret: bool) -> Doubler:
        assert not interpret
        assert not checked
        return Doubler(spec, target, fails if spec.name == only and target == "cpu" else None)

    monkeypatch.setattr(pyptogen, "compile", compile_)


def say_and_abort() -> None:
    faulthandler.disable()  # pytest's, which would tell of this on the terminal
    os.write(2, b"kernel.cpp:3: pto check: race\n")
    os.abort()


def name_a_line_and_abort() -> None:
    faulthandler.disable()
    os.write(2, b"cpu/kernels/second.cpp:LINE: pto check: race\n".replace(b"LINE", os.environ["LINE"].encode()))
    os.abort()


def refuse() -> None:
    raise RunError("a kernel threw")


@pytest.mark.parametrize("jobs", [1, 3])
def test_all_cases_in_order(specs: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    compiled(monkeypatch, None)
    found = [(o.operator, o.target, dict(o.dims), o.passed) for o in run_suite([specs], jobs=jobs)]
    assert found == [
        (name, target, {"n": n}, True)
        for name in ("first", "second", "third")
        for target in ("cpu", "a2a3")
        for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("fails", "problem"),
    [
        (say_and_abort, "kernel.cpp:3: pto check: race"),
        (lambda: os.kill(os.getpid(), 9), "ended by SIGKILL"),
        (refuse, "a kernel threw"),
    ],
)
def test_a_case_that_ends_its_process_ends_no_other(
    specs: Path, monkeypatch: pytest.MonkeyPatch, fails: Any, problem: str
) -> None:
    compiled(monkeypatch, fails)
    outcomes = list(run_suite([specs]))
    assert len(outcomes) == 18
    (bad,) = [outcome for outcome in outcomes if not outcome.passed]
    assert (bad.operator, bad.target, dict(bad.dims), bad.problem) == ("second", "cpu", {"n": 2}, problem)


def test_the_line_of_a_kernel_leads_to_the_spec(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (kernel,) = generate(from_spec(load_spec(specs / "second.yaml")), "cpu").kernels
    line = next(number for number, text in enumerate(kernel.text.splitlines(), 1) if "* 2" in text)
    monkeypatch.setenv("LINE", str(line))
    compiled(monkeypatch, name_a_line_and_abort)
    (bad,) = [outcome for outcome in run_suite([specs / "second.yaml"], ["cpu"]) if not outcome.passed]
    said, place, *excerpt = bad.problem.splitlines()
    assert said == f"cpu/kernels/second.cpp:{line}: pto check: race"
    assert place == f"serves {specs / 'second.yaml'}:10:6"
    assert "10 |   y: x * 2" in excerpt


def test_specs_that_cannot_be_read_or_compiled_are_told_among_the_others(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (specs / "first.yaml").write_text("pyptogen: 1\noperator: first\n")

    def compile_(spec: Any, target: str, checked: bool, interpret: bool) -> Doubler:
        assert not interpret
        if target == "a2a3":
            raise fault("PTG502", "no", None)
        return Doubler(spec, target, None)

    monkeypatch.setattr(pyptogen, "compile", compile_)
    outcomes = list(run_suite([specs], jobs=2))
    assert [(o.operator, o.target, o.passed) for o in outcomes] == [
        ("first", "", False),
        *[("second", "cpu", True)] * 3,
        ("second", "a2a3", False),
        *[("third", "cpu", True)] * 3,
        ("third", "a2a3", False),
    ]
    assert [o.diagnostics[0].code for o in outcomes if not o.passed] == ["PTG105", "PTG502", "PTG502"]


def test_a_fault_of_the_tool_is_none_of_the_spec(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise KeyError("lost")

    compiled(monkeypatch, broken)
    with pytest.raises(RuntimeError, match=r"second.yaml: KeyError: 'lost'\n[^$]*Traceback"):
        list(run_suite([specs]))


def test_checked_mode_is_for_all_targets(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(spec: Any, target: str, checked: bool, interpret: bool) -> Doubler:
        assert not interpret
        raise fault("PTG502", f"{target} {checked}", None)

    monkeypatch.setattr(pyptogen, "compile", compile_)
    asked = [outcome.diagnostics[0].message for outcome in run_suite([specs / "first.yaml"], checked=True)]
    assert sorted(asked) == ["a2a3 True", "cpu True"]


def test_a_spec_without_cases_says_how_to_write_one(tmp_path: Path) -> None:
    text = SPEC.format(name="one").replace("verify:\n  cases: [{n: 1}, {n: 2}, {n: 3}]\n", "")
    (tmp_path / "one.yaml").write_text(text.replace("min: 1, max: 64", "min: 5, max: 64, multiple_of: 4"))
    (outcome,) = run_suite([tmp_path / "one.yaml"])
    (found,) = outcome.failures
    assert (found.code, found.fix) == ("PTG105", "add `verify: {cases: [{n: 8}]}`")
    assert outcome.spec == str(tmp_path / "one.yaml")
