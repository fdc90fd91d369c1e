"""Updates in place of rows that nothing computes, and of rows of several axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen

SPEC = """
pyptogen: 1
operator: put
dims: {{t: {{min: 1, max: 64}}, s: {{min: 1, max: 64}}}}
inputs:
  rows: fp32[t, {row}]
  slot: int64[t]
  cache: fp32[s, {row}]
outputs:
  cache: {{inplace: true}}
graph:
  cache: scatter_update(cache, slot, {value}, dim=0)
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("row", [(16,), (2, 16), (1, 8)])
@pytest.mark.parametrize(("value", "factor"), [("rows", 1), ("rows * 2", 2)])
def test_rows_of_a_scatter(value: str, factor: int, row: tuple[int, ...], target: str, tmp_path: Path) -> None:
    path = tmp_path / "put.yaml"
    path.write_text(SPEC.format(row=", ".join(map(str, row)), value=value))
    put = pyptogen.compile(path, target=target)
    for tokens, slots in ((1, 4), (21, 33)):
        rows = np.arange(tokens * np.prod(row), dtype=np.float32).reshape(tokens, *row) + 1
        slot = np.random.default_rng(5).permutation(slots)[:tokens].astype(np.int64)
        slot[tokens // 2] = -1
        want = np.zeros((slots, *row), np.float32)
        for place, line in zip(slot, rows, strict=True):
            if place >= 0:
                want[place] = line * factor
        got = put(rows=rows, slot=slot, cache=np.zeros_like(want)).cache
        np.testing.assert_array_equal(got, want)
