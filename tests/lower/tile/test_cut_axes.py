"""Tiles of one of several dims that make one axis: elements of a tile lie at equal distances, or a finding says why
not."""

from __future__ import annotations

import numpy as np
import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tile import interpret

MERGED = """\
pyptogen: 1
operator: merged
dims: {{t: {{min: 1, max: 64}}, a: 3, b: 4, c: 5}}
inputs:
  x: fp32[t, a, b, c]
  z: fp32[t, a * b * c]
outputs:
  y: fp32[t, a * b * c]
graph:
  y: reshape(x, [t, a * b * c]) + z
tiling:
  - {row}
"""

SCATTERED = """\
pyptogen: 1
operator: scattered
dims: {{t: {{min: 1, max: 64}}, a: 3, b: 4, n: 40}}
inputs:
  x: fp32[t, a, b]
  slots: fp32[n, a, b]
  i: int32[t]
outputs:
  slots: {{inplace: true}}
graph:
  slots: scatter_update(slots, i, x, dim=0)
tiling:
  - {row}
"""


def by_tiles(text: str, row: str, target: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    lowered = lower(from_spec(load_source(Source("axes.yaml", text.format(row=row)))), target)
    return interpret(lowered, arrays, level="tile")


@pytest.mark.parametrize("row", ["{t: 8, c: 1}", "{t: 8, b: 1, c: 1}", "{t: 8, a: 1}", "{t: 8, a: 1, b: 2}"])
def test_a_cut_dim_of_an_axis(row: str) -> None:
    x = np.arange(13 * 60, dtype=np.float32).reshape(13, 3, 4, 5)
    got = by_tiles(MERGED, row, "cpu", {"x": x, "z": np.ones((13, 60), np.float32)})
    np.testing.assert_array_equal(got["y"], x.reshape(13, 60) + 1)


@pytest.mark.parametrize("row", ["{t: 8, b: 1}", "{t: 8, b: 2}"])
def test_a_tile_with_gaps_is_refused(row: str) -> None:
    with pytest.raises(DiagnosticError, match="PTG303: cannot lower a tile with gaps: `b` is cut"):
        by_tiles(MERGED, row, "cpu", {})


@pytest.mark.parametrize("row", ["{t: 8}", "{t: 8, a: 1}", "{t: 8, a: 1, b: 1}"])
def test_a_scatter_of_parts_of_rows(row: str) -> None:
    x = np.arange(13 * 12, dtype=np.float32).reshape(13, 3, 4)
    place = np.random.default_rng(5).permutation(40)[:13].astype(np.int32)
    got = by_tiles(SCATTERED, row, "cpu", {"x": x, "slots": np.zeros((40, 3, 4), np.float32), "i": place})
    want = np.zeros((40, 3, 4), np.float32)
    want[place] = x
    np.testing.assert_array_equal(got["slots"], want)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_scatter_of_elements_apart_is_refused(target: str) -> None:
    with pytest.raises(DiagnosticError, match="a scatter of elements that lie apart in their rows"):
        by_tiles(SCATTERED, "{t: 8, b: 1}", target, {})


FLAT = """\
pyptogen: 1
operator: flat
dims: {{t: {{min: 1, max: 4096}}, k: 8}}
inputs:
  x: int32[t * k]
outputs:
  y: int32[t * k]
graph:
  y: x * 3 + 1
tiling:
  - {row}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("row", ["{t: 64}", "{t: 8}", "{}"])
def test_the_outermost_of_several_dims_may_end_within_a_tile(row: str, target: str) -> None:
    x = np.arange(99 * 8, dtype=np.int32)
    np.testing.assert_array_equal(by_tiles(FLAT, row, target, {"x": x})["y"], 3 * x + 1)


@pytest.mark.parametrize(("target", "least"), [("cpu", 4096), ("a2a3", 256)])
def test_a_tile_of_a_line_is_a_run_of_all_of_its_dims(target: str, least: int) -> None:
    lowered = lower(from_spec(load_source(Source("axes.yaml", FLAT.format(row="{}")))), target)
    (block,) = lowered.blocks
    assert max(tile.cols.size for tile in block.tile.tiles) >= least
