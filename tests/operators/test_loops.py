"""Loops with carried values, compiled for every target, against what they mean by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from operators.loop_specs import CASES, inputs
from pyptogen.codegen import generate
from pyptogen.simulate.graph import interpret

MIDDLE = """\
pyptogen: 1
operator: middle_axes
dims:
  t: {min: 1, max: 64}
  n: {min: 1, max: 4096}
  heads: 24
  d: 16
inputs:
  q: bf16[t, heads, d]
  k: bf16[n, d]
  w: fp32[t, heads]
  x: fp32[heads, 1]
outputs:
  total: fp32[t, n]
  best: fp32[t, n]
  product: fp32[t, n]
  height: fp32[1, 1]
graph:
  scores:
    loop: {over: n, tile: 64}
    body:
      s: relu(matmul(q, k[n].T, dtype=fp32)) * w[:, :, None]
    collect:
      total: sum(s, axis=1)
      best: amax(s, axis=1)
      product: prod(1 + s * 0.01, axis=1)
  column:
    height: sum(x * 2, axis=0, keepdim=true)
tiling:
  - {t: 1, n: 64}
"""

RUNS = [(name, target) for name, case in CASES.items() for target in case.targets]


@pytest.fixture(scope="module")
def looped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Any]:
    """`looped(case, target)`: the compiled loop."""
    folder: Path = tmp_path_factory.mktemp("loops")

    @cache
    def compiled(name: str, target: str) -> Any:
        path = folder / f"{name}.yaml"
        path.write_text(CASES[name].text)
        return pyptogen.compile(path, target=target, threads=2)

    return compiled


def agree(name: str, got: Any, want: dict[str, Any]) -> None:
    for output, expected in want.items():
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(
            np.asarray(got[output], np.float64), expected, rtol=0, atol=CASES[name].allowed * scale, err_msg=output
        )


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_compiled(looped: Callable[[str, str], Any], name: str, target: str) -> None:
    operator = looped(name, target)
    for seed, dims in enumerate(CASES[name].sizes):
        arrays = inputs(operator, seed, dims)
        agree(name, operator(**arrays)._asdict(), CASES[name].reference(arrays))


def test_squares_of_blocks_take_a_strip(looped: Callable[[str, str], Any]) -> None:
    """A value whose rows and columns are both the block crosses kernels of a2a3 with room for one block a row."""
    workspaces = generate(looped("local", "a2a3").program, "a2a3").execution.workspaces
    sizes = {workspace.elements.evaluate({"b": 2, "t": 1000}) for workspace in workspaces}
    assert sizes == {2 * 1000 * 32}


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_checked_levels(looped: Callable[[str, str], Any], name: str, target: str) -> None:
    """The Tensor level and the checked machine: no byte read before it is written, no race between pipes."""
    operator = looped(name, target)
    dims = CASES[name].sizes[1]
    arrays = inputs(operator, 7, dims)
    want = CASES[name].reference(arrays)
    agree(name, operator.golden(**arrays)._asdict(), want)
    agree(name, interpret(generate(operator.program, target), arrays), want)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("t", "n"), [(1, 1), (3, 150)])
def test_reductions_over_the_rows_of_a_tile(t: int, n: int, target: str, tmp_path: Path) -> None:
    """Of a middle axis in a loop, and of a column: sums along the rows of their tiles would be of something else."""
    path = tmp_path / "middle_axes.yaml"
    path.write_text(MIDDLE)
    operator = pyptogen.compile(path, target=target, threads=2)
    given = operator.example_inputs(seed=n, t=t, n=n)
    q, k, w = (given[name].astype(np.float64) for name in ("q", "k", "w"))
    s = np.maximum(q @ k.T, 0) * w[:, :, None]
    got = operator(**given)
    np.testing.assert_allclose(got.total, s.sum(axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got.best, s.max(axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got.product, (1 + s * 0.01).prod(axis=1), rtol=1e-5)
    np.testing.assert_allclose(got.height, 2 * given["x"].sum(keepdims=True), rtol=1e-5)
