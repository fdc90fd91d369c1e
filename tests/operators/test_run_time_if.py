"""Stages that a call runs or leaves out (`if`), compiled for every target and in the checked machine, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret

EITHER = """\
pyptogen: 1
operator: run_time_if
dims:
  t: {min: 1, max: 4096}
  d: 48
attrs:
  flag: {type: int32, default: 1}
  limit: {type: fp32, default: 0.5}
inputs:
  x: fp32[t, d]
  count: int32[1]
outputs:
  y: fp32[t, d]
  z: fp32[t, d]
  above: bool[t, d]
graph:
  small:
    if: t <= 32
    y: x * 2
    above: y > 0
  large:
    if: {t: "> 32"}
    s: sum(abs(x), axis=-1, keepdim=true)
    y: x / s
    above: x > 0.5
  first:
    z: y + 1
  relu_it:
    if: flag != 0 and count > 3 and limit < 1.0
    w: relu(z)
    z: w * y
tiling:
  - {}
"""

CACHE = """\
pyptogen: 1
operator: conditional_cache
dims:
  t: {min: 1, max: 256}
  kv: {min: 1, max: 512}
  rows: {min: 1, max: 512}
  d: 64
attrs:
  write: {type: int32, default: 1}
inputs:
  x: fp16[t, d]
  k: fp16[kv, d]
  cache: fp32[rows, d]
  slot: int64[t]
  length: int64[1, 1]
outputs:
  cache: {inplace: true}
  o: fp32[t, d]
graph:
  linear:
    p: matmul(x, x[:1, :].T, dtype=fp32)
    o: cast(x, fp32) + p
  update:
    if: write == 1
    q: o * 2
    cache: scatter_update(cache, slot, q, dim=0)
  attend:
    if: length >= 4 or kv > 100
    loop: {over: kv, tile: 64}
    carry:
      acc: full([t, d], 0, fp32)
    body:
      s: matmul(x, k[kv].T, dtype=fp32)
    next:
      acc: acc + matmul(cast(s, fp16), k[kv], dtype=fp32)
  after:
    if: length >= 4 or kv > 100
    o: o + acc
tiling:
  - {}
"""

TEXTS = {"either": EITHER, "cache": CACHE}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Any]:
    folder: Path = tmp_path_factory.mktemp("conditions")

    @cache
    def operator(name: str, target: str) -> Any:
        path = folder / f"{name}.yaml"
        path.write_text(TEXTS[name])
        return pyptogen.compile(path, target=target, threads=2)

    return operator


@pytest.mark.parametrize("rows", [1, 32, 33, 200])
@pytest.mark.parametrize(("flag", "count", "limit"), [(1, 4, 0.5), (1, 3, 0.5), (0, 9, 0.5), (1, 9, 1.5)])
def test_one_of_two_stages_and_a_value_given_anew(
    compiled: Callable[[str, str], Any], target: str, rows: int, flag: int, count: int, limit: float
) -> None:
    operator = compiled("either", target)
    x = np.random.default_rng(rows).normal(size=(rows, 48)).astype(np.float32)
    arrays = {"x": x, "count": np.array([count], np.int32)}
    y = x * 2 if rows <= 32 else x / np.abs(x).sum(axis=-1, keepdims=True)
    z = np.maximum(y + 1, 0) * y if flag and count > 3 and limit < 1 else y + 1
    above = y > 0 if rows <= 32 else x > 0.5
    attrs = {"flag": flag, "limit": limit}
    lowered = lower(operator.program, target)
    for got in (operator(**arrays, **attrs)._asdict(), operator.golden(**arrays, **attrs)._asdict(),
                interpret(lowered, arrays, attrs, blocks=2)):  # fmt: skip
        np.testing.assert_allclose(got["y"], y, rtol=1e-5)
        np.testing.assert_allclose(got["z"], z, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(got["above"], above)


@pytest.mark.parametrize(
    ("rows", "kv", "length", "write"), [(1, 1, 0, 0), (33, 130, 0, 1), (65, 77, 4, 0), (9, 9, 3, 1)]
)
def test_an_update_and_a_loop_that_are_left_out(
    compiled: Callable[[str, str], Any], target: str, rows: int, kv: int, length: int, write: int
) -> None:
    operator = compiled("cache", target)
    rng = np.random.default_rng(rows)
    x, k = (rng.integers(-2, 3, (size, 64)).astype(np.float16) for size in (rows, kv))
    before = rng.normal(size=(100, 64)).astype(np.float32)
    slot = rng.permutation(100)[:rows].astype(np.int64)
    wide, keys = x.astype(np.float64), k.astype(np.float64)
    o, cached = wide + wide @ wide[:1].T, before.copy()
    if write:
        cached[slot] = o * 2
    if length >= 4 or kv > 100:
        o = o + (wide @ keys.T) @ keys
    arrays = {"x": x, "k": k, "cache": before.copy(), "slot": slot, "length": np.array([[length]], np.int64)}
    lowered = lower(operator.program, target)
    results = [interpret(lowered, arrays, {"write": write}), operator.golden(**arrays, write=write)._asdict()]
    results.append(operator(**arrays, write=write)._asdict())
    for got in results:
        np.testing.assert_array_equal(got["cache"], cached)
        np.testing.assert_array_equal(got["o"], o)
