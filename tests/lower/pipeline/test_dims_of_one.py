"""Axes of one element where tiles become columns: products, reductions, parts of a concat, transposes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen

SPEC = """
pyptogen: 1
operator: one
dims: {{t: {{min: 1, max: 64}}}}
inputs:
  x: fp32[t, {x}]
  z: fp32[{z}]
outputs:
  y: fp32[{y}]
graph:
  y: {value}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(
    ("x", "z", "y", "value", "meaning"),
    [
        (16, "16, 1", "t, 1", "matmul(x, z)", lambda x, z: x @ z),
        (1, "1, 16", "t, 16", "matmul(x, z)", lambda x, z: x @ z),
        (1, "1, 1", "1, t", "permute(x * z, [1, 0])", lambda x, z: (x * z).T),
        (2, "t, 2", "t, 2", "z + concat([x[:, 1:2] * -1, x[:, 0:1]], axis=-1)", lambda x, z: z + x[:, ::-1] * [-1, 1]),
        (1, "t, 1", "t, 1", "softmax(x, axis=-1) + amax(z, axis=-1, keepdim=true)", lambda x, z: 1 + z),
    ],
)
def test_axes_of_one_element(
    x: int, z: str, y: str, value: str, meaning: Callable[[Any, Any], Any], target: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(SPEC.format(x=x, z=z, y=y, value=value))
    compiled = pyptogen.compile(path, target=target)
    for t in (1, 5):
        sizes = [t if s == "t" else int(s) for s in z.split(", ")]
        left = np.arange(t * x, dtype=np.float32).reshape(t, x) - 3
        right = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes) + 2
        np.testing.assert_allclose(compiled(x=left, z=right).y, meaning(left, right), rtol=1e-5)
