"""Operators with one dim on several axes: square weights, gram matrices, a sequence that attends to itself; chains of
products whose depth is the width of the product before; one size under several names, or as a number. References in
numpy, float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import pyptogen

Array = npt.NDArray[Any]

HEAD = """\
pyptogen: 1
operator: square
dims:
%s
inputs:
"""

ANY = "{min: 1, max: 700}"

RESIDUAL = """\
  x: fp32[n, d]
  w: fp32[d, d]
outputs:
  y: fp32[n, d]
graph:
  y: matmul(x, w) + x
"""

TWO_LAYERS = """\
  x: fp32[n, d]
  w: fp32[d, d]
  v: fp32[d, d]
  h: fp32[d, 17]
outputs:
  y: fp32[n, d]
  z: fp32[n, 17]
graph:
  a: relu(matmul(x, w))
  y: matmul(a, v) + x
  z: matmul(y, h)
"""

GRAM = """\
  x: fp32[n, d]
outputs:
  g: fp32[n, n]
  apart: fp32[n, n]
  swapped: fp32[n, n]
graph:
  g: matmul(x, x, b_trans=true)
  q: sum(x * x, axis=-1)
  apart: reshape(q, [n, 1]) + reshape(q, [1, n]) - 2 * g
  swapped: transpose(g, 0, 1) * 2 + g
"""

ITSELF = """\
  q: fp32[s, d]
  k: fp32[s, d]
  v: fp32[s, d]
outputs:
  y: fp32[s, d]
  rows: fp32[s]
  columns: fp32[s]
  t: fp32[s, s]
graph:
  sc: matmul(q, k, b_trans=true) * 0.125
  p: softmax(sc, axis=-1)
  rows: sum(sc, axis=1)
  columns: sum(sc, axis=0)
  t: transpose(p, 0, 1) + p
  y: matmul(p, v)
"""

LOW_RANK = """\
  x: bf16[n, d]
  w: bf16[d, 300]
  a: bf16[d, 16]
  b: bf16[16, 300]
outputs:
  y: bf16[n, 300]
graph:
  y: matmul(x, w) + 0.5 * matmul(matmul(x, a), b)
"""

STATE = """\
  x: fp32[n, d]
  w: fp32[d, d]
outputs:
  y: fp32[d, d]
graph:
  steps:
    loop: {over: n, tile: 8}
    carry:
      m: full([d, d], 0, fp32)
    body:
      k: x[n]
    next:
      m: m * 0.5 + matmul(transpose(k, 0, 1), k)
  out:
    y: m + w
"""


NAMES = """\
  x: fp32[n, k]
  g: fp32[%(k)s]
  w: fp32[%(k)s, m]
  b: fp32[%(m)s]
outputs:
  y: fp32[n, %(m)s]
graph:
  y: matmul(x * g, w) + b
"""


def call(body: str, target: str, row: str, folder: Path, dims: dict[str, int | str], **inputs: Array) -> Any:
    path = folder / "square.yaml"
    path.write_text(HEAD % "\n".join(f"  {name}: {size}" for name, size in dims.items()) + body + f"tiling:\n  {row}\n")
    return pyptogen.compile(path, target=target)(**inputs)


def wide(*arrays: Array) -> list[Array]:
    return [a.astype(np.float64) for a in arrays]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def drawn(rng: np.random.Generator, *shape: int) -> Array:
    return rng.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("d", "row"), [(700, "- {}"), (96, "- {n: 16, d: 32}"), (33, "- {}")])
def test_square_weights(target: str, d: int, row: str, rng: np.random.Generator, tmp_path: Path) -> None:
    x, w = drawn(rng, 45, d), drawn(rng, d, d)
    got = call(RESIDUAL, target, row, tmp_path, {"n": ANY, "d": d}, x=x, w=w)
    xw, ww = wide(x, w)
    np.testing.assert_allclose(got.y, xw @ ww + xw, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("d", "row"), [(333, "- {}"), (96, "- {n: 16, d: 32}")])
def test_layers_of_one_width(target: str, d: int, row: str, rng: np.random.Generator, tmp_path: Path) -> None:
    x, w, v, h = drawn(rng, 37, d), drawn(rng, d, d), drawn(rng, d, d), drawn(rng, d, 17)
    got = call(TWO_LAYERS, target, row, tmp_path, {"n": ANY, "d": d}, x=x, w=w, v=v, h=h)
    xw, ww, vw, hw = wide(x, w, v, h)
    y = np.maximum(xw @ ww, 0) @ vw + xw
    np.testing.assert_allclose(got.y, y, rtol=1e-5, atol=1e-5 * np.abs(y).max())
    np.testing.assert_allclose(got.z, y @ hw, rtol=1e-5, atol=1e-5 * np.abs(y @ hw).max())


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("row", ["- {n: 32}", "- {}"])
@pytest.mark.parametrize("n", [1, 77])
def test_gram_matrix(target: str, row: str, n: int, rng: np.random.Generator, tmp_path: Path) -> None:
    x = drawn(rng, n, 40)
    got = call(GRAM, target, row, tmp_path, {"n": ANY, "d": 40}, x=x)
    (xw,) = wide(x)
    g, q = xw @ xw.T, (xw * xw).sum(-1)
    np.testing.assert_allclose(got.g, g, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got.apart, q[:, None] + q[None, :] - 2 * g, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(got.swapped, g.T * 2 + g, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("s", "row"), [(96, "- {s: 32}"), (77, "- {}")])
def test_a_sequence_and_itself(target: str, s: int, row: str, rng: np.random.Generator, tmp_path: Path) -> None:
    q, k, v = (drawn(rng, s, 64) for _ in range(3))
    got = call(ITSELF, target, row, tmp_path, {"s": s, "d": 64}, q=q, k=k, v=v)
    qw, kw, vw = wide(q, k, v)
    scores = qw @ kw.T * 0.125
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    np.testing.assert_allclose(got.rows, scores.sum(1), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(got.columns, scores.sum(0), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(got.t, p.T + p, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(got.y, p @ vw, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_product_of_a_product(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    def bf16(*shape: int) -> Array:
        return drawn(rng, *shape).astype(ml_dtypes.bfloat16)

    x, w, a, b = bf16(50, 512), bf16(512, 300), bf16(512, 16), bf16(16, 300)
    got = call(LOW_RANK, target, "- {}", tmp_path, {"n": ANY, "d": 512}, x=x, w=w, a=a, b=b)
    xw, ww, aw, bw = wide(x, w, a, b)
    low = (xw @ aw).astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
    want = xw @ ww + 0.5 * (low @ bw)
    np.testing.assert_allclose(got.y.astype(np.float64), want, rtol=2**-6, atol=2**-6 * np.abs(want).max())


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_square_state(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    x, w = drawn(rng, 21, 48), drawn(rng, 48, 48)
    got = call(STATE, target, "- {fifo: 2}" if target == "a2a3" else "- {}", tmp_path, {"n": ANY, "d": 48}, x=x, w=w)
    xw, want = x.astype(np.float64), np.zeros((48, 48))
    for at in range(0, 21, 8):
        want = want * 0.5 + xw[at : at + 8].T @ xw[at : at + 8]
    np.testing.assert_allclose(got.y, want + w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("row", ["- {n: 16, k: 64, m: 32}", "- {}"])
@pytest.mark.parametrize("names", [{"k": "k2", "m": "m2"}, {"k": "640", "m": "160"}], ids=["names", "numbers"])
def test_one_size_under_several_names(
    target: str, row: str, names: dict[str, str], rng: np.random.Generator, tmp_path: Path
) -> None:
    x, g, w, b = drawn(rng, 37, 640), drawn(rng, 640), drawn(rng, 640, 160), drawn(rng, 160)
    dims: dict[str, int | str] = {"n": ANY, "k": 640, "m": 160, "k2": 640, "m2": 160}
    got = call(NAMES % names, target, row, tmp_path, dims, x=x, g=g, w=w, b=b)
    xw, gw, ww, bw = wide(x, g, w, b)
    np.testing.assert_allclose(got.y, (xw * gw) @ ww + bw, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_all_sizes_as_numbers(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    body = NAMES.replace("x: fp32[n, k]", "x: fp32[n, 1536]").replace(", m]", ", 160]") % {"k": "1536", "m": "160"}
    x, g, w, b = drawn(rng, 37, 1536), drawn(rng, 1536), drawn(rng, 1536, 160), drawn(rng, 160)
    got = call(body, target, "- {}", tmp_path, {"n": ANY}, x=x, g=g, w=w, b=b)
    xw, gw, ww, bw = wide(x, g, w, b)
    np.testing.assert_allclose(got.y, (xw * gw) @ ww + bw, rtol=1e-5, atol=1e-4)
