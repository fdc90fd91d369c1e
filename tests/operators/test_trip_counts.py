"""Loops over run-time dims that have none to three iterations, in the checked mode: what runs ahead of the first
and behind the last one is in order, and the results are those of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyptogen

SPEC = """\
pyptogen: 1
operator: few_rounds
dims:
  rows: {min: 1, max: 64}
  k: {min: 1, max: 192}
  kv: {min: 1, max: 192}
  m: 16
  n: 32
inputs:
  x: fp32[rows, n]
  a: bf16[m, k]
  b: bf16[k, n]
  query: bf16[1, m, n]
  keys: bf16[1, kv, n]
  values: bf16[1, kv, n]
outputs:
  y: fp32[rows, n]
  c: fp32[m, n]
  o: bf16[1, m, n]
graph:
  scaled:
    y: exp(x) * 2 + x
  product:
    c: matmul(a, b, dtype=fp32)
  attend:
    o: attention(query, keys, values, scale=0.25)
tiling:
  - {rows: 8, k: 64, kv: 64, attend: {fifo: 2}}
"""
ROWS = (1, 8, 9, 16, 17, 24, 40)
"""With tiles of 8 for two blocks: none to three iterations of each block, whole ones and tails."""
DEPTHS = (1, 63, 64, 65, 128, 129, 192)
"""One to three iterations of 64."""


@pytest.fixture(scope="module", params=["cpu", "a2a3"])
def few_rounds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("trips") / "few_rounds.yaml"
    path.write_text(SPEC)
    return pyptogen.compile(path, target=request.param, threads=2, checked=True)


def attention(query: Any, keys: Any, values: Any) -> Any:
    scores = query.astype(np.float64) @ keys.astype(np.float64).swapaxes(1, 2) * 0.25
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ values.astype(np.float64)


@pytest.mark.parametrize(("rows", "depth"), [*zip(ROWS, DEPTHS, strict=True)])
def test_few_iterations(few_rounds: Any, rows: int, depth: int) -> None:
    given = few_rounds.example_inputs(seed=depth, rows=rows, k=depth, kv=depth)
    got = few_rounds(**given)
    x, a, b = (given[name].astype(np.float64) for name in "xab")
    np.testing.assert_allclose(got.y, np.exp(x) * 2 + x, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got.c, a @ b, rtol=1e-5, atol=1e-4)
    wanted = attention(given["query"], given["keys"], given["values"])
    np.testing.assert_allclose(got.o.astype(np.float64), wanted, rtol=2e-2, atol=2e-2)
