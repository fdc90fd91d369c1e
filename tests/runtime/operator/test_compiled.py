"""Calling a compiled operator: results, memory, conversions, faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator, load_generated
from pyptogen.runtime.toolchain.build import Toolchain
from runtime import toy


@pytest.fixture(scope="module")
def library(toolchain: Toolchain) -> Path:
    return toolchain.shared_object("toy", toy.sources(), ["toy_cpu"])


@pytest.fixture(params=[1, 2])
def op(request: pytest.FixtureRequest, library: Path) -> CompiledOperator:
    return CompiledOperator(None, toy.program(), "cpu", library, request.param)  # type: ignore[arg-type]


def inputs(n: int = 5, **changed: Any) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        "x": rng.normal(size=(n, 8)).astype(np.float32),
        "bias": rng.normal(size=8).astype(ml_dtypes.bfloat16),
        "w": rng.integers(-128, 128, (16, 8), dtype=np.int8),
        "state": np.arange(n, dtype=np.int32),
        "cache": np.zeros((8, 8), np.float16),
        "step": 7,
    } | changed


def expected_y(given: dict[str, Any], scale: float = 2.0) -> Any:
    return given["x"] * np.float32(scale) + given["bias"].astype(np.float32)


def code_of(op: CompiledOperator, given: dict[str, Any]) -> str:
    with pytest.raises(DiagnosticError) as error:
        op(**given)
    return error.value.diagnostics[0].code


def test_results_come_in_contract_order(op: CompiledOperator) -> None:
    given = inputs()
    result = op(**given)
    assert type(result).__name__ == "ToyOutputs"
    assert result._fields == ("y", "state", "z")
    assert (result.y == expected_y(given)).all()
    assert (result.z == given["w"]).all()
    assert op.last_run > 0


def test_in_place_output_is_the_given_array(op: CompiledOperator) -> None:
    given = inputs()
    result = op(**given)
    assert result.state is given["state"]
    assert (given["state"] == np.arange(5) + 7).all()


def test_attr_reaches_the_kernel(op: CompiledOperator) -> None:
    given = inputs()
    assert (op(**given, scale=0.5).y == expected_y(given, 0.5)).all()


def test_out_is_written(op: CompiledOperator) -> None:
    given, y = inputs(), np.full((5, 8), np.nan, np.float32)
    result = op(**given, out={"y": y})
    assert result.y is y
    assert (y == expected_y(given)).all()


def test_packed_weight_is_taken_as_it_is(op: CompiledOperator) -> None:
    given = inputs()
    assert (op(**given | {"w": pyptogen.pack(given["w"])}).z == given["w"]).all()


def test_weight_packed_for_another_target_is_repacked(op: CompiledOperator) -> None:
    given = inputs()
    assert (op(**given | {"w": pyptogen.pack(given["w"], target="a2a3")}).z == given["w"]).all()


def test_strided_input_is_copied(op: CompiledOperator) -> None:
    given = inputs(x=np.asfortranarray(inputs()["x"]), bias=inputs()["bias"].repeat(2)[::2])
    assert (op(**given).y == expected_y(given)).all()


def test_inputs_are_not_changed(op: CompiledOperator) -> None:
    given = inputs()
    before = {name: np.copy(given[name]) for name in ("x", "bias", "w", "cache")}
    op(**given)
    assert all((given[name] == array).all() for name, array in before.items())


def test_read_only_input_is_fine(op: CompiledOperator) -> None:
    given = inputs()
    given["x"].flags.writeable = False
    assert (op(**given).y == expected_y(given)).all()


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"state": read_only(np.arange(5, dtype=np.int32))}, "PTG407"),
        ({"state": np.arange(10, dtype=np.int32)[::2]}, "PTG407"),
        ({"out": {"y": np.zeros((5, 8), np.float64)}}, "PTG403"),
        ({"out": {"y": np.zeros((8, 5), np.float32)}}, "PTG402"),
        ({"out": {"y": np.zeros((8, 5), np.float32).T}}, "PTG407"),
        ({"out": {"yy": np.zeros((5, 8), np.float32)}}, "PTG404"),
        ({"out": {"state": np.zeros(5, np.int32)}}, "PTG404"),
        ({"x": [[1.0] * 8] * 5}, "PTG403"),
        ({"step": None}, "PTG404"),
        ({"x": np.zeros((5, 7), np.float32)}, "PTG402"),
    ],
)
def test_fault_before_anything_is_written(op: CompiledOperator, change: dict[str, Any], code: str) -> None:
    given = inputs() | change
    before = np.copy(given["state"])
    assert code_of(op, given) == code
    assert (given["state"] == before).all()


def test_out_must_not_overlap_an_input(op: CompiledOperator) -> None:
    given = inputs()
    assert code_of(op, given | {"out": {"y": given["x"]}}) == "PTG407"


def test_outputs_must_not_overlap_each_other(op: CompiledOperator) -> None:
    memory = np.zeros(400, np.int8)
    y, z = memory[:160].view(np.float32).reshape(5, 8), memory[100:228].reshape(16, 8)
    assert code_of(op, inputs(out={"y": y, "z": z})) == "PTG407"


def test_neighbours_do_not_overlap(op: CompiledOperator) -> None:
    memory = np.zeros(400, np.int8)
    y, z = memory[:160].view(np.float32).reshape(5, 8), memory[160:288].reshape(16, 8)
    given = inputs()
    op(**given, out={"y": y, "z": z})
    assert (z == given["w"]).all()


def test_two_inputs_may_share_memory(op: CompiledOperator) -> None:
    given = inputs()
    given["cache"] = given["w"].view(np.float16).reshape(8, 8)
    assert (op(**given).z == given["w"]).all()


def test_torch_tensors(op: CompiledOperator) -> None:
    torch = pytest.importorskip("torch")
    given = inputs()
    state = torch.arange(5, dtype=torch.int32)
    tensors = given | {
        "x": torch.from_numpy(given["x"]),
        "bias": torch.from_numpy(given["bias"].view(np.int16)).view(torch.bfloat16),
        "state": state,
    }
    assert (op(**tensors).y == expected_y(given)).all()
    assert state.tolist() == [7, 8, 9, 10, 11]


class OnlyDlpack:
    """An array of another library."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_dlpack_objects(op: CompiledOperator) -> None:
    given = inputs()
    assert (op(**given | {"x": OnlyDlpack(given["x"])}).y == expected_y(given)).all()


def test_sizes_may_change_between_calls(op: CompiledOperator) -> None:
    for n in (1, 64, 2):
        given = inputs(n)
        assert (op(**given).y == expected_y(given)).all()


def test_folder_that_is_not_a_generated_one(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as error:
        load_generated(tmp_path)
    assert error.value.diagnostics[0].code == "PTG504"


def test_target_that_the_spec_does_not_declare() -> None:
    with pytest.raises(DiagnosticError) as error:
        pyptogen.compile(Path(__file__).parents[3] / "specs" / "softmax.yaml", target="a9")
    assert error.value.diagnostics[0].code == "PTG218"


def test_generated_folder_runs_as_it_is_on_disk(tmp_path: Path) -> None:
    spec = tmp_path / "twice.yaml"
    spec.write_text(
        "pyptogen: 1\noperator: twice\ndims: {n: {min: 1, max: 64}}\n"
        "inputs: {x: 'fp32[n, 16]'}\noutputs: {y: 'fp32[n, 16]'}\ngraph: {y: x + x}\n"
        "tiling: [{n: 8}]\ntargets: [cpu]\n"
    )
    pyptogen.build([spec], out=tmp_path / "generated")
    folder = tmp_path / "generated" / "twice"
    x = np.random.default_rng(0).normal(size=(9, 16)).astype(np.float32)
    assert (load_generated(folder, threads=2)(x=x).y == 2 * x).all()
    (kernel,) = (folder / "cpu" / "kernels").glob("*.cpp")
    text = kernel.read_text()
    assert text.count("x_tile + x_tile") == 1
    kernel.write_text(text.replace("x_tile + x_tile", "x_tile - x_tile"))
    assert (load_generated(folder)(x=x).y == 0).all()
