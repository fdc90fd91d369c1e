"""Calls whose shapes have been seen go past Python's checks, and say the same as those that do not."""

from __future__ import annotations

import gc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator

SPEC = """\
pyptogen: 1
operator: scaled
dims: {n: {min: 1, max: 64}}
attrs: {gain: {type: fp32, default: 2.0}}
inputs: {x: "fp32[n, 16]", b: "bf16[16]", state: "fp32[n, 16]"}
outputs: {y: "fp32[n, 16]", total: "fp32[n]", state: {inplace: true}}
graph:
  y: x * gain + cast(b, fp32)
  total: sum(x)
  state: state + x
targets: [cpu]
"""


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> CompiledOperator:
    path = tmp_path_factory.mktemp("known") / "scaled.yaml"
    path.write_text(SPEC)
    return pyptogen.compile(path, threads=1)


def given(n: int = 3) -> dict[str, Any]:
    x = np.random.default_rng(n).normal(size=(n, 16)).astype(np.float32)
    return {"x": x, "b": np.ones(16, ml_dtypes.bfloat16), "state": np.zeros((n, 16), np.float32)}


@pytest.fixture
def only_known(scaled: CompiledOperator, monkeypatch: pytest.MonkeyPatch) -> CompiledOperator:
    """After a call of each kind, the long way is closed."""
    scaled(**given())
    scaled(**given(), gain=3.0)
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))
    return scaled


def check(made: Any, arrays: dict[str, Any], gain: float = 2.0) -> None:
    np.testing.assert_allclose(made.y, arrays["x"] * np.float32(gain) + 1, rtol=1e-6)
    np.testing.assert_allclose(made.total, arrays["x"].sum(-1), rtol=1e-4, atol=1e-5)
    assert made.state is arrays["state"]
    np.testing.assert_array_equal(arrays["state"], arrays["x"])


def test_a_shape_that_was_seen_is_not_looked_at_again(only_known: CompiledOperator) -> None:
    arrays = given()
    arrays["x"] = arrays["x"] + 1
    made = only_known(**arrays)
    check(made, arrays)
    assert made.y.flags.c_contiguous
    assert made.y.ctypes.data % 64 == 0
    assert only_known.last_run > 0


def test_attrs_count(only_known: CompiledOperator) -> None:
    arrays = given()
    check(only_known(**arrays, gain=3.0), arrays, gain=3.0)


def test_out_takes_the_results(only_known: CompiledOperator) -> None:
    arrays, out = given(), {"y": np.empty((3, 16), np.float32), "total": np.empty(3, np.float32)}
    made = only_known(**arrays, out=out)
    check(made, arrays)
    assert made.y is out["y"]


@pytest.mark.parametrize("with_out", [False, True])
def test_tensors_of_torch_are_known_too(only_known: CompiledOperator, with_out: bool) -> None:
    torch = pytest.importorskip("torch")
    arrays = given()
    tensors = {name: torch.from_numpy(arrays[name]) for name in ("x", "state")}
    tensors |= {"b": torch.ones(16, dtype=torch.bfloat16), "x": tensors["x"].requires_grad_()}
    out = {"y": torch.empty(3, 16), "total": torch.empty(3)}
    for round_ in range(1, 3):  # the second is not even told numpy
        made = only_known(**tensors, out=out) if with_out else only_known(**tensors)
        np.testing.assert_array_equal(made.y, arrays["x"] * 2 + 1)
        np.testing.assert_array_equal(tensors["state"].numpy(), round_ * arrays["x"])
        assert made.state is tensors["state"]
        assert isinstance(made.y, torch.Tensor if with_out else np.ndarray)
        if with_out:
            assert made.y is out["y"]


def test_tensors_are_read_without_numpy(only_known: CompiledOperator, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    arrays = given()
    tensors = {name: torch.from_numpy(arrays[name]) for name in ("x", "state")} | {"b": torch.ones(16).bfloat16()}
    only_known(**tensors)
    monkeypatch.setattr("pyptogen.runtime.operator.compiled.tensors_as_arrays", lambda _: pytest.fail("by numpy"))
    for x in (tensors["x"], torch.nn.Parameter(tensors["x"]), tensors["x"].clone().requires_grad_()):
        np.testing.assert_array_equal(only_known(**tensors | {"x": x}).y, arrays["x"] * 2 + 1)


def test_tensors_that_differ_go_the_long_way(scaled: CompiledOperator) -> None:
    torch = pytest.importorskip("torch")
    arrays = given()
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items() if name != "b"}
    tensors["b"] = torch.ones(16).bfloat16()
    scaled(**tensors)
    wide = torch.zeros(3, 32)
    for x in (wide[:, ::2], torch.randn(16, 3).T, torch.randn(16).expand(3, 16)):
        np.testing.assert_array_equal(scaled(**tensors | {"x": x}).y, x.numpy() * 2 + 1)
    turned = torch.imag(torch.view_as_complex(torch.ones(3, 16, 2)).conj())  # elements to be negated
    for x in (tensors["x"].double(), tensors["x"].int(), tensors["x"].to_sparse(), tensors["x"][:, :15], turned):
        with pytest.raises(DiagnosticError):
            scaled(**tensors | {"x": x})


def test_shapes_in_turn_are_known(scaled: CompiledOperator, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (3, 5):
        scaled(**given(n))
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))
    for n in (3, 5, 3, 5):
        arrays = given(n)
        check(scaled(**arrays), arrays)


def test_tensors_of_a_device_are_refused(scaled: CompiledOperator) -> None:
    torch = pytest.importorskip("torch")
    for change in ({"x": torch.empty(3, 16, device="meta")}, {"out": {"y": torch.empty(3, 16, device="meta")}}):
        with pytest.raises(DiagnosticError, match="is on meta") as caught:
            scaled(**given() | change)
        assert str(caught.value.diagnostics[0].code) == "PTG403"


def test_what_differs_goes_the_long_way(scaled: CompiledOperator) -> None:
    scaled(**given())
    wide = np.zeros((3, 32), np.float32)
    for x in (
        wide[:, ::2],
        np.asfortranarray(given()["x"]),
        given()["x"].view(np.ndarray)[::-1],
        given()["x"].tolist(),
    ):
        arrays = given() | {"x": np.array(x, np.float32) if isinstance(x, list) else x}
        check(scaled(**arrays), arrays)
    unaligned = np.frombuffer(b"\0" + given()["x"].tobytes(), np.uint8)[1:].view(np.float32).reshape(3, 16)
    arrays = given() | {"x": unaligned}
    check(scaled(**arrays), arrays)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"x": np.zeros((3, 16))}, "PTG403"),
        ({"x": np.zeros((3, 16), ">f4")}, "PTG403"),
        ({"x": np.zeros((3, 15), np.float32)}, "PTG402"),
        ({"x": np.zeros((4, 16), np.float32)}, "PTG405"),
        ({"b": np.zeros(16, np.float16)}, "PTG403"),
        ({"gain": "much"}, "PTG403"),
        ({"z": np.zeros(3, np.float32)}, "PTG404"),
        ({"out": {"y": np.empty((4, 16), np.float32), "total": np.empty(3, np.float32)}}, "PTG402"),
        ({"out": {"y": np.empty((3, 16)), "total": np.empty(3, np.float32)}}, "PTG403"),
    ],
)
def test_faults_are_told_as_before(scaled: CompiledOperator, change: dict[str, Any], code: str) -> None:
    scaled(**given())
    with pytest.raises(DiagnosticError) as error:
        scaled(**given() | change)
    assert error.value.diagnostics[0].code == code


def test_memory_that_is_written_is_nobody_elses(scaled: CompiledOperator) -> None:
    scaled(**given())
    arrays = given()
    with pytest.raises(DiagnosticError, match="PTG407"):
        scaled(**arrays | {"x": arrays["state"]})
    with pytest.raises(DiagnosticError, match="PTG407"):
        scaled(**arrays, out={"y": arrays["x"], "total": np.empty(3, np.float32)})
    arrays["state"].flags.writeable = False
    with pytest.raises(DiagnosticError, match="PTG407"):
        scaled(**arrays)


def test_results_own_their_memory(only_known: CompiledOperator) -> None:
    arrays = given()
    many = [only_known(**given() | {"x": arrays["x"] + i}).y for i in range(50)]
    gc.collect()
    for i, y in enumerate(many):
        np.testing.assert_allclose(y, (arrays["x"] + np.float32(i)) * 2 + 1, rtol=1e-5)


def test_any_number_of_results_is_made(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an array of its own: one that is kept does not keep the others."""
    names = [f"y{i}" for i in range(12)]
    (tmp_path / "many.yaml").write_text(
        'pyptogen: 1\noperator: many\ndims: {n: {min: 1, max: 64}}\ninputs: {x: "fp32[n, 16]"}\noutputs:\n'
        + "".join(f'  {name}: "fp32[n, 16]"\n' for name in names)
        + "graph:\n"
        + "".join(f"  {name}: x * {i + 2}\n" for i, name in enumerate(names))
        + "targets: [cpu]\n"
    )
    many = pyptogen.compile(tmp_path / "many.yaml", threads=1)
    x = given()["x"]
    many(x=x)
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))
    made = many(x=x)
    for i, y in enumerate(made):
        np.testing.assert_array_equal(y, x * np.float32(i + 2))
        assert y.dtype == np.float32
        assert y.flags.writeable
        assert y.ctypes.data % 64 == 0
    assert len({id(y.base) for y in made}) == len(names)
