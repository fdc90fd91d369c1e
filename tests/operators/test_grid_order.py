"""Bands: the order in which a grid is walked, for L2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk_loops
from pyptogen.schema.loader import load_source
from pyptogen.schema.source import Source

SPEC = """\
pyptogen: 1
operator: banded
dims:
  m: {min: 1, max: 4096}
  k: 64
  n: 256
inputs:
  a: fp32[m, k]
  b: fp32[k, n]
outputs:
  c: fp32[m, n]
graph:
  c: matmul(a, b)
tiling:
  - {m: {tile: 16, band: 48}, n: 32}
"""


def lowered(text: str, target: str) -> Any:
    return lower(from_spec(load_source(Source("banded.yaml", text))), target)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_all_columns_of_a_band_come_before_the_next_band(target: str) -> None:
    (kernel,) = lowered(SPEC, target).tiles
    grid = [(loop.var, loop.tile, loop.parallel) for loop in walk_loops(kernel.body) if loop.role == "grid"]
    assert grid == [("m_band", 48, False), ("n0", 32, True), ("m0", 16, False)]


def test_without_a_band_all_columns_of_a_tile_come_first() -> None:
    (kernel,) = lowered(SPEC.replace(", band: 48", ""), "a2a3").tiles
    assert [loop.var for loop in walk_loops(kernel.body) if loop.role == "grid"] == ["m0", "n0"]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_every_tile_is_done_once(tmp_path: Path, target: str) -> None:
    path = tmp_path / "banded.yaml"
    path.write_text(SPEC)
    operator = pyptogen.compile(path, target=target, threads=2)
    for m in (1, 16, 47, 100):
        arrays = operator.example_inputs(seed=m, m=m)
        want = arrays["a"].astype(np.float64) @ arrays["b"].astype(np.float64)
        np.testing.assert_allclose(np.asarray(operator(**arrays).c), want, rtol=1e-5, atol=1e-4)


def test_a_band_is_so_many_tiles() -> None:
    with pytest.raises(DiagnosticError, match="illegal tile for `m`") as caught:
        lowered(SPEC.replace("band: 48", "band: 40"), "cpu")
    found = caught.value.diagnostics[0]
    assert (found.code, found.span.line) == ("PTG304", 15)
