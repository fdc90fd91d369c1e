"""Products in other forms than the library's: leading axes, transposed operands, operands that are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen

SPEC = """\
pyptogen: 1
operator: product
dims:
  b: 3
  t: {min: 1, max: 4096}
  k: 96
  n: 64
inputs:
  x: fp32[b, t, k]
  w: fp32[b, k, n]
  u: fp32[b, n, k]
  y: fp32[t, k]
  yt: fp32[k, t]
  z: fp32[k, n]
  zt: fp32[n, k]
  g: fp32[n]
outputs:
  o: fp32[SHAPE]
graph:
  o: EXPRESSION
tiling:
  - {b: 1, t: 16, k: 32, n: 32}
"""
FORMS = {
    "leading axes": ("b, t, n", "matmul(x, w)", lambda a: a["x"] @ a["w"]),
    "one weight for all": ("b, t, n", "matmul(x, z)", lambda a: a["x"] @ a["z"]),
    "leading axis of one": ("b, t, n", "matmul(x, z[None, :, :])", lambda a: a["x"] @ a["z"]),
    "leading axes, b_trans": ("b, t, n", "matmul(x, u, b_trans=true)", lambda a: a["x"] @ a["u"].swapaxes(-1, -2)),
    "a_trans": ("t, n", "matmul(yt, z, a_trans=true)", lambda a: a["yt"].T @ a["z"]),
    "b_trans": ("t, n", "matmul(y, zt, b_trans=true)", lambda a: a["y"] @ a["zt"].T),
    "both": ("t, n", "matmul(yt, zt, a_trans=true, b_trans=true)", lambda a: a["yt"].T @ a["zt"].T),
    "bias": ("b, t, n", "matmul(x, w) + g", lambda a: a["x"] @ a["w"] + a["g"]),
}


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("form", FORMS)
def test_form(tmp_path: Path, form: str, target: str) -> None:
    shape, expression, reference = FORMS[form]
    path = tmp_path / "product.yaml"
    path.write_text(SPEC.replace("SHAPE", shape).replace("EXPRESSION", expression))
    operator = pyptogen.compile(path, target=target)
    for t in (1, 16, 37):
        arrays: dict[str, Any] = operator.example_inputs(seed=t, t=t)
        want = reference({name: array.astype(np.float64) for name, array in arrays.items()})
        np.testing.assert_allclose(operator(**arrays).o, want, rtol=0, atol=2e-5)
