"""Tiling rows share the kernels that they cut alike, and only those."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.verify import example_inputs

SPEC = """\
pyptogen: 1
operator: demo
dims: {t: {min: 1, max: 4096}, k: 128, n: 64}
inputs:
  a: int8[t, k]
  b: int8[k, n] @ nz
  s: fp32[t, 1]
outputs:
  y: fp32[t, n]
graph:
  linear:
    p: matmul(a, b, dtype=int32)
  scale:
    y: cast(p, fp32) * s
tiling:
  - when: {t: "<= 32"}
    t: {unroll: [32, 8, 1]}
    linear: {n: 32}
  - t: {unroll: [64, 16, 1]}
    linear: {n: 64}
"""


@pytest.fixture
def program(tmp_path: Path):
    path = tmp_path / "demo.yaml"
    path.write_text(SPEC)
    spec = load_spec(path)
    return spec, from_spec(spec)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_only_what_differs_is_made_twice(program, target: str) -> None:
    lowered = generate(program[1], target)
    assert sorted(k.name for k in lowered.kernels) == ["linear", "linear_t_upto_32", "scale"]
    plans = [[launch.kernel for launch in plan] for plan in lowered.execution.plans]
    assert plans == [["linear_t_upto_32", "scale"], ["linear", "scale"]]
    assert [(cut.when, cut.plan, cut.sizes) for cut in lowered.execution.cuts] == [
        ((("t", "<=", 32),), 0, (32, 8, 1)),
        ((), 1, (64, 16, 1)),
    ]
    scale = next(k for k in lowered.kernels if k.name == "scale")
    assert "tiles t 64" in scale.text
    assert "launch_range_1(begin" in lowered.orchestration
    assert "launch_range_2(begin" in lowered.orchestration


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("t", [1, 31, 32, 33, 150])
def test_each_size_takes_its_row(program, target: str, t: int) -> None:
    spec, tensor = program
    arrays = example_inputs(spec, {"t": t}, seed=3)
    got = run_instructions(generate(tensor, target), arrays)
    np.testing.assert_array_equal(got["y"], interpret(tensor, arrays)["y"])
