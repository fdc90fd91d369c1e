"""In iterations: columns that begin anywhere, single columns, and tiles beside or below each other, by numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from properties.checked_run import said_by_checked_mode

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.simulate.graph import interpret as instructions
from pyptogen.simulate.tile import interpret as tiles
from pyptogen.verify import example_inputs

Arrays = dict[str, np.ndarray]

PARTS = """\
pyptogen: 1
operator: parts
dims: {n: {min: 1, max: 4096}, r: {min: 1, max: 999}}
inputs: {x: "fp32[n, r, 5]", z: "DTYPE[n, r, 7]"}
outputs: {m: "fp32[r, 12]", last: "DTYPE[r, 7]"}
graph:
  run:
    loop: {over: n, tile: 1}
    carry:
      m: full([r, 12], 1, fp32)
      last: full([r, 7], 0, DTYPE)
    body:
      e: abs(reshape(x[n], [r, 5]))
      w: reshape(z[n], [r, 7])
      c: concat(e + m[:, 1:6], cast(w, fp32) * 2, axis=1)
    next:
      m: c * 0.5 - m[:, 11:12]
      last: concat(last[:, 1:], w[:, 3:4], axis=1)
"""
ROWS = """\
pyptogen: 1
operator: below
dims: {n: {min: 1, max: 4096}, d: 13}
inputs: {x: "fp32[n, d]", w: "fp32[d, 8]"}
outputs: {m: "fp32[1, d]", p: "fp32[1, 8]"}
graph:
  run:
    loop: {over: n, tile: 16}
    carry:
      m: full([1, d], 1, fp32)
      p: full([1, 8], 0, fp32)
    body:
      b: x[n] * 2
      three: concat(amax(b, axis=0, keepdim=true), m, amin(b, axis=0, keepdim=true), axis=0)
      side: concat(b[:, 9:10], b[:, 0:11] * m[:, 2:13], sum(b, axis=1, keepdim=true), axis=1)
    next:
      m: sum(three, axis=0, keepdim=true) * 0.25
      p: p + amax(matmul(side, w, dtype=fp32), axis=0, keepdim=true)
"""

ONE_WIDE = """\
pyptogen: 1
operator: one_wide
dims: {t: {min: 1, max: 64}, b: 6, d: 48}
inputs: {x: "fp32[t, b, d]"}
outputs: {y: "fp32[t, b]", z: "fp32[b, d]"}
graph:
  run:
    loop: {over: t, tile: 8}
    carry:
      z: full([b, d], 0, fp32)
    body:
      f: sum(x[t], axis=-1) * 2
    next:
      z: z + sum(f[:, :, None] * x[t], axis=0)
    collect:
      y: f
"""


def _parts(x: np.ndarray, z: np.ndarray) -> Arrays:
    m, last = np.ones((x.shape[1], 12), np.float32), np.zeros(z.shape[1:], z.dtype)
    for e, w in zip(np.abs(x), z, strict=True):
        m, last = (
            np.concatenate([e + m[:, 1:6], w.astype(np.float32) * 2], 1) * np.float32(0.5) - m[:, 11:],
            np.concatenate([last[:, 1:], w[:, 3:4]], 1),
        )
    return {"m": m, "last": last}


def _rows(x: np.ndarray, w: np.ndarray) -> Arrays:
    m, p = np.ones((1, 13), np.float32), np.zeros((1, 8), np.float32)
    for first in range(0, len(x), 16):
        b = x[first : first + 16] * 2
        side = np.concatenate([b[:, 9:10], b[:, :11] * m[:, 2:], b.sum(1, keepdims=True)], 1)
        m = (b.max(0, keepdims=True) + m + b.min(0, keepdims=True)) * np.float32(0.25)
        p = p + (side @ w).max(0, keepdims=True)
    return {"m": m, "p": p}


def _one_wide(x: np.ndarray) -> Arrays:
    f = x.sum(-1) * 2
    return {"y": f, "z": (f[:, :, None] * x).sum(0)}


CASES: dict[str, tuple[str, Callable[..., Arrays], dict[str, int]]] = {
    "fp32": (PARTS.replace("DTYPE", "fp32"), _parts, {"n": 3, "r": 37}),
    "fp16": (PARTS.replace("DTYPE", "fp16"), _parts, {"n": 2, "r": 21}),
    "one row": (PARTS.replace("DTYPE", "int32"), _parts, {"n": 3, "r": 1}),
    "below": (ROWS, _rows, {"n": 33}),
    "one element a row": (ONE_WIDE, _one_wide, {"t": 13}),
}


def written(case: str, folder: Path) -> Path:
    path = folder / "parts.yaml"
    path.write_text(CASES[case][0], encoding="utf-8")
    return path


def agree(case: str, got: Any, given: Arrays) -> None:
    for name, want in CASES[case][1](**given).items():
        np.testing.assert_allclose(got[name], want, rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("case", CASES)
def test_compiled(case: str, target: str, tmp_path: Path) -> None:
    operator: Any = pyptogen.compile(written(case, tmp_path), target=target, threads=2)
    given = operator.example_inputs(seed=3, **CASES[case][2])
    agree(case, operator(**given)._asdict(), given)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", ["tile", "block", "instruction"])
def test_levels(case: str, target: str, level: Literal["tile", "block", "instruction"], tmp_path: Path) -> None:
    spec = load_spec(written(case, tmp_path))
    lowered = lower(from_spec(spec), target)
    given = example_inputs(spec, CASES[case][2], seed=3)
    agree(case, instructions(lowered, given) if level == "instruction" else tiles(lowered, given, level=level), given)


@pytest.mark.parametrize("case", ["fp32", "below"])
def test_checked_mode_is_silent(case: str, tmp_path: Path) -> None:
    assert said_by_checked_mode(written(case, tmp_path), "a2a3", CASES[case][2], 7) == ""


@pytest.mark.parametrize("target", ["cpu"])
def test_what_no_core_transposes_is_refused(target: str) -> None:
    """Elements of eight bytes, which A2/A3 has as two halves."""
    text = PARTS.replace("DTYPE", "int64").replace("cast(w, fp32)", "cast(cast(w, int32), fp32)")
    with pytest.raises(DiagnosticError, match="PTG303"):
        lower(from_spec(load_source(Source("parts.yaml", text))), target)


REFUSED = """\
pyptogen: 1
operator: refused
dims: {n: {min: 1, max: 4096}, r: {min: 1, max: 999}}
inputs: {x: "fp32[n, r, 5]", z: "fp32[7, n]"}
outputs: {y: "fp32[SHAPE]"}
graph:
  run:
    loop: {over: n, tile: 16}
    collect:
      y: MADE
"""


@pytest.mark.parametrize(
    ("made", "shape", "said"),
    [("permute(exp(x[n]), [1, 0, 2])", "r, n, 5", "`permute` in an iteration of a loop"),
     ("z[:, n] * amax(concat(z[:, n], exp(z[:, n]), axis=1), axis=1, keepdim=true)", "7, n", "concat along `n.tile`")],
)  # fmt: skip
def test_what_an_iteration_has_no_tile_for_is_refused(made: str, shape: str, said: str) -> None:
    text = REFUSED.replace("SHAPE", shape).replace("MADE", made)
    with pytest.raises(DiagnosticError, match=f"PTG303.*{said}"):
        lower(from_spec(load_source(Source("refused.yaml", text))), "cpu")
