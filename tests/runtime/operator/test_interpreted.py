"""Operators where there is no compiler: the same calls, the same results, and a word about what it costs."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pyptogen
from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.operator.interpreted import InterpretedOperator, InterpretedWarning

SPECS = Path(__file__).parents[3] / "specs"
CALLS: dict[str, dict[str, int]] = {
    "softmax": {"rows": 5},
    "scatter_update": {"tokens": 7, "blocks": 2},
    "rope_qkv": {"t": 3},
    "matmul_int8": {"m": 5},
    "linear_w4a16": {"t": 3},
}
"""One with indices and an update in place, outputs with strides, packed weights, numbers of four bits."""


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ziglang" else find(name, *rest)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_kernels_compute_what_compiled_ones_do(name: str) -> None:
    spec, dims = SPECS / f"{name}.yaml", CALLS[name]
    compiled, interpreted = pyptogen.compile(spec), pyptogen.compile(spec, interpret=True)
    assert isinstance(interpreted, InterpretedOperator)
    mine, theirs = (operator.example_inputs(**dims) for operator in (interpreted, compiled))
    wanted, got = compiled(**theirs), interpreted(**mine)
    for one, other in zip(got, wanted, strict=True):
        assert one.shape == other.shape
        assert one.strides == other.strides
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), rtol=2e-3, atol=2e-3)
    for source in compiled.contract.inplace.values():
        assert getattr(got, source) is mine[source]
    out = {t.name: np.zeros_like(getattr(got, t.name)) for t in compiled.contract.outputs if not t.strides}
    fresh = {n: array for n, array in out.items() if n not in compiled.contract.inplace}
    again = interpreted(**interpreted.example_inputs(**dims), out=fresh)
    for n, array in fresh.items():
        assert getattr(again, n) is array
        np.testing.assert_array_equal(array, getattr(got, n))


def test_without_a_compiler_that_happens_with_a_warning(no_compiler: None) -> None:
    with pytest.warns(InterpretedWarning, match=r"no C\+\+ compiler: the kernels of `softmax` are interpreted"):
        softmax = pyptogen.compile(SPECS / "softmax.yaml")
    assert softmax(x=np.zeros((1, 4096), np.float32)).y[0, 0] == np.float32(1 / 4096)
    with pytest.raises(DiagnosticError) as error:
        pyptogen.compile(SPECS / "softmax.yaml", interpret=False)
    assert error.value.diagnostics[0].code == "PTG501"
    with pytest.raises(DiagnosticError) as error:
        pyptogen.compile(SPECS / "transpose_copy.yaml")  # C++ by hand
    assert error.value.diagnostics[0].code == "PTG501"


def test_a_run_says_so(no_compiler: None) -> None:
    said = CliRunner().invoke(app, ["run", str(SPECS / "softmax.yaml"), "--dims", "rows=2"])
    assert said.exit_code == 0, said.output
    assert "note: there is no C++ compiler" in said.output
    assert "│ ok " in said.output
    assert CliRunner().invoke(app, ["run", str(SPECS / "softmax.yaml"), "--dims", "rows=2", "--bench"]).exit_code == 1


def test_faults_are_those_of_any_call() -> None:
    put = pyptogen.compile(SPECS / "scatter_update.yaml", interpret=True)
    given = put.example_inputs(tokens=3, blocks=1)

    def code_of(**change: Any) -> str:
        with pytest.raises(DiagnosticError) as error:
            put(**given | change)
        return error.value.diagnostics[0].code

    assert code_of(slot=np.array([0, 1, 128])) == "PTG408"
    assert code_of(rows=given["rows"][:2]) == "PTG405"


def test_indices_that_kernels_compute_are_told(tmp_path: Path) -> None:
    (tmp_path / "take.yaml").write_text(
        "pyptogen: 1\noperator: take\ndims: {tokens: {min: 1, max: 64}, places: {min: 1, max: 64}}\n"
        "inputs:\n  table: fp32[places, 32]\n  odd: fp32[tokens, 32]\noutputs:\n  z: fp32[tokens, 32]\n"
        "graph:\n  z: index_select(table, 0, cast(sum(odd, axis=-1), int32))\ntiling:\n  - {}\n"
    )
    take = pyptogen.compile(tmp_path / "take.yaml", interpret=True)
    odd, table = np.zeros((2, 32), np.float32), np.arange(256, dtype=np.float32).reshape(8, 32)
    odd[1, 0] = 7
    np.testing.assert_array_equal(take(table=table, odd=odd).z, table[[0, 7]])
    odd[1, 0] = 8
    with pytest.raises(DiagnosticError, match="8 is no index of 8"):
        take(table=table, odd=odd)


def test_what_needs_native_code_refuses_them() -> None:
    softmax = pyptogen.compile(SPECS / "softmax.yaml", interpret=True)
    with pytest.raises(DiagnosticError, match="is interpreted, and a chip of another process takes compiled"):
        pyptogen.CompiledPackage.of(softmax)
    with pyptogen.Runtime(level="chip", platform="cpu") as rt, pytest.raises(DiagnosticError, match="a chip takes"):
        rt.register("softmax", softmax)


def test_another_process_may_have_a_compiler() -> None:
    softmax = pyptogen.compile(SPECS / "softmax.yaml", interpret=True)
    assert not isinstance(pickle.loads(pickle.dumps(softmax)), InterpretedOperator)
