"""Calls of known shapes with indices and with packed weights: looked at in native code as in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.layout.packing import PackedWeight
from pyptogen.runtime import CompiledOperator

HEAD = "pyptogen: 1\noperator: picked\ndims: {t: {min: 1, max: 64}, n: {min: 1, max: 64}, d: 32}\n"
PICKED = {
    "as it is": ("i: int32[n]", "y: index_select(x, 0, i)"),
    "wide": ("i: int64[n]", "y: index_select(x, 0, i)"),
    "lifted": ("i: int32[n]", "y: index_select(x, 0, maximum(i, 1))"),
    "cast": ("i: int64[n]", "y: index_select(x, 0, cast(i, int32))"),
    "computed": ("i: int32[n]", "y: index_select(x, 0, 3 * i - i - i)"),
}
COMPUTED = ("i: int32[n]", "y: index_select(x, 0, cumsum(i, axis=0))")
PRODUCT = """\
pyptogen: 1
operator: product
dims: {t: {min: 1, max: 64}, k: 32, n: {min: 1, max: 128}}
inputs: {x: "bf16[t, k]", w: "bf16[k, n] @ nz"}
outputs: {y: "fp32[t, n]"}
graph: {y: "matmul(x, w, dtype=fp32)"}
targets: [cpu]
"""


def compiled(folder: Path, text: str) -> CompiledOperator:
    (folder / "spec.yaml").write_text(text)
    return pyptogen.compile(folder / "spec.yaml", threads=1)


def picked(folder: Path, inputs: str, graph: str) -> CompiledOperator:
    text = f"inputs:\n  x: fp32[t, d]\n  {inputs}\noutputs:\n  y: fp32[n, d]\ngraph:\n  {graph}\n"
    return compiled(folder, HEAD + text)


def close_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))


@pytest.mark.parametrize("name", PICKED)
def test_indices_of_a_known_call_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    made = picked(tmp_path, *PICKED[name])
    x = np.arange(5 * 32, dtype=np.float32).reshape(5, 32)
    index = np.array([0, 4, 2], np.int64 if "int64" in PICKED[name][0] else np.int32)
    lifted = np.maximum(index, 1) if name == "lifted" else index
    out = {"y": np.zeros((3, 32), np.float32)}
    np.testing.assert_array_equal(made(x=x, i=index).y, x[lifted])
    with monkeypatch.context() as patch:
        close_the_long_way(patch)
        for results in (made(x=x, i=index), made(x=x, i=index, out=out)):
            np.testing.assert_array_equal(results.y, x[lifted])
        if name == "lifted":
            marked = np.array([-1, 4, -7], np.int32)
            np.testing.assert_array_equal(made(x=x, i=marked).y, x[[1, 4, 1]])
    out["y"][:] = 7
    for wrong in (5, 2**31 - 1, -1, -(2**31)):
        index[1] = wrong
        if wrong < 0 and name == "lifted":
            continue
        for call in (lambda: made(x=x, i=index), lambda: made(x=x, i=index, out=out)):
            with pytest.raises(DiagnosticError, match=f"holds {wrong}, which is no position along axis 0 of `x`"):
                call()
    np.testing.assert_array_equal(out["y"], 7)


def test_an_index_of_several_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = picked(tmp_path, "block: int32[n]\n  slot: int64[n]", "y: index_select(x, 0, block * 2 + cast(slot, int32))")
    x = np.arange(5 * 32, dtype=np.float32).reshape(5, 32)
    block, slot = np.array([0, 2, 1], np.int32), np.array([1, 0, 1])
    made(x=x, block=block, slot=slot)
    with monkeypatch.context() as patch:
        close_the_long_way(patch)
        for _ in range(2):
            np.testing.assert_array_equal(made(x=x, block=block, slot=slot).y, x[[1, 4, 3]])
            block[0], slot[0] = 2, -3
            np.testing.assert_array_equal(made(x=x, block=block, slot=slot).y, x[[1, 4, 3]])
    slot[1] = 1
    with pytest.raises(DiagnosticError, match="computed from `block` and `slot`, holds 5, which is no position"):
        made(x=x, block=block, slot=slot)


def test_a_number_of_64_bits_is_no_index_of_32(tmp_path: Path) -> None:
    made = picked(tmp_path, *PICKED["wide"])
    x, index = np.ones((5, 32), np.float32), np.array([0, 4, 2])
    made(x=x, i=index)
    index[0] = 2**32
    with pytest.raises(DiagnosticError, match=f"holds {2**32}, which is no position"):
        made(x=x, i=index)


def test_an_index_that_a_kernel_of_a_known_call_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = picked(tmp_path, *COMPUTED)
    x, index = np.arange(5 * 32, dtype=np.float32).reshape(5, 32), np.array([1, 1, 1], np.int32)
    made(x=x, i=index)
    close_the_long_way(monkeypatch)
    np.testing.assert_array_equal(made(x=x, i=index).y, x[[1, 2, 3]])
    index[2] = 3
    for out in (None, {"y": np.zeros((3, 32), np.float32)}):
        with pytest.raises(DiagnosticError, match="holds 5, which is no position along axis 0 of `x`"):
            made(x=x, i=index, out=out)


def test_packed_weights_are_known_by_their_shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have the same number of boxes, and so data of the same size."""
    made = compiled(tmp_path, PRODUCT)
    rng = np.random.default_rng(1)
    weights = [rng.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((32, 64), (32, 50), (32, 33))]
    packed = [pyptogen.pack(w, layout="nz", target="cpu") for w in weights]
    assert packed[0].data.size == packed[1].data.size == packed[2].data.size
    rows = [rng.normal(size=(3, w.shape[0])).astype(ml_dtypes.bfloat16) for w in weights]
    for x, w in zip(rows, packed, strict=True):
        made(x=x, w=w)
    close_the_long_way(monkeypatch)
    for _ in range(2):
        for x, w, plain in zip(rows, packed, weights, strict=True):
            want = x.astype(np.float32) @ plain.astype(np.float32)
            out = {"y": np.zeros(want.shape, np.float32)}
            for results in (made(x=x, w=w), made(x=x, w=w, out=out)):
                np.testing.assert_allclose(results.y, want, rtol=1e-4, atol=1e-4)


def test_other_packed_weights_are_looked_at(tmp_path: Path) -> None:
    made = compiled(tmp_path, PRODUCT)
    w = np.arange(64, dtype=ml_dtypes.bfloat16)[None, :].repeat(32, axis=0)
    arrays: dict[str, Any] = {"x": np.ones((3, 32), ml_dtypes.bfloat16), "w": pyptogen.pack(w, target="cpu")}
    made(**arrays)
    for same in (w, pyptogen.pack(w, target="a2a3")):
        np.testing.assert_array_equal(made(**arrays | {"w": same}).y, [32 * np.arange(64)] * 3)
    other = PackedWeight(arrays["w"].data, w.shape, np.dtype(np.float16), "nz", "cpu")
    with pytest.raises(DiagnosticError, match="PTG403"):
        made(**arrays | {"w": other})
