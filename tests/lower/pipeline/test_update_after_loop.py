"""Updates of a carried tensor in rounds: done after the loop, at every level, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower import pipeline
from pyptogen.lower.tensor import from_spec, print_program
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.legality import verify
from pyptogen.lower.tensor.passes import update_after_loop
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as interpret_instructions

BASE = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  slots: {min: 1, max: 64}
  h: 2
  d: 16
inputs:
  cache: fp32[slots, h, d]
  slot: int64[t]
  x: fp32[t, h, d]
outputs:
  cache: {inplace: true}
  total: fp32[1, h, d]
graph:
  fill:
    loop: {over: t, tile: 8}
    carry:
      cache: cache
      total: full([1, h, d], 1, fp32)
    body:
      y: x[t] * 2
    next:
      cache: scatter_update(cache, slot[t], y, dim=0)
      total: total + sum(y, axis=0, keepdim=true)
tiling:
  - {}
"""
SINGLE = (
    BASE.replace("x: fp32[t, h, d]", "x: fp32[t, 3, h, d]")
    .replace("slot: int64[t]", "slot: int64[t, 3]")
    .replace("tile: 8", "tile: 1")
    .replace("y: x[t] * 2", "y: reshape(x[t], [3, h, d]) * 2")
    .replace("slot[t]", "reshape(slot[t], [3])")
)


def read(text: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", text)), verify_each=True)


def arrays(rows: tuple[int, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    slot = rng.permutation(40)[: np.prod(rows)].reshape(rows)
    slot.flat[1] = -1
    normal = {"cache": (40, 2, 16), "x": (*rows, 2, 16)}
    return {"slot": slot, **{name: rng.normal(size=shape).astype(np.float32) for name, shape in normal.items()}}


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("text", "rows"), [(BASE, (11,)), (SINGLE, (4, 3))], ids=["blocks", "one by one"])
def test_rows_of_all_iterations(text: str, rows: tuple[int, ...], target: str) -> None:
    given = arrays(rows)
    want = given["cache"].copy()
    kept = given["slot"] >= 0
    want[given["slot"][kept]] = 2 * given["x"][kept]
    program = read(text)
    verify(update_after_loop.run(program))
    got = interpret_instructions(pipeline.lower(program, target), given, {})
    np.testing.assert_array_equal(got["cache"], want)
    np.testing.assert_allclose(got["total"][0], 1 + 2 * given["x"].reshape(-1, 2, 16).sum(axis=0), rtol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_two_tensors_of_one_loop(target: str) -> None:
    text = BASE.replace("  cache: fp32[slots, h, d]\n", "  cache: fp32[slots, h, d]\n  other: fp32[slots, d]\n")
    text = text.replace("  cache: {inplace: true}\n", "  cache: {inplace: true}\n  other: {inplace: true}\n")
    text = text.replace("      cache: cache\n", "      cache: cache\n      other: other\n")
    text = text.replace("    next:\n", "    next:\n      other: scatter_update(other, slot[t], x[t, 1], dim=0)\n")
    given = arrays((11,)) | {"other": np.zeros((40, 16), np.float32)}
    got = interpret_instructions(pipeline.lower(read(text), target), given, {})
    kept = given["slot"] >= 0
    np.testing.assert_array_equal(got["cache"][given["slot"][kept]], 2 * given["x"][kept])
    np.testing.assert_array_equal(got["other"][given["slot"][kept]], given["x"][kept, 1])


def test_the_update_stands_behind_the_loop() -> None:
    """Its rows are those of all rounds; operations of the loop are indented."""
    lines = print_program(update_after_loop.run(read(BASE))).splitlines()
    (update,) = [line for line in lines if "scatter_update" in line]
    assert update == "  cache_3_all: fp32[slots, d*h] = scatter_update(cache_1_all, slot, y_all, dim=0)"
    assert not any("cache_round" in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x[t] * 2", "x[t] * 2 + cache[:1]"),
        ("tile: 8}", 'tile: 8, if: "t.start < 8"}'),
        ("slot[t], y", "slot[:1], total"),
    ],
    ids=["a round reads it", "rounds are left out", "the same rows in every round"],
)
def test_what_cannot_wait_is_refused(old: str, new: str) -> None:
    assert BASE.count(old) == 1
    with pytest.raises(DiagnosticError) as raised:
        pipeline.lower(read(BASE.replace(old, new)), "cpu")
    (found,) = raised.value.diagnostics
    assert found.code == "PTG303"
    assert "cannot wait for the end of the loop" in found.message
    assert found.span is not None
    assert found.span.line == 24
