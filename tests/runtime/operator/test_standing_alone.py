"""A generated folder is called without the compiler; operators travel between processes."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime import CompiledOperator, load_generated
from pyptogen.runtime.operator.call import CallRules
from pyptogen.schema import load_spec

SPECS = Path(__file__).parents[3] / "specs"
SPEC = """\
pyptogen: 1
operator: picked
dims: {n: {min: 1, max: 64}, m: {min: 2, max: 64, multiple_of: 2}}
attrs: {gain: {type: fp32, default: 2.0}}
inputs: {x: "fp32[n, 16]", i: "int32[m]"}
outputs: {y: "fp32[m, 16]"}
requires: [m <= 2 * n]
graph: {y: "index_select(x, 0, i + 1) * gain"}
targets: [cpu]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("alone")
    (root / "picked.yaml").write_text(SPEC)
    pyptogen.build([root / "picked.yaml"], out=root / "generated")
    return root / "generated" / "picked"


def test_nothing_of_the_compiler_is_imported(folder: Path) -> None:
    script = f"""
import sys, numpy as np
from pyptogen.runtime import load_generated
operator = load_generated({str(folder)!r})
x = np.arange(64, dtype=np.float32).reshape(4, 16)
assert (operator(x=x, i=np.array([0, 2], np.int32)).y == 2 * x[[1, 3]]).all()
try:
    operator(x=x, i=np.array([0, 3], np.int32))
except Exception as error:
    assert error.diagnostics[0].code == "PTG408", error
else:
    raise AssertionError("no place 4")
rooms = ("sympy", "ruamel", "pydantic", "jinja2", "pyptogen.schema", "pyptogen.lower", "pyptogen.codegen",
         "pyptogen.templates", "pyptogen.builder", "pyptogen.simulate")
print(sorted({{name for name in sys.modules if name.startswith(rooms)}}))
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (said.stdout.strip(), said.stderr) == ("[]", "")


WITHOUT_THE_COMPILER = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sympy", "ruamel", "pydantic", "jinja2", "typer", "rich"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import load_generated
try:
    load_generated(sys.argv[1])
except DiagnosticError as error:
    print(error.diagnostics[0].code, error.diagnostics[0].span)
"""
"""A deployment, which has numpy and ml_dtypes alone."""


def test_a_deployment_without_a_cxx_compiler_says_so(folder: Path, tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_COMPILER, str(folder)],
        env={"PATH": str(tmp_path), "CXX": "/nowhere/g++", "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout.strip(), said.stderr) == ("PTG501 None", "")


def test_a_deployment_tells_a_kernel_that_does_not_compile(folder: Path, tmp_path: Path) -> None:
    """At its own line: nothing there knows what of the spec it serves."""
    other = shutil.copytree(folder, tmp_path / "picked")
    path = next((other / "cpu" / "kernels").glob("*.cpp"))
    path.write_text("nonsense;\n" + path.read_text())
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_COMPILER, str(other)], capture_output=True, text=True, check=False
    )
    assert (said.stdout.strip(), said.stderr) == (f"PTG502 cpu/kernels/{path.name}:1:1", "")


def test_what_needs_the_spec_reads_it_then(folder: Path) -> None:
    operator = load_generated(folder)
    given = operator.example_inputs(n=8, m=4) | {"i": np.array([0, 1, 2, 6], np.int32)}
    np.testing.assert_array_equal(operator(**given).y, operator.golden(**given).y)
    assert operator.spec.name == "picked"


def test_faults_have_their_places(folder: Path) -> None:
    operator = load_generated(folder)
    with pytest.raises(DiagnosticError) as error:
        operator(x=np.zeros((1, 16), np.float32), i=np.full(4, -1, np.int32))
    (found,) = error.value.diagnostics
    assert found.code == "PTG406"
    assert found.span is not None
    assert found.span.file == str(folder / "picked.yaml")
    assert found.span.line == 7


@pytest.mark.parametrize("change", [lambda data: data.pop("call"), lambda data: data["call"].pop("inputs")])
def test_an_older_manifest(folder: Path, tmp_path: Path, change: Any) -> None:
    other = tmp_path / "picked"
    shutil.copytree(folder, other)
    data = json.loads((other / "manifest.json").read_text())
    change(data)
    (other / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(DiagnosticError) as error:
        load_generated(other)
    assert error.value.diagnostics[0].code == "PTG504"


def test_formulas_of_a_manifest_are_no_programs(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    data = json.loads(text)["call"]
    data["requires"][0]["condition"] = "__import__('os').getpid() == _0"
    with pytest.raises(ValueError, match="not a condition"):
        CallRules.of_data(data, "picked.yaml")


@pytest.mark.parametrize("path", sorted(SPECS.glob("*.yaml")), ids=lambda path: path.stem)
def test_rules_survive_as_data(path: Path) -> None:
    rules = CallRules.from_program(from_spec(load_spec(path)))
    data = json.loads(json.dumps(rules.data()))
    again = CallRules.of_data(data, rules.contract.span.file)
    assert again.data() == rules.data()
    for name in ("name", "inputs", "outputs", "inplace", "attrs", "span", "input_texts", "output_texts"):
        assert getattr(again.contract, name) == getattr(rules.contract, name)
    sizes = [dim.max // dim.multiple_of * dim.multiple_of for dim in rules.contract.dims]
    assert again.contract.input_extents(*sizes) == rules.contract.input_extents(*sizes)
    assert again.contract.output_extents(*sizes) == rules.contract.output_extents(*sizes)
    assert [use.count(sizes) for use in again.indices] == [use.count(sizes) for use in rules.indices]


def called(operator: CompiledOperator) -> Any:
    return operator(x=np.ones((4, 16), np.float32), i=np.array([0, 2], np.int32), gain=3.0).y


def test_operators_pickle_and_copy(folder: Path) -> None:
    for operator in (load_generated(folder), pyptogen.compile(folder / "picked.yaml", threads=1)):
        assert copy.copy(operator) is operator
        assert copy.deepcopy([operator])[0] is operator
        again = pickle.loads(pickle.dumps(operator))
        assert (called(again) == 3).all()
        assert again.threads == operator.threads
        assert again.library == operator.library
        assert again.spec.name == "picked"


def test_an_operator_reaches_a_spawned_process(folder: Path) -> None:
    from multiprocessing import get_context

    operator = pyptogen.compile(folder / "picked.yaml", threads=1)
    with get_context("spawn").Pool(1) as pool:
        assert (pool.apply(called, (operator,)) == 3).all()
