"""Reductions of a round over axes whose length only a call knows are done before the loop, for all rounds at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import REDUCE, Program
from pyptogen.lower.tensor.passes import reduce_before_loop
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: walking
dims: {t: {min: 1, max: 256}, n: {min: 1, max: 4096}, m: {min: 1, max: 4096}, c: {min: 1, max: 64}, d: 16}
inputs: {x: "fp32[c, t, n]", z: "fp32[c, t, m]", g: "fp32[t, n]", s: "fp32[c, t, d]"}
outputs: {y: "fp32[t, 1]"}
graph:
  walk:
    loop: {over: c, tile: 1}
    carry: {acc: "full([t, 1], 0, dtype=fp32)"}
    body:
      a: FIRST
      b: amax(z[c], axis=-1, keepdim=true)
      e: sum(s[c], axis=-1, keepdim=true)
    next: {acc: "acc * 0.5 + a[0] * b[0] + e[0]"}
  out:
    y: acc
tiling: [{}]
"""
SUM = "sum(exp(x[c]) * g, axis=-1, keepdim=true)"


def program_of(first: str) -> Program:
    return from_spec(load_source(Source("walking.yaml", SPEC.replace("FIRST", first))))


def reduced_in_rounds(program: Program) -> list[str]:
    return [op.result.name for op in program.ops if op.kind in REDUCE and op.loop]


def test_what_moves() -> None:
    """The exponential goes with its sum; a sum of a known length stays."""
    program = program_of(SUM)
    moved = reduce_before_loop.run(program)
    assert len(reduced_in_rounds(program)) == 3
    assert reduced_in_rounds(moved) == ["e"]
    assert [op.loop for op in moved.ops if op.kind == "exp"] == [""]
    assert reduce_before_loop.run(moved) is moved


def test_what_follows_from_a_carried_value_stays() -> None:
    program = program_of("sum(x[c] * acc, axis=-1, keepdim=true)")
    assert "a" in reduced_in_rounds(reduce_before_loop.run(program))
    with pytest.raises(DiagnosticError, match="`sum` over `n`, which is cut"):
        lower(program, "cpu")


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_results(tmp_path: Path, target: str) -> None:
    path = tmp_path / "walking.yaml"
    path.write_text(SPEC.replace("FIRST", SUM))
    walking = pyptogen.compile(path, target=target)
    for t, n, m, c in ((1, 1, 7, 1), (70, 300, 33, 5)):
        arrays = walking.example_inputs(seed=c, t=t, n=n, m=m, c=c)
        x, z, g, s = (arrays[name].astype(np.float64) for name in "xzgs")
        acc = np.zeros(t)
        for i in range(c):
            acc = acc * 0.5 + (np.exp(x[i]) * g).sum(-1) * z[i].max(-1) + s[i].sum(-1)
        np.testing.assert_allclose(walking(**arrays).y[:, 0], acc, rtol=1e-4, atol=1e-3)
