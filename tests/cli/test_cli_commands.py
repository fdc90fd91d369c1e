"""The command line: what is printed, where, and the exit code.

Compilation is replaced by an operator in numpy, which can be told to be wrong; everything between the command
line and it is real.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import pyptogen
from pyptogen.builder import BuildReport, OperatorBuild
from pyptogen.cli import main
from pyptogen.inputs.example import example_inputs
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime.operator.contract import Contract
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: toy
dims:
  t: {min: 1, max: 64}
  blocks: {min: 2, max: 16, multiple_of: 2}
  k: 32
  n: 16
  size: 8
  slots: blocks * size
inputs:
  x: bf16[t, k]
  w: bf16[k, 2 * n] @ nz
  cache: fp32[slots, 2 * n]
  index: int64[t]
outputs:
  cache: {inplace: true}
  y: fp16[t, 2 * n]
graph:
  acc: matmul(x, w, dtype=fp32)
  y: cast(acc, fp16)
  cache: scatter_update(cache, index, acc, dim=0)
verify:
  generate: {index: permutation(slots)}
  cases: [{t: 5, blocks: 4}, {t: 9, blocks: 2}]
"""

Run = Callable[..., "Outcome"]
Outcome = namedtuple("Outcome", "code out err")
Outputs = namedtuple("Outputs", "cache y")


class Numpy:
    """An operator in numpy. ``error`` is added to one element of y."""

    last_run = 0.00125

    def __init__(self, target: str, error: float, called: Callable[[Numpy], None] = lambda _: None) -> None:
        self.called = called
        self.spec = load_source(Source("toy.yaml", SPEC))
        self.program = from_spec(self.spec)
        self.contract = Contract.from_program(self.program)
        self.target = target
        self.error = error

    def example_inputs(self, seed: int, **dims: int) -> dict[str, Any]:
        return example_inputs(self.spec, dims, seed, program=self.program)

    def golden(self, *, x: Any, w: Any, cache: Any, index: Any) -> Outputs:
        cache = cache.copy()
        return self._outputs(x, w, cache, index)

    def __call__(self, *, x: Any, w: Any, cache: Any, index: Any, out: Any = None) -> Outputs:
        self.called(self)
        outputs = self._outputs(x, getattr(w, "logical", w), cache, index)
        outputs.y[0, 3] += np.float16(self.error)
        if out is None:
            return outputs
        out["y"][...] = outputs.y
        return Outputs(outputs.cache, out["y"])

    def _outputs(self, x: Any, w: Any, cache: Any, index: Any) -> Outputs:
        product = x.astype(np.float32) @ w.astype(np.float32)
        cache[index] = product
        return Outputs(cache, product.astype(np.float16))


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["pyptogen", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        return Outcome(caught.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `pyptogen.compile` was asked for last; set "error" to make the operator wrong."""
    asked: dict[str, Any] = {"error": 0.0}

    def compile_(spec: Any, target: str = "cpu", **options: Any) -> Numpy:
        asked.update(options, target=target)
        return Numpy(target, asked["error"], asked.get("called", lambda _: None))

    monkeypatch.setattr(pyptogen, "compile", compile_)
    return asked


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(SPEC)
    return path


def test_version(cli: Run) -> None:
    assert cli("--version") == (0, f"pyptogen {pyptogen.__version__}\n", "")


def test_help_names_every_command(cli: Run) -> None:
    result = cli("--help")
    assert result.code == 0
    assert all(f" {name} " in result.out for name in ("build", "run", "test", "check"))


def test_help_cuts_no_sentence(cli: Run) -> None:
    for arguments in (["--help"], ["import", "--help"], ["template", "--help"]):
        result = cli(*arguments)
        assert result.code == 0
        assert "..." not in result.out.replace("[ARGS]...", "")


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom pyptogen.cli import main\nsys.argv[1:] = ['--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'sympy', 'numpy', 'jinja2', 'pydantic', 'ruamel', 'rich'} & set(sys.modules) or 'light')\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "light"


def test_run_prints_every_output(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    result = cli("run", spec, "--dims", "t=8", "--seed", "3")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "toy  t=8 blocks=4  target cpu  seed 3"
    heads = [cell.strip() for cell in lines[2].strip("┃").split("┃")]
    assert heads == ["verdict", "output", "time", "worst difference", "allowed", "shape", "dtype"]
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    assert rows == [
        ["ok", "cache", "1.250 ms", "0", "1 ulp", "[32, 32]", "float32"],
        ["ok", "y", "", "0", "1 ulp", "[8, 32]", "float16"],
    ]


@pytest.mark.parametrize("columns", [80, 40])
def test_a_narrow_terminal_keeps_the_verdict(
    cli: Run, compiled: dict[str, Any], spec: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    from rich.console import Console

    from pyptogen.cli import tables

    monkeypatch.setattr(tables, "console", lambda: Console(highlight=False, width=columns))
    compiled["error"] = 1.0
    rows = [line.split("│")[1].strip() for line in cli("run", spec).out.splitlines() if line.startswith("│")]
    assert [row for row in rows if row] == ["ok", "FAILED, 0.625% out"]


def test_a_difference_has_as_many_digits_as_a_terminal_has_room_for(
    cli: Run, compiled: dict[str, Any], spec: Path
) -> None:
    compiled["error"] = 1 / 3
    (row,) = [line for line in cli("run", spec).out.splitlines() if "FAILED" in line]
    cell = row.split("│")[4].strip()
    assert (cell[:3], len(cell)) == ("0.3", 5)


def test_the_time_is_that_of_a_second_run(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    times = iter([9.0, 0.5])
    compiled["called"] = lambda operator: setattr(operator, "last_run", next(times))
    assert "500.000 ms" in cli("run", spec).out


def test_run_takes_sizes_in_both_forms(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    assert "t=2 blocks=6" in cli("run", spec, "--dims", "t=2,blocks=6").out
    assert "t=2 blocks=6" in cli("run", spec, "--dims", "t=2", "--dims", "blocks=6").out


def test_run_passes_its_options_on(cli: Run, compiled: dict[str, Any], spec: Path, tmp_path: Path) -> None:
    cli("run", spec, "--target", "a2a3", "--threads", "2", "--isa", tmp_path)
    assert compiled == {"error": 0.0, "target": "a2a3", "threads": 2, "isa": tmp_path, "interpret": None}


def test_a_wrong_result_exits_with_1(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    compiled["error"] = 1.0
    result = cli("run", spec)
    assert result.code == 1
    assert "│ FAILED, 0.625% out │ y " in result.out
    assert "y: differs, worst difference 1 at [0, 3]" in result.out


def test_bench_measures_each_target(
    cli: Run, compiled: dict[str, Any], spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = namedtuple("Packed", "logical target")
    monkeypatch.setattr(pyptogen, "pack", lambda w, layout, target: packed(w, target))
    result = cli("run", spec, "--bench", "--runs", "4", "--target", "cpu", "--target", "a2a3")
    rows = [line.split() for line in result.out.splitlines() if line.startswith(("│ cpu", "│ a2a3"))]
    assert [(row[1], row[3], row[5], row[6]) for row in rows] == [
        ("cpu", "4", "1.250", "ms"),
        ("a2a3", "4", "1.250", "ms"),
    ]


def test_test_runs_every_case_on_every_target(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    result = cli("test", spec)
    assert result.code == 0
    assert [line.split("  ")[0].split(maxsplit=1) for line in result.out.splitlines()[:-1]] == [["ok"]] * 4
    assert [" ".join(line.split()[1:5]) for line in result.out.splitlines()[:-1]] == [
        "toy cpu t=5 blocks=4",
        "toy cpu t=9 blocks=2",
        "toy a2a3 t=5 blocks=4",
        "toy a2a3 t=9 blocks=2",
    ]
    assert result.out.splitlines()[-1].startswith("4 of 4 cases agree (1 spec, ")


def test_test_says_what_differs(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    compiled["error"] = 1.0
    result = cli("test", spec, "--target", "cpu")
    assert result.code == 1
    assert "y: differs, worst difference 1 at [0, 3]" in result.out
    assert result.out.splitlines()[-2] == "failed: toy cpu"
    assert result.out.splitlines()[-1].startswith("0 of 2 cases agree (1 spec, ")


def test_test_as_documents(cli: Run, compiled: dict[str, Any], spec: Path) -> None:
    result = cli("test", spec, "--target", "cpu", "--output-format", "junit")
    root = ElementTree.fromstring(result.out)
    assert (result.code, root.get("tests"), root.get("failures")) == (0, "2", "0")
    assert [(case.get("name"), case.get("time")) for case in root[0]] == [
        ("toy cpu t=5 blocks=4", "0.001250"),
        ("toy cpu t=9 blocks=2", "0.001250"),
    ]
    compiled["error"] = 1.0
    result = cli("test", spec, "--target", "cpu", "--output-format", "json")
    found = json.loads(result.out)
    assert result.code == 1
    assert [(one["code"], one["span"]["file"]) for one in found] == [("PTG410", str(spec))] * 2
    assert found[0]["message"].startswith("toy cpu t=5 blocks=4: y: differs, worst difference 1 at [0, 3]")
    assert "0 of 2 cases agree" in result.err


@pytest.mark.parametrize(
    ("report", "options", "code", "out"),
    [
        (OperatorBuild("toy", Path("g/toy")), [], 0, "g/toy: up to date\n"),
        (
            OperatorBuild("toy", Path("g/toy"), ("a.cpp",), ("b.cpp",)),
            [],
            0,
            "wrote g/toy/a.cpp\ndeleted g/toy/b.cpp\n",
        ),
        (
            OperatorBuild("toy", Path("g/toy"), ("a.cpp",), ("b.cpp",)),
            ["--plan"],
            0,
            "would write g/toy/a.cpp\nwould delete g/toy/b.cpp\n",
        ),
        (OperatorBuild("toy", Path("g/toy")), ["--check"], 0, "g/toy: up to date\n"),
    ],
)
def test_build_reports(
    cli: Run, monkeypatch: pytest.MonkeyPatch, report: OperatorBuild, options: list[str], code: int, out: str
) -> None:
    monkeypatch.setattr("pyptogen.builder.build", lambda *_, **__: BuildReport((report,), bool(options)))
    assert cli("build", "toy.yaml", *options) == (code, out, "")


def test_a_diagnostic_goes_to_stderr_with_1(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("pyptogen: 1\noperator: toy\ndims: {t: {min: 1, max: 4}}\nspeling: 3\n")
    for command in ("build", "check"):
        result = cli(command, tmp_path / "bad.yaml", *(["-o", tmp_path / "out"] if command == "build" else []))
        assert (result.code, result.out) == (1, "")
        assert f"{tmp_path}/bad.yaml:4:1" in result.err
        assert "PTG103" in result.err
        assert "^^^^^^^" in result.err
        assert "Traceback" not in result.err
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there(cli: Run) -> None:
    result = cli("check", "nowhere.yaml")
    assert result.code == 1
    assert "PTG110" in result.err


def test_a_fault_of_the_tool_is_one_line_and_2(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("the reason\nand more")

    monkeypatch.setattr("pyptogen.builder.build", fail)
    result = cli("build", "toy.yaml")
    assert result.code == 2
    assert result.err.splitlines()[0] == "pyptogen failed: ValueError: the reason"
    assert "report" in result.err
    assert "Traceback" not in result.err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("the reason")

    monkeypatch.setattr("pyptogen.builder.build", fail)
    monkeypatch.setattr(sys, "argv", ["pyptogen", "--debug", "build", "toy.yaml"])
    with pytest.raises(ValueError, match="the reason"):
        main()


@pytest.mark.parametrize("dims", ["t", "t=x", "=3", "t=8;blocks=4"])
def test_sizes_that_cannot_be_read(cli: Run, dims: str) -> None:
    result = cli("run", "toy.yaml", "--dims", dims)
    assert result.code == 2
    assert "NAME=SIZE" in result.err
