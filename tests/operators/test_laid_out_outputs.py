"""Tensors that do not lie row after row: outputs with strides, and `dn`, in and out. Compiled for every target and in
the checked machine, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret
from pyptogen.verify.cases import verify_case

TEXT = """\
pyptogen: 1
operator: laid_out
dims:
  t: {min: 1, max: 512}
  ld: {min: 64, max: 4096}
  d: 64
  n: 32
  h: 2
inputs:
  x: {shape: [t, d], dtype: fp16, strides: [ld, 1]}
  w: fp16[d, n] @ dn
  z: fp32[t, d] @ dn
outputs:
  y: {shape: [t, d], dtype: fp32, strides: [ld, 1]}
  p: {shape: [t, n], dtype: fp32, strides: [3 * n, 1]}
  q: {shape: [t, n], dtype: fp16, strides: [3 * n, 1]}
  c: fp32[t, d] @ dn
  b: fp16[h, t, n] @ dn
  s: {shape: [t, 1], dtype: fp32, strides: [4, 1]}
  r: {shape: [t, h, n], dtype: fp16, strides: [d + 16, n, 1]}
  g: fp16[t, n] @ dn
graph:
  plain: {y: "cast(x, fp32) * 2 + z"}
  product:
    p: matmul(x, w, dtype=fp32)
    q: cast(relu(p), fp16)
  columns:
    c: y * y
    b: permute(reshape(x, [t, h, n]), [1, 0, 2])
    s: sum(c, axis=-1, keepdim=true)
  rest:
    r: reshape(cast(y + 1, fp16), [t, h, n])
    g: matmul(x, w, dtype=fp16)
tiling:
  - {}
"""

WAYS = """\
pyptogen: 1
operator: ways
dims:
  t: {min: 1, max: 512}
  slots: {min: 1, max: 4096}
  d: 64
  n: 32
  z: 2
inputs:
  x: fp32[t, d] @ dn
  index: int32[t]
  keep: fp32[slots, d]
  b: bf16[z, t, d] @ dn
  w: bf16[z, d, n] @ dn
attrs:
  flag: {type: int32, default: 1}
outputs:
  s: {shape: [slots, d], dtype: fp32, strides: [96, 1], init: 0}
  m: fp32[t, 1] @ dn
  k: {shape: [t, 4], dtype: fp32, strides: [8, 1]}
  ki: {shape: [t, 4], dtype: int32, strides: [8, 1]}
  e: {shape: [t, d], dtype: fp32, strides: [d + 8, 1]}
  p: fp32[z, t, n] @ dn
  c: {shape: [t, d], dtype: fp32, strides: [100, 1]}
  run: fp32[t, d] @ dn
  g: {shape: [t, d], dtype: fp32, strides: [128, 1]}
graph:
  begin:
    e: x * 2
  update:
    s: scatter_update(s, index, x, dim=0)
  top:
    m: amax(x, axis=-1, keepdim=true)
    k, ki: topk(x, 4)
  sometimes:
    if: flag > 0
    e: x * 3
  product:
    p: matmul(b, w, dtype=fp32)
  running:
    run: cumsum(x, 1)
    g: index_select(keep, 0, index)
  scan:
    loop: {over: d, tile: 16}
    carry:
      acc: full([t, 1], 0, fp32)
    next:
      acc: acc + sum(x[:, d], axis=-1, keepdim=true)
    collect:
      c: x[:, d] + acc
tiling:
  - {}
verify:
  generate: {index: permutation(slots)}
"""
"""Updates, conditions, orders, scans, gathers, loops: what leaves results row after row, or takes only those."""

MERGED = """\
pyptogen: 1
operator: merged
dims: {b: {min: 1, max: 100}, h: 4, n: 6, d: 16, ld: {min: 16, max: 4096}}
inputs:
  x: fp32[b, h, n, d]
  w: {shape: [b, d], dtype: fp32, strides: [ld, 1]}
outputs:
  y: {shape: [b, h, d], dtype: fp32, strides: [h * ld, ld, 1]}
  z: {shape: [b, h, n, d], dtype: fp32, strides: [h * n * ld, n * ld, ld, 1]}
  p: {shape: [b, n, h, d], dtype: fp32, strides: [h * n * ld, h * ld, ld, 1]}
  v: fp32[b, d]
graph:
  sums: {y: "sum(x, axis=2)"}
  running: {z: "cumsum(x, axis=2) * 2"}
  moved: {p: "permute(exp(x), [0, 2, 1, 3])"}
  pitch: {v: w * 2}
"""
"""Axes that a kernel sees as one, in results with gaps."""


def arguments(t: int, pitch: int) -> dict[str, Any]:
    """Small whole numbers: sums and products of them are exact."""
    rng = np.random.default_rng(t)
    x, w, z = (rng.integers(-4, 5, shape) for shape in ((t, pitch), (64, 32), (t, 64)))
    return {"x": x.astype(np.float16)[:, :64], "w": w.astype(np.float16), "z": z.astype(np.float32)}


def expected(x: Any, w: Any, z: Any) -> dict[str, Any]:
    y = x.astype(np.float64) * 2 + z
    p = x.astype(np.float64) @ w
    return {
        "y": y, "p": p, "q": np.maximum(p, 0), "c": y * y, "b": x.reshape(-1, 2, 32).transpose(1, 0, 2),
        "s": (y * y).sum(-1, keepdims=True), "r": (y + 1).reshape(-1, 2, 32), "g": p,
    }  # fmt: skip


@pytest.fixture(scope="module", params=["cpu", "a2a3"])
def operator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("laid_out") / "laid_out.yaml"
    path.write_text(TEXT)
    return pyptogen.compile(path, target=request.param, threads=2)


def test_results_and_where_they_lie(operator: Any) -> None:
    lowered = lower(operator.program, operator.target)
    for t, pitch in ((1, 64), (5, 80), (130, 100)):
        given = arguments(t, pitch)
        want = expected(**given)
        result = operator(**given)._asdict()
        for found in (result, operator.golden(**given)._asdict(), interpret(lowered, given)):
            for name, array in want.items():
                np.testing.assert_array_equal(found[name].astype(np.float64), array, err_msg=name)
        steps = {name: tuple(step // array.itemsize for step in array.strides) for name, array in result.items()}
        assert steps == {
            "y": (pitch, 1), "p": (96, 1), "q": (96, 1), "c": (1, t), "b": (32 * t, 1, t), "s": (4, 1),
            "r": (80, 32, 1), "g": (1, t),
        }  # fmt: skip


def test_out_arrays_share_a_buffer(operator: Any) -> None:
    given = arguments(7, 64)
    buffer = np.full((7, 3 * 32), 7.5, np.float32)
    halves = np.full((7, 3 * 32), 7.5, np.float16)
    out = {"p": buffer[:, 32:64], "q": halves[:, 64:], "c": np.asfortranarray(np.empty((7, 64), np.float32))}
    want = expected(**given)
    for _ in range(2):  # the second call has the same arguments
        result = operator(**given, out=out)
        np.testing.assert_array_equal(buffer[:, 32:64], want["p"])
        np.testing.assert_array_equal(halves[:, 64:], want["q"])
        np.testing.assert_array_equal(out["c"], want["c"])
        assert result.p is out["p"]
    for untouched in (buffer[:, :32], buffer[:, 64:], halves[:, :64]):
        assert (untouched == 7.5).all()


@pytest.mark.parametrize(
    ("name", "array", "code", "words"),
    [
        ("p", np.empty((7, 32), np.float32), "PTG402", "`out` for `p` has strides [32, 1]"),
        ("c", np.empty((7, 64), np.float32), "PTG402", "`out` for `c` has strides [64, 1]"),
        ("y", None, "PTG407", "`p` is written while `y` uses the same memory"),
    ],
)
def test_out_arrays_that_do_not_fit(operator: Any, name: str, array: Any, code: str, words: str) -> None:
    out = {name: array}
    if array is None:
        buffer = np.empty((7, 96), np.float32)
        out = {"p": buffer[:, :32], "y": buffer[:, 31:95]}
    with pytest.raises(DiagnosticError) as caught:
        operator(**arguments(7, 96), out=out)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert words in diagnostic.message


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_every_way_to_make_a_result(target: str, tmp_path: Path) -> None:
    path = tmp_path / "ways.yaml"
    path.write_text(WAYS)
    found = verify_case(pyptogen.compile(path, target=target, threads=2), {"t": 37, "slots": 64})
    assert [verdict.describe() for verdict in found.verdicts if not verdict.passed] == []


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("b", [1, 7])
def test_axes_that_are_one_in_results_with_gaps(target: str, b: int, tmp_path: Path) -> None:
    path = tmp_path / "merged.yaml"
    path.write_text(MERGED)
    found = verify_case(pyptogen.compile(path, target=target, threads=2), {"b": b, "ld": 33})
    assert [verdict.describe() for verdict in found.verdicts if not verdict.passed] == []


def test_rows_that_would_lie_over_each_other(tmp_path: Path) -> None:
    path = tmp_path / "over.yaml"
    path.write_text(
        "pyptogen: 1\noperator: over\ndims: {t: {min: 1, max: 9}, ld: {min: 1, max: 99}, d: 8}\n"
        "inputs: {x: 'fp32[t, d]', z: 'fp32[ld]'}\n"
        "outputs: {y: {shape: [t, d], dtype: fp32, strides: [ld, 1]}}\ngraph: {y: 'x + z[0:1]'}\n"
    )
    operator = pyptogen.compile(path)
    x = np.ones((3, 8), np.float32)
    assert (operator(x=x, z=np.ones(8, np.float32)).y == 2).all()
    with pytest.raises(DiagnosticError, match=r"ld >= d .rows of `y` lie apart") as caught:
        operator(x=x, z=np.ones(7, np.float32))
    assert caught.value.diagnostics[0].code == "PTG406"
