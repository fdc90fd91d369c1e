"""Calls of known shapes whose tensors do not lie row after row: made and read in native code as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator

SPEC = """\
pyptogen: 1
operator: lying
dims:
  t: {min: 1, max: 64}
  ld: {min: 8, max: 64}
  n: 8
  h: 3
inputs:
  x: {shape: [t, n], dtype: fp32, strides: [ld, 1]}
  w: fp32[h, t, n] @ dn
  kept: fp32[t, n] @ dn
outputs:
  y: {shape: [t, n], dtype: fp32, strides: [ld, 1]}
  c: fp32[h, t, n] @ dn
  total: fp32[t]
  kept: {inplace: true}
graph:
  y: x * 2
  c: w + 1
  total: sum(x)
  kept: kept + x
targets: [cpu]
"""


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> CompiledOperator:
    path = tmp_path_factory.mktemp("lying") / "lying.yaml"
    path.write_text(SPEC)
    return pyptogen.compile(path, threads=1)


def given(t: int, ld: int = 12) -> dict[str, Any]:
    """Small whole numbers, all different."""
    x = np.arange(t * ld, dtype=np.float32).reshape(t, ld)[:, :8]
    w = np.arange(3 * t * 8, dtype=np.float32).reshape(3, 8, t).swapaxes(1, 2)
    return {"x": x, "w": w, "kept": np.zeros((t, 8), np.float32, order="F")}


def check(made: Any, arrays: dict[str, Any]) -> None:
    t = len(arrays["x"])
    ld = arrays["x"].strides[0] // 4
    np.testing.assert_array_equal(made.y, arrays["x"] * 2)
    np.testing.assert_array_equal(made.c, arrays["w"] + 1)
    np.testing.assert_array_equal(made.total, arrays["x"].sum(-1))
    assert made.kept is arrays["kept"]
    np.testing.assert_array_equal(made.kept, arrays["x"])
    assert made.y.strides == (4 * ld, 4)
    assert made.c.strides == (4 * t * 8, 4, 4 * t)


def close_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))


@pytest.mark.parametrize("t", [1, 2, 13])
def test_known_calls_of_columns_and_of_rows_that_lie_apart(
    lying: CompiledOperator, monkeypatch: pytest.MonkeyPatch, t: int
) -> None:
    for _ in range(2):
        arrays = given(t)
        check(lying(**arrays), arrays)
        close_the_long_way(monkeypatch)
    arrays = given(t)
    out = {
        "y": np.zeros((t, 12), np.float32)[:, :8],
        "c": np.zeros((3, 8, t), np.float32).swapaxes(1, 2),
        "total": np.zeros(t, np.float32),
    }
    made = lying(**arrays, out=out)
    check(made, arrays)
    assert made.y is out["y"]
    assert made.c is out["c"]
    assert not out["y"].base[:, 8:].any()  # what lies between the rows is nobody's


def test_tensors_of_torch(lying: CompiledOperator, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    for _ in range(2):
        tensors = {name: torch.from_numpy(array) for name, array in given(5).items()}
        made = lying(**tensors)
        np.testing.assert_array_equal(made.c, tensors["w"].numpy() + 1)
        np.testing.assert_array_equal(made.y, tensors["x"].numpy() * 2)
        assert made.kept is tensors["kept"]
        close_the_long_way(monkeypatch)


@pytest.mark.parametrize(
    "change",
    [
        {"w": np.ones((3, 13, 8), np.float32)},  # row after row: a call makes a copy of it
        {"w": np.ones((3, 8, 26), np.float32)[:, :, ::2].swapaxes(1, 2)},
        {"x": np.ones((13, 16), np.float32)[:, :8]},  # another pitch, which `y` has, too
        {"x": np.ones((13, 24), np.float32)[:, ::3]},
    ],
)
def test_what_lies_elsewhere_is_looked_at(lying: CompiledOperator, change: dict[str, Any]) -> None:
    lying(**given(13))
    arrays = given(13) | change
    made = lying(**arrays)
    np.testing.assert_array_equal(made.y, arrays["x"] * 2)
    np.testing.assert_array_equal(made.c, arrays["w"] + 1)


def test_faults_are_told_as_before(lying: CompiledOperator) -> None:
    arrays = given(13)
    lying(**arrays)
    frozen = np.zeros((13, 8), np.float32, order="F")
    frozen.flags.writeable = False
    out = {
        "y": np.zeros((13, 12), np.float32)[:, :8],
        "c": np.zeros((3, 8, 13), np.float32).swapaxes(1, 2),
        "total": np.zeros(13, np.float32),
    }
    lying(**arrays, out=out)
    for change, code in (
        ({"kept": np.zeros((13, 8), np.float32)}, "PTG407"),
        ({"kept": frozen}, "PTG407"),
        ({"kept": arrays["w"][0]}, "PTG407"),
        ({"out": out | {"y": np.zeros((13, 16), np.float32)[:, :8]}}, "PTG402"),
        ({"out": out | {"c": np.zeros((3, 13, 8), np.float32)}}, "PTG402"),
        ({"out": out | {"c": arrays["w"]}}, "PTG407"),
    ):
        with pytest.raises(DiagnosticError) as error:
            lying(**arrays | change)
        assert error.value.diagnostics[0].code == code
