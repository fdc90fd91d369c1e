"""Rows and elements that only move: bit for bit, of every width, from where their indices point."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen

SPECS = Path(__file__).parents[2] / "specs"
TARGETS = ("cpu", "a2a3")

GATHER = """\
pyptogen: 1
operator: picked_{dtype}
dims:
  b: {{min: 1, max: 64}}
  n: {{min: 1, max: 4096}}
  k: 37
inputs:
  x: {dtype}[b, 3, n]
  index: int32[b, 2, k]
outputs:
  y: {dtype}[b, 2, k]
graph:
  y: gather(x, 2, index)
"""


@cache
def embedding(target: str) -> Any:
    return pyptogen.compile(SPECS / "embedding.yaml", target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("t", [1, 33, 4200])
def test_rows_keep_their_bits(t: int, target: str) -> None:
    """Also those of NaN, and where the result is so large that stores go around the cache."""
    arrays = embedding(target).example_inputs(seed=t, t=t, vocabulary=50)
    bits = np.random.default_rng(t).integers(0, 1 << 16, arrays["table"].shape, dtype=np.uint16)
    arrays["table"] = bits.view(arrays["table"].dtype)
    got = np.asarray(embedding(target)(**arrays).y).view(np.uint16)
    np.testing.assert_array_equal(got, bits[arrays["token"]])


def test_rows_move_without_a_tile() -> None:
    (kernel,) = (SPECS.parent / "generated/embedding/cpu/kernels").glob("*.cpp")
    assert "TCARRY(y_out, table_in, far);" in kernel.read_text()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["fp32", "bf16", "int8"])
def test_elements_of_rows_of_any_length(tmp_path: Path, dtype: str, target: str) -> None:
    path = tmp_path / "picked.yaml"
    path.write_text(GATHER.format(dtype=dtype))
    operator = pyptogen.compile(path, target=target)
    for b, n in ((1, 1), (2, 40), (3, 300)):
        rng = np.random.default_rng(n)
        arrays = operator.example_inputs(seed=n, b=b, n=n)
        arrays["index"] = rng.integers(0, n, (b, 2, 37), dtype=np.int32)
        want = np.take_along_axis(arrays["x"][:, :2], arrays["index"].astype(np.int64), axis=2)
        np.testing.assert_array_equal(np.asarray(operator(**arrays).y), want)
