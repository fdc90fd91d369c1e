"""Slices with a step, outputs that begin with a number, updates of tensors that are no output's memory: compiled for
every target and in the checked machine, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret

TEXT = """\
pyptogen: 1
operator: stepped
dims:
  t: {min: 1, max: 256}
  h: {min: 1, max: 256}
  slots: {min: 8, max: 512}
  d: 30
  heads: 2
  e: 6
inputs:
  x: fp32[t, d]
  z: bf16[2 * h, d]
  i: int64[t]
  c: fp32[slots, d]
  k: fp16[slots, heads, e]
  flag: int32[1]
outputs:
  a: fp32[t, 10]
  b: fp32[t, 8]
  odd: bf16[h, d]
  n: fp32[t, 5]
  buf: {shape: [slots, d], dtype: fp32, init: -1.5}
  c2: fp32[slots, d]
  k2: fp16[slots, heads, e]
  untouched: {shape: [t, 3], dtype: int32, init: heads * 4}
  maybe: {shape: [t, d], dtype: fp32, init: inf}
graph:
  strides:
    a: x[:, ::3] * 2
    b: x[:, 1:30:4] + x[:, :29:4]
    odd: z[1::2]
    n: x[:, 2:28:6] - x[:, -5:]
  updates:
    buf: scatter_update(buf, i, x, dim=0)
    once: scatter_update(c, i, x, dim=0)
    c2: scatter_update(once, i, x * 3, dim=0)
    k2: scatter_update(k, i, reshape(cast(x[:, :12], fp16), [t, heads, e]), dim=0)
  sometimes:
    if: flag > 0
    maybe: abs(x)
tiling:
  - {}
"""


def reference(arrays: dict[str, Any]) -> dict[str, Any]:
    x, c, k, i = arrays["x"], arrays["c"], arrays["k"], arrays["i"]
    buf, c2, k2 = np.full(c.shape, -1.5, np.float32), c.copy(), k.copy()
    buf[i], c2[i], k2[i] = x, x * 3, x[:, :12].astype(np.float16).reshape(-1, 2, 6)
    return {
        "a": x[:, ::3] * 2,
        "b": x[:, 1:30:4] + x[:, :29:4],
        "odd": arrays["z"][1::2],
        "n": x[:, 2:28:6] - x[:, -5:],
        "buf": buf,
        "c2": c2,
        "k2": k2,
        "untouched": np.full((len(x), 3), 8, np.int32),
        "maybe": np.abs(x) if arrays["flag"][0] > 0 else np.full(x.shape, np.inf),
    }


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_compiled_and_checked(target: str, tmp_path: Path) -> None:
    path = tmp_path / "stepped.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    lowered = lower(operator.program, target)
    for rows, half, slots, flag in ((1, 1, 8, 0), (33, 5, 80, 1), (130, 40, 200, 0)):
        arrays = operator.example_inputs(seed=rows, t=rows, h=half, slots=slots)
        arrays["i"] = np.random.default_rng(rows).permutation(slots)[:rows].astype(np.int64)
        arrays["flag"] = np.array([flag], np.int32)
        want = reference(arrays)
        for got in (operator(**arrays)._asdict(), operator.golden(**arrays)._asdict(), interpret(lowered, arrays)):
            for name, expected in want.items():
                np.testing.assert_array_equal(got[name], expected, err_msg=name)
