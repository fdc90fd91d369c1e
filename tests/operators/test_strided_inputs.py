"""Inputs whose rows lie apart (`strides`): compiled for every target and in the checked machine, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret

TEXT = """\
pyptogen: 1
operator: strided
dims:
  t: {min: 1, max: 512}
  ld: {min: 64, max: 4096}
  wide: {min: 64, max: 4096}
  d: 64
  n: 32
inputs:
  x: {shape: [t, d], dtype: fp16, strides: [ld, 1]}
  z: {shape: [t, 2, d], dtype: fp32, strides: [2 * wide, wide, 1]}
  w: fp16[d, n]
outputs:
  y: fp32[t, d]
  p: fp32[t, n]
  s: fp32[t, 2]
  q: fp32[2, t, d]
graph:
  plain: {y: "cast(x, fp32) * 2 + z[:, 1, :]"}
  product: {p: "matmul(x, w, dtype=fp32)"}
  rest:
    s: amax(z, axis=-1)
    q: permute(z, [1, 0, 2])
verify:
  cases: [{t: 5, ld: 80, wide: 70}]
tiling:
  - {}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_windows_of_larger_arrays(target: str, tmp_path: Path) -> None:
    path = tmp_path / "strided.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    lowered = lower(operator.program, target)
    rng = np.random.default_rng(4)
    for rows, pitch, wide in ((1, 64, 64), (33, 100, 71), (130, 128, 64)):
        x = rng.integers(-4, 5, (rows, pitch)).astype(np.float16)[:, :64]
        z = rng.normal(size=(rows, 2, wide)).astype(np.float32)[:, :, :64]
        w = rng.integers(-4, 5, (64, 32)).astype(np.float16)
        arrays = {"x": x, "z": z, "w": w}
        wide_x = x.astype(np.float64)
        want = {"y": wide_x * 2 + z[:, 1], "p": wide_x @ w, "s": z.max(axis=-1), "q": z.transpose(1, 0, 2)}
        for got in (operator(**arrays)._asdict(), operator.golden(**arrays)._asdict(), interpret(lowered, arrays)):
            for name, expected in want.items():
                np.testing.assert_allclose(got[name], expected, rtol=1e-6, err_msg=name)
        assert operator.bind(arrays).held[0] is x  # read where it lies
    columns = np.asfortranarray(x)
    np.testing.assert_allclose(operator(x=columns, z=z, w=w).p, want["p"])  # copied
    with pytest.raises(DiagnosticError) as caught:
        operator(x=x, z=np.zeros((130, 3, 64), np.float32)[:, ::2], w=w)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG402"
    assert "has shape [130, 2, 64] and strides [192, 128, 1]: the stride of axis 0 is 192" in diagnostic.message
