"""Outputs in `nz`, the boxes in which products take their right operands: from vector work, from products, from what is
a kernel of its own, with rows and columns that fill no box. For every target, against numpy, element by element and
place by place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.layout.packing import PackedWeight
from pyptogen.lower.instruction.ir import GmWindow, Instr, walk
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime import CompiledOperator
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as interpret_level

TEXT = """\
pyptogen: 1
operator: boxed
dims:
  t: {min: 64, max: 4096, multiple_of: 64}
  m: 41
  n: 72
  k: 48
  h: 3
inputs:
  x: fp32[m, n]
  a: fp16[m, k]
  b: fp16[k, n]
  u: bf16[t, n]
  e: fp16[2 * k, k]
  c: int8[h, m, n]
outputs:
  y: fp32[m, n] @ nz
  s: fp32[m, n]
  z: bf16[m, n] @ nz
  q: int8[t, n] @ nz
  p: fp16[m, n] @ nz
  r: fp32[m, n] @ nz
  g: fp16[n, m] @ nz
  j: fp16[m, 2 * n] @ nz
  w: int8[h, m, n] @ nz
  o: fp32[1, n] @ nz
  f: fp32[2 * k, 2 * k] @ nz
  d: bf16[2 * k, 2 * k] @ nz
graph:
  rows:
    y: x * 2 + 1
    s: y / sum(y, axis=-1, keepdim=true)
    z: cast(x, bf16)
    o: sum(x, axis=0, keepdim=true)
  run_time:
    q: cast(u, int8)
  product:
    p: matmul(a, b)
    r: matmul(a, b, dtype=fp32)
  doubled:
    e2: e * 2
  whole:
    f: matmul(e, e.T, dtype=fp32)
    d: cast(relu(matmul(e2, e.T, dtype=fp32)), bf16)
  others:
    g: p.T
    j: concat(p, p, axis=-1)
    w: c
tiling:
  - {}
"""


def arguments(t: int) -> dict[str, Any]:
    """Small whole numbers: sums and products of them are exact."""
    rng = np.random.default_rng(t)
    draw = {
        "x": ((41, 72), np.float32), "a": ((41, 48), np.float16), "b": ((48, 72), np.float16),
        "u": ((t, 72), ml_dtypes.bfloat16), "e": ((96, 48), np.float16), "c": ((3, 41, 72), np.int8),
    }  # fmt: skip
    return {name: rng.integers(1, 5, shape).astype(dtype) for name, (shape, dtype) in draw.items()}


def expected(x: Any, a: Any, b: Any, u: Any, e: Any, c: Any) -> dict[str, Any]:
    f = e.astype(np.float32) @ e.astype(np.float32).T
    y, p = x * 2 + 1, (a.astype(np.float32) @ b.astype(np.float32))
    return {
        "y": y, "z": x, "q": u, "p": p, "r": p, "g": p.T, "j": np.concatenate([p, p], axis=1), "w": c,
        "o": x.sum(0, keepdims=True), "f": f, "d": (2 * f).astype(ml_dtypes.bfloat16),
    }  # fmt: skip


def boxes(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The fractal form by hand: columns in blocks of 32 bytes, in each row after row, up to a multiple of 16 rows."""
    wide = 32 // matrix.itemsize
    padded = np.zeros((-(-matrix.shape[0] // 16) * 16, -(-matrix.shape[1] // wide) * wide), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return np.concatenate([padded[:, at : at + wide].ravel() for at in range(0, padded.shape[1], wide)])


@pytest.fixture(scope="module", params=["cpu", "a2a3", "a5"])
def operator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("boxed") / "boxed.yaml"
    path.write_text(TEXT)
    return pyptogen.compile(path, target=request.param, threads=2)


@pytest.mark.parametrize("t", [64, 320])
def test_elements(operator: Any, t: int) -> None:
    given = arguments(t)
    want = expected(**given)
    result = operator(**given)._asdict()
    lowered = lower(operator.program, operator.target)
    levels = [interpret_level(lowered, given, level=level) for level in ("tile", "block")]
    for found in (result, operator.golden(**given)._asdict(), interpret(lowered, given), *levels):
        for name, array in want.items():
            np.testing.assert_array_equal(np.asarray(found[name]).astype(np.float64), array, err_msg=name)
    np.testing.assert_allclose(result["s"], want["y"] / want["y"].sum(-1, keepdims=True), rtol=1e-6)


def test_where_they_lie(operator: Any) -> None:
    """A new result is the packed form of its matrix, boxes filled up with zeros."""
    given = arguments(128)
    result = operator(**given)._asdict()
    for name, array in expected(**given).items():
        matrices = np.asarray(array).astype(result[name].dtype)
        packed = pyptogen.pack(matrices, target=operator.target)
        np.testing.assert_array_equal(result[name].data.view(np.uint8), packed.data.view(np.uint8), err_msg=name)
        if operator.target != "cpu" and matrices.ndim == 2:
            np.testing.assert_array_equal(result[name].data.view(np.uint8), boxes(matrices).view(np.uint8))


def test_given_memory_and_the_next_operator(operator: Any, tmp_path: Path) -> None:
    """A result may be written to memory that is there, and is the weight of another operator."""
    given, target = arguments(64), operator.target
    out = pyptogen.pack(np.full((41, 72), 7, np.float16), target=target)
    result = operator(**given, out={"p": out})
    assert result.p is out
    path = tmp_path / "next.yaml"
    path.write_text(
        "pyptogen: 1\noperator: next\ndims: {t: {min: 1, max: 64}, m: 41, n: 72}\n"
        "inputs:\n  x: fp16[t, m]\n  w: fp16[m, n] @ nz\noutputs:\n  y: fp32[t, n]\n"
        "graph:\n  y: matmul(x, w, dtype=fp32)\n"
    )
    x = np.random.default_rng(3).integers(-3, 4, (5, 41)).astype(np.float16)
    y = pyptogen.compile(path, target=target, threads=1)(x=x, w=result.p).y
    np.testing.assert_array_equal(y, x.astype(np.float32) @ np.asarray(out).astype(np.float32))
    with pytest.raises(DiagnosticError, match="plain array"):
        operator(**given, out={"p": np.empty((41, 72), np.float16)})
    with pytest.raises(DiagnosticError, match="in the form of"):
        operator(**given, out={"p": pyptogen.pack(np.asarray(out), target="a2a3" if target == "cpu" else "cpu")})


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_rows_that_may_not_fill_boxes(target: str, tmp_path: Path) -> None:
    text = "pyptogen: 1\noperator: rows\ndims: {t: {min: 1, max: 64}, n: 32}\ninputs: {x: 'bf16[t, n]'}\n"
    path = tmp_path / "rows.yaml"
    path.write_text(text + "outputs: {y: 'bf16[t, n] @ nz'}\ngraph: {y: x + x}\n")
    with pytest.raises(DiagnosticError, match="nothing proves that they are a multiple of") as found:
        pyptogen.compile(path, target=target)
    assert found.value.diagnostics[0].code == "PTG303"


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_accumulators_with_all_rows_leave_through_the_fixpipe(target: str, tmp_path: Path) -> None:
    path = tmp_path / "boxed.yaml"
    path.write_text(TEXT)
    kernels = lower(from_spec(load_spec(path)), target).instructions
    stored = {
        window.tensor
        for kernel in kernels
        for node in walk(kernel.body)
        if isinstance(node, Instr) and node.name == "TSTORE"
        for window in node.operands[:1]
        if isinstance(window, GmWindow) and window.layout == "NZ"
    }
    assert stored == {"f", "d"}


def dirty(*sizes: int) -> None:
    """Memory of these sizes that somebody has written to and let go of."""
    for size in sizes:
        for array in [np.empty(size + 64, np.uint8) for _ in range(4)]:
            array.fill(0xA5)


def test_known_calls(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second call of a shape is checked and started without Python, and gives what the first gave."""
    given = arguments(64)
    want = operator(**given)
    monkeypatch.setattr(CompiledOperator, "bind", lambda *_: pytest.fail("the long way"))
    dirty(*(one.nbytes for one in want))
    found = operator(**given)
    assert type(found) is type(want)
    for tensor, made, before in zip(operator.contract.outputs, found, want, strict=True):
        if tensor.layout != "nz":
            continue
        assert type(made) is PackedWeight
        assert (made.shape, made.layout, made.target) == (before.shape, "nz", operator.target)
        assert made.dtype is tensor.dtype
        assert {type(size) for size in made.shape} == {int}
        assert (made.data.shape, made.data.dtype) == (before.data.shape, tensor.dtype)
        assert made.data.flags.writeable
        assert made.data.__array_interface__["data"][0] % 64 == 0
        np.testing.assert_array_equal(made.data.view(np.uint8), before.data.view(np.uint8), err_msg=tensor.name)
    out = {
        name: pyptogen.pack(np.full(one.shape, 7, one.dtype), target=operator.target)
        if isinstance(one, PackedWeight)
        else np.empty_like(one)
        for name, one in want._asdict().items()
    }
    for name, made in operator(**given, out=out)._asdict().items():
        assert made is out[name]
        np.testing.assert_array_equal(np.asarray(made), np.asarray(getattr(want, name)), err_msg=name)


def test_faults_of_known_calls(operator: Any) -> None:
    given, target = arguments(128), operator.target
    out = operator(**given)._asdict()
    operator(**given, out=out)
    other = "a2a3" if target == "cpu" else "cpu"
    p = np.asarray(out["p"])
    shared = given["u"].view(np.float16).reshape(-1)[: out["p"].data.size]
    for wrong, code in (
        (p, "PTG407"),
        (pyptogen.pack(p, target=other), "PTG407"),
        (pyptogen.pack(p[:40], target=target), "PTG402"),
        (pyptogen.pack(p[None], target=target), "PTG402"),
        (pyptogen.pack(p.view(ml_dtypes.bfloat16), target=target), "PTG403"),
        (out["j"], "PTG402"),
        (PackedWeight(shared, p.shape, p.dtype, "nz", target), "PTG407"),
    ):
        with pytest.raises(DiagnosticError) as error:
            operator(**given, out=out | {"p": wrong})
        assert error.value.diagnostics[0].code == code
    assert operator(**given, out=out).p is out["p"]
