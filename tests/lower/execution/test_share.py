"""Hints about blocks: what they make of launches, and that results stay."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret

SPEC = """\
pyptogen: 1
operator: op
dims:
  t: {min: 1, max: 4096}
  k: 64
  n: 96
inputs:
  a: fp16[t, k]
  b: fp16[k, n]
outputs:
  y: fp32[t, n]
graph:
  linear:
    c: matmul(a, b, dtype=fp32)
  after:
    y: relu(c)
tiling:
  - {t: 16, linear: {t: 16, n: 32}, after: {t: 16}}
"""


def lowered(schedule: str, target: str = "a2a3", row: str = "n: 32") -> Generated:
    text = SPEC.replace("n: 32", row) + f"schedule: {schedule}\n"
    return generate(from_spec(load_source(Source("op.yaml", text))), target)


def tiles(found: Generated) -> dict[str, int]:
    launches = [launch for launch in found.execution.plans[0] if launch.tiles is not None]
    return {launch.kernel: launch.tiles.each for launch in launches}


def test_blocks_take_several_tiles() -> None:
    assert tiles(lowered("{}")) == {"linear": 1, "after": 1}
    assert tiles(lowered("{merge: {after: 3}, l1_reuse: {linear: 2}}")) == {"linear": 2, "after": 3}
    assert tiles(lowered("{merge: {linear: 3}, l1_reuse: {after: 2}}")) == {"linear": 1, "after": 1}
    assert tiles(lowered("{l1_reuse: {linear: 2}}", row="n: 32, l1_reuse: 5")) == {"linear": 5, "after": 1}


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("rows", [1, 33, 200])
def test_results_stay(target: str, rows: int) -> None:
    found = lowered("{merge: {after: 3}, l1_reuse: {linear: 2}, cores: 3}", target)
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((rows, 64), (64, 96)))
    got = interpret(found, {"a": a, "b": b}, blocks=8)["y"]
    np.testing.assert_array_equal(got, np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0))


def test_the_orchestration_bounds_its_blocks() -> None:
    assert "rt.cores(core) < 3 ? rt.cores(core) : 3" in lowered("{cores: 3}").orchestration
    text = lowered("{merge: {after: 3}}").orchestration
    assert re.search(r"after_blocks = fewer\(\(t_end - t_begin \+ 47\) / 48, vector\)", text)
