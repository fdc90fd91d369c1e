"""Convolutions compiled for both targets: sizes known at run time, steps, groups, bytes, transposed ones."""

from __future__ import annotations

import numpy as np
import pytest
from references.convolution import convolution, transposed

import pyptogen

TEXT = """\
pyptogen: 1
operator: convolutions
dims:
  n: {min: 1, max: 64}
  s: {min: 4, max: 4096}
  m: {min: 4, max: 512}
inputs:
  x: fp32[n, 6, s]
  steps: fp32[n, 3, 2 * m]
  bytes: int8[n, 8, s]
  w: fp32[10, 6, 3]
  w_groups: fp32[4, 3, 4]
  w_steps: fp32[9, 1, 2]
  w_bytes: int8[5, 8, 3]
  w_up: fp32[6, 7, 2]
outputs:
  y: fp32[n, 10, s]
  y_groups: fp32[n, 4, s - 3]
  y_steps: fp32[n, 9, m]
  y_bytes: int32[n, 5, s - 2]
  y_up: fp32[n, 7, 2 * s]
graph:
  a: {y: "conv(x, w, paddings=1)"}
  b: {y_groups: "conv(x, w_groups, groups=2)"}
  c: {y_steps: "conv(steps, w_steps, groups=3, strides=2)"}
  d: {y_bytes: "conv(bytes, w_bytes)"}
  e: {y_up: "conv(x, w_up, transposed=true, strides=2)"}
tiling: [TILING]
"""
RANGES = "{n: {unroll: [1]}}"


@pytest.fixture(scope="module", params=[("cpu", "{}"), ("cpu", RANGES), ("a2a3", "{}"), ("a2a3", RANGES)])
def operator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pyptogen.CompiledOperator:
    path = tmp_path_factory.mktemp("convolutions") / "convolutions.yaml"
    target, tiling = request.param
    path.write_text(TEXT.replace("TILING", tiling), encoding="utf-8")
    return pyptogen.compile(path, target=target)


@pytest.mark.parametrize(("n", "s", "m"), [(1, 4, 4), (3, 67, 37), (2, 300, 130)])
def test_sizes_known_at_run_time(operator: pyptogen.CompiledOperator, n: int, s: int, m: int) -> None:
    a = operator.example_inputs(seed=n, n=n, s=s, m=m)
    got = operator(**a)
    wide = {name: array.astype(np.float64) for name, array in a.items()}
    once, none = (1,), ((0, 0),)
    want = {
        "y": convolution(wide["x"], wide["w"], once, ((1, 1),), once),
        "y_groups": convolution(wide["x"], wide["w_groups"], once, none, once, 2),
        "y_steps": convolution(wide["steps"], wide["w_steps"], (2,), none, once, 3),
        "y_up": transposed(wide["x"], wide["w_up"], (2,), none, once),
    }
    for name, expected in want.items():
        np.testing.assert_allclose(getattr(got, name), expected, rtol=1e-5, atol=1e-4, err_msg=name)
    np.testing.assert_array_equal(got.y_bytes, convolution(wide["bytes"], wide["w_bytes"], once, none, once))
