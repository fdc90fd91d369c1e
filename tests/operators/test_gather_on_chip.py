"""Elements of rows that an index names, taken on chip by one instruction for a row, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret

SPEC = """\
pyptogen: 1
operator: taken
dims: {b: {min: 1, max: 64}, n: {min: 1, max: 4096}}
inputs:
  x:     DTYPE[SHAPE]
  index: int32[INDEX]
outputs:
  y: DTYPE[INDEX]
graph:
  y: gather(x, AXIS, index)
"""
FORMS: dict[str, tuple[str, str, str, int]] = {
    "rows": ("fp32", "b, 96", "b, 32", 1),
    "halves": ("fp16", "b, 96", "b, 48", 1),
    "whole numbers": ("int32", "b, 200", "b, 16", 1),
    "short whole numbers": ("int16", "b, 4000", "b, 2064", 1),
    "short floats, as whole numbers": ("bf16", "b, 96", "b, 32", 1),
    "as many as the call says": ("fp32", "b, 96", "b, n", 1),
    "one row": ("fp32", "96", "n", 0),
    "rows of planes": ("fp32", "b, 5, 96", "b, 5, 32", 2),
    "fewer rows than there are": ("fp32", "b, 5, 96", "b, 3, 32", 2),
    "as many as a long row has": ("int16", "b, m", "b, m", 1),
}
"""dtype, shape of the operand, shape of the index, axis."""
BY_ELEMENT: dict[str, tuple[str, str, str, int]] = {
    "another axis": ("fp32", "96, b", "32, b", 0),
    "long rows": ("fp32", "b, 8192", "b, 32", 1),
    "rows as long as the call says": ("fp32", "b, n", "b, 32", 1),
    "no whole blocks": ("fp32", "b, 96", "b, 5", 1),
    "a dtype that the instruction does not take": ("int8", "b, 96", "b, 32", 1),
}
"""Where no instruction does it, one element after the other is moved: the results are the same."""
SIZES = {"b": 7, "n": 40, "m": 4000}


def spec(form: tuple[str, str, str, int], folder: Path) -> Path:
    dtype, shape, index, axis = form
    text = SPEC.replace("DTYPE", dtype).replace("SHAPE", shape).replace("INDEX", index).replace("AXIS", str(axis))
    used = {name: f"{name}: {{min: 1, max: {most}}}" for name, most in (("b", 64), ("n", 4096))} | {"m": "m: 4000"}
    kept = [line for name, line in used.items() if name in f"{shape}, {index}".split(", ")]
    path = folder / "taken.yaml"
    path.write_text(text.replace("b: {min: 1, max: 64}, n: {min: 1, max: 4096}", ", ".join(kept)))
    return path


def arrays(form: tuple[str, str, str, int]) -> dict[str, Any]:
    dtype, shape, index, axis = form
    rng = np.random.default_rng(3)
    of, places = (tuple(SIZES.get(d, 0) or int(d) for d in text.split(", ")) for text in (shape, index))
    x = rng.integers(-99, 99, of).astype(DTYPES[dtype])
    return {"x": x, "index": rng.integers(0, of[axis], places).astype(np.int32)}


DTYPES = {
    "bf16": ml_dtypes.bfloat16,
    "fp32": np.float32,
    "fp16": np.float16,
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
}


def expected(given: dict[str, Any], axis: int) -> Any:
    x, index = given["x"], given["index"]
    inside = tuple(slice(None) if at == axis else slice(size) for at, size in enumerate(index.shape))
    return np.take_along_axis(x[inside], index.astype(np.int64), axis)


def lowered(form: tuple[str, str, str, int], target: str, folder: Path) -> Lowered:
    return lower(from_spec(load_spec(spec(form, folder))), target)


@pytest.mark.parametrize("name", [*FORMS, *BY_ELEMENT])
def test_results(name: str, tmp_path: Path) -> None:
    form = {**FORMS, **BY_ELEMENT}[name]
    made, given = lowered(form, "a2a3", tmp_path), arrays(form)
    want = expected(given, form[3])
    np.testing.assert_array_equal(interpret(made, given, level="tile", blocks=3)["y"], want)
    np.testing.assert_array_equal(run_instructions(made, given)["y"], want)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_rows_whose_elements_lie_apart(target: str, tmp_path: Path) -> None:
    """No instruction takes elements of such rows."""
    path = spec(("fp32", "b, 96", "b, 32", 1), tmp_path)
    path.write_text(path.read_text().replace("gather(x,", "gather(x[:, ::2],"))
    made, given = lower(from_spec(load_spec(path)), target), arrays(("fp32", "b, 96", "b, 32", 1))
    given["index"] //= 2
    want = np.take_along_axis(given["x"][:, ::2], given["index"].astype(np.int64), 1)
    np.testing.assert_array_equal(interpret(made, given, level="tile", blocks=3)["y"], want)
    np.testing.assert_array_equal(run_instructions(made, given)["y"], want)


@pytest.mark.parametrize("name", ["rows", "short whole numbers", "rows of planes"])
def test_compiled(name: str, tmp_path: Path) -> None:
    operator = pyptogen.compile(spec(FORMS[name], tmp_path), target="a2a3")
    given = arrays(FORMS[name])
    np.testing.assert_array_equal(operator(**given).y, expected(given, FORMS[name][3]))


ORDERED = """\
pyptogen: 1
operator: taken
dims: {b: {min: 1, max: 64}}
inputs: {x: "fp32[b, 96]", y: "fp32[b, LENGTH]"}
outputs: {v: "fp32[b, 8]"}
graph:
  order:
    best, place: topk(x, 8)
  take:
    v: gather(y, 1, place)
"""


@pytest.mark.parametrize(("length", "on_chip"), [(96, True), (160, False)])
def test_places_of_an_order_need_no_check(length: int, on_chip: bool, tmp_path: Path) -> None:
    """They name elements of rows as long as those that were ordered; of others each is made to fit."""
    path = tmp_path / "taken.yaml"
    path.write_text(ORDERED.replace("LENGTH", str(length)))
    kernels = generate(from_spec(load_spec(path)), "a2a3").kernels
    assert any("TGATHER(" in str(kernel.text) for kernel in kernels) == on_chip
    rng = np.random.default_rng(5)
    x, y = rng.permutation(40 * 96).reshape(40, 96).astype(np.float32), rng.normal(size=(40, length)).astype(np.float32)
    want = np.take_along_axis(y, np.argsort(-x, axis=1)[:, :8], 1)
    np.testing.assert_array_equal(pyptogen.compile(path, target="a2a3")(x=x, y=y).v, want)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_which_are_taken_on_chip(target: str, tmp_path: Path) -> None:
    for name, form in {**FORMS, **BY_ELEMENT}.items():
        (kernel,) = generate(from_spec(load_spec(spec(form, tmp_path))), target).kernels
        assert ("TGATHER(" in str(kernel.text)) == (name in FORMS), name
