"""Sizes that only run time knows, in places other than rows, with tiles that the compiler chooses; rows longer than
memory. References in numpy, float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import pyptogen

Array = npt.NDArray[Any]

LINE = """\
pyptogen: 1
operator: line
dims:
  k: {min: 1, max: 1000000}
inputs:
  p: fp32[k]
  g: bf16[k]
  m: fp32[k]
  rate: fp32[1]
outputs:
  m2: fp32[k]
  p2: fp32[k]
graph:
  m2: 0.9 * m + 0.1 * cast(g, fp32)
  p2: p - rate * m2
"""

GROUPS = """\
pyptogen: 1
operator: groups
dims:
  n: {min: 1, max: 64}
  c: 96
  g: 8
  hw: {min: 1, max: 4096}
inputs:
  x: fp32[n, c, hw]
  gain: fp32[c]
outputs:
  y: fp32[n, c, hw]
graph:
  xg: reshape(x, [n * g, c / g * hw])
  mean: mean(xg, axis=-1, keepdim=true)
  d: xg - mean
  var: mean(d * d, axis=-1, keepdim=true)
  y: reshape(d * rsqrt(var + 1e-5), [n, c, hw]) * reshape(gain, [c, 1])
tiling:
  - {}
"""

NEAREST = """\
pyptogen: 1
operator: nearest
dims:
  n: {min: 1, max: 100000}
  k: {min: 1, max: 256}
  d: 64
inputs:
  x: fp32[n, d]
  c: fp32[k, d]
outputs:
  who: int32[n]
  least: fp32[n]
graph:
  xc: matmul(x, c, b_trans=true)
  dist: reshape(sum(x * x, axis=-1), [n, 1]) - 2 * xc + reshape(sum(c * c, axis=-1), [1, k])
  who: argmin(dist, axis=-1)
  least: amin(dist, axis=-1)
tiling:
  - {}
"""

GREEDY = """\
pyptogen: 1
operator: greedy
dims:
  b: {min: 1, max: 128}
  v: 151936
inputs:
  x: %s[b, v]
outputs:
  who: int32[b]
  least: int32[b]
  p: fp32[b]
graph:
  who: argmax(x, axis=-1)
  least: argmin(x, axis=-1)
  xf: cast(x, fp32)
  p: 1 / sum(exp(xf - amax(xf, axis=-1, keepdim=true)), axis=-1)
tiling:
  - {}
"""


def call(text: str, target: str, folder: Path, **inputs: Array) -> Any:
    path = folder / "sizes.yaml"
    path.write_text(text)
    return pyptogen.compile(path, target=target)(**inputs)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("k", [1, 5000, 40001])
def test_one_run_time_dim_alone(target: str, k: int, rng: np.random.Generator, tmp_path: Path) -> None:
    p, g, m = (rng.normal(size=k).astype(np.float32) for _ in range(3))
    g = g.astype(ml_dtypes.bfloat16)
    rate = np.array([0.25], np.float32)
    got = call(LINE, target, tmp_path, p=p, g=g, m=m, rate=rate)
    m2 = 0.9 * m.astype(np.float64) + 0.1 * g.astype(np.float64)
    np.testing.assert_allclose(got.m2, m2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got.p2, p - 0.25 * m2, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("n", "hw"), [(1, 1), (3, 64), (2, 1111)])
def test_an_axis_that_is_no_dim(target: str, n: int, hw: int, rng: np.random.Generator, tmp_path: Path) -> None:
    x, gain = rng.normal(size=(n, 96, hw)).astype(np.float32), rng.normal(size=96).astype(np.float32)
    got = call(GROUPS, target, tmp_path, x=x, gain=gain)
    grouped = x.astype(np.float64).reshape(n * 8, -1)
    d = grouped - grouped.mean(-1, keepdims=True)
    want = (d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)).reshape(x.shape) * gain[:, None]
    np.testing.assert_allclose(got.y, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (33, 100), (70, 256)])
def test_positions_along_a_run_time_axis(target: str, n: int, k: int, rng: np.random.Generator, tmp_path: Path) -> None:
    x, c = rng.normal(size=(n, 64)).astype(np.float32), rng.normal(size=(k, 64)).astype(np.float32)
    got = call(NEAREST, target, tmp_path, x=x, c=c)
    dist = ((x[:, None, :].astype(np.float64) - c[None, :, :]) ** 2).sum(-1)
    np.testing.assert_array_equal(got.who, dist.argmin(-1))
    np.testing.assert_allclose(got.least, dist.min(-1), rtol=1e-4)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
def test_positions_in_rows_longer_than_memory(
    target: str, dtype: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    """Ties lie in different pieces, extremes at both ends: the first of equal ones counts."""
    x = rng.integers(-200, 200, (5, 151936)).astype(ml_dtypes.bfloat16 if dtype == "bf16" else np.float32)
    x[1, -1], x[2, 0], x[3, 151935] = 300, 300, -300
    x[4, :] = 7
    got = call(GREEDY % dtype, target, tmp_path, x=x)
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(got.who, wide.argmax(-1))
    np.testing.assert_array_equal(got.least, wide.argmin(-1))
    np.testing.assert_allclose(got.p, 1 / np.exp(wide - wide.max(-1, keepdims=True)).sum(-1), rtol=1e-5)
