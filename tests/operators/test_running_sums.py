"""Running sums and products of every shape: compiled for the CPU, and at the levels above, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as instructions
from pyptogen.simulate.tile import interpret as tiles

TEXT = """\
pyptogen: 1
operator: running
dims:
  t: {min: 1, max: 4096}
  n: {min: 1, max: 4096}
inputs:
  x: fp32[t, n]
  cube: int32[3, t, 300]
  line: fp32[n]
  wide: int64[t, 5]
  small: int8[t, n]
outputs:
  rows: fp32[t, n]
  products: int32[3, t, 300]
  down: fp32[t, n]
  whole: fp32[n]
  few: int64[t, 5]
  narrow: int8[t, n]
graph:
  a: {rows: "cumsum(x, axis=1)"}
  b: {products: "cumprod(cube, axis=-1)"}
  c: {down: "cumsum(x, axis=0)"}
  d: {whole: "cumsum(line, axis=0)"}
  e: {few: "cumsum(wide, axis=1)"}
  f: {narrow: "cumsum(small, axis=1)"}
targets: [cpu]
tiling: [{}]
"""
SIZES = [(1, 1), (9, 256), (16, 257), (21, 700)]


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("running") / "running.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def inputs(t: int, n: int) -> dict[str, np.ndarray]:
    """Sums of quarters, which fp32 holds, and numbers whose sums and products wrap."""
    rng = np.random.default_rng(t + n)
    return {
        "x": rng.integers(-400, 400, (t, n)).astype(np.float32) / 4,
        "cube": rng.integers(-9, 9, (3, t, 300)).astype(np.int32) * 2 + 1,
        "line": rng.integers(-400, 400, n).astype(np.float32) / 4,
        "wide": rng.integers(-(2**62), 2**62, (t, 5)),
        "small": rng.integers(-128, 127, (t, n)).astype(np.int8),
    }


def check(got: dict[str, np.ndarray], given: dict[str, np.ndarray]) -> None:
    want = {
        "rows": np.cumsum(given["x"], 1),
        "products": np.cumprod(given["cube"], -1, dtype=np.int32),
        "down": np.cumsum(given["x"], 0),
        "whole": np.cumsum(given["line"]),
        "few": np.cumsum(given["wide"], 1),
        "narrow": np.cumsum(given["small"], 1, dtype=np.int8),
    }
    for name, expected in want.items():
        np.testing.assert_array_equal(got[name], expected, err_msg=name)


def test_compiled(spec: Path) -> None:
    running: Any = pyptogen.compile(spec, target="cpu")
    for t, n in SIZES:
        given = inputs(t, n)
        check(running(**given)._asdict(), given)


@pytest.mark.parametrize("level", ["tile", "block", "instruction"])
def test_levels(spec: Path, level: Literal["tile", "block", "instruction"]) -> None:
    lowered = lower(from_spec(load_spec(spec)), "cpu")
    given = inputs(9, 513)
    check(instructions(lowered, given) if level == "instruction" else tiles(lowered, given, level=level), given)
