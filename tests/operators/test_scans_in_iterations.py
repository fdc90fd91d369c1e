"""Running sums and products of an iteration's block, along rows, columns and over rows, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from properties.checked_run import said_by_checked_mode

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as instructions
from pyptogen.simulate.tile import interpret as tiles

TILE = 16
ROWS = f"""\
pyptogen: 1
operator: scans
dims: {{r: {{min: 1, max: 4096}}, d: 24}}
inputs:
  x: fp32[r, d]
  z: int32[r, d]
  q: fp32[r, 1]
  s: fp32[1, r]
outputs:
  down: fp32[r, d]
  along: fp32[r, d]
  products: int32[r, d]
  column: fp32[r, 1]
  line: fp32[1, r]
graph:
  rounds:
    loop: {{over: r, tile: {TILE}}}
    carry:
      m: full([1, d], 1, fp32)
    body:
      e: x[r] + m
    next:
      m: m + 1
    collect:
      down: cumsum(e, axis=0) * m
      along: cumsum(e, axis=1)
      products: cumprod(z[r], axis=0)
      column: cumsum(q[r] * 2, axis=0)
      line: cumsum(s[:, r] * 2, axis=1)
"""
PRODUCTS = f"""\
pyptogen: 1
operator: scans_of_products
dims: {{b: {{min: 1, max: 64}}, n: {{min: 1, max: 4096}}, d: 16, h: 24}}
inputs:
  x: fp32[b, n, d]
  w: fp32[d, h]
outputs:
  down: fp32[b, n, h]
  along: fp32[b, n, h]
  m: fp32[b, 1, h]
graph:
  rounds:
    loop: {{over: n, tile: {TILE}}}
    carry:
      m: full([b, 1, h], 0, fp32)
    body:
      e: matmul(x[:, n], w, dtype=fp32) + m
      c: cumsum(e, axis=1)
    next:
      m: maximum(m, minimum(amax(c, axis=1, keepdim=true), 9))
    collect:
      down: c
      along: cumsum(e, axis=2)
"""
SPECS = {"rows": ROWS, "products": PRODUCTS}
SIZES: dict[str, list[dict[str, int]]] = {
    "rows": [{"r": 1}, {"r": 2 * TILE + 1}, {"r": 50}],
    "products": [{"b": 1, "n": 1}, {"b": 3, "n": 2 * TILE + 1}],
}
RUNS = [(name, target) for name in SPECS for target in ("cpu", "a2a3")]


def inputs(name: str, dims: dict[str, int]) -> dict[str, np.ndarray]:
    """Whole numbers whose sums fp32 holds, and odd ones whose products wrap."""
    rng = np.random.default_rng(sum(dims.values()))
    if name == "products":
        b, n = dims["b"], dims["n"]
        shapes = {"x": (b, n, 16), "w": (16, 24)}
        return {of: rng.integers(-3, 4, shape).astype(np.float32) for of, shape in shapes.items()}
    r = dims["r"]
    found = {
        of: rng.integers(-9, 9, s).astype(np.float32) for of, s in {"x": (r, 24), "q": (r, 1), "s": (1, r)}.items()
    }
    return found | {"z": rng.integers(-9, 9, (r, 24)).astype(np.int32) * 2 + 1}


def wanted(name: str, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Block after block, by numpy's own scans."""
    return _of_products(**given) if name == "products" else _of_rows(**given)


def _of_rows(x: np.ndarray, z: np.ndarray, q: np.ndarray, s: np.ndarray) -> dict[str, np.ndarray]:
    made: dict[str, list[np.ndarray]] = {"down": [], "along": [], "products": [], "column": [], "line": []}
    for number, first in enumerate(range(0, len(x), TILE)):
        block = slice(first, first + TILE)
        e, m = x[block] + (1 + number), 1 + number
        made["down"].append(np.cumsum(e, 0) * m)
        made["along"].append(np.cumsum(e, 1))
        made["products"].append(np.cumprod(z[block], 0, dtype=np.int32))
        made["column"].append(np.cumsum(q[block] * 2, 0))
        made["line"].append(np.cumsum(s[:, block] * 2, 1).T)
    found = {of: np.concatenate(parts) for of, parts in made.items()}
    return found | {"line": found["line"].T}


def _of_products(x: np.ndarray, w: np.ndarray) -> dict[str, np.ndarray]:
    m = np.zeros((len(x), 1, w.shape[1]), np.float32)
    down, along = [], []
    for first in range(0, x.shape[1], TILE):
        e = x[:, first : first + TILE] @ w + m
        down.append(np.cumsum(e, 1))
        along.append(np.cumsum(e, 2))
        m = np.maximum(m, np.minimum(down[-1].max(1, keepdims=True), 9))
    return {"down": np.concatenate(down, 1), "along": np.concatenate(along, 1), "m": m}


def written(name: str, folder: Path) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(SPECS[name], encoding="utf-8")
    return path


def agree(got: dict[str, Any], want: dict[str, np.ndarray]) -> None:
    for name, expected in want.items():
        np.testing.assert_array_equal(got[name], expected, err_msg=name)


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_compiled(name: str, target: str, tmp_path: Path) -> None:
    operator: Any = pyptogen.compile(written(name, tmp_path), target=target, threads=2)
    for dims in SIZES[name]:
        given = inputs(name, dims)
        agree(operator(**given)._asdict(), wanted(name, given))


@pytest.mark.parametrize(("name", "target"), RUNS)
@pytest.mark.parametrize("level", ["tile", "block", "instruction"])
def test_levels(name: str, target: str, level: Literal["tile", "block", "instruction"], tmp_path: Path) -> None:
    lowered = lower(from_spec(load_spec(written(name, tmp_path))), target)
    given = inputs(name, SIZES[name][1])
    found = instructions(lowered, given) if level == "instruction" else tiles(lowered, given, level=level)
    agree(found, wanted(name, given))


@pytest.mark.parametrize("name", SPECS)
def test_checked_mode_is_silent(name: str, tmp_path: Path) -> None:
    assert said_by_checked_mode(written(name, tmp_path), "a2a3", SIZES[name][1], 7) == ""
