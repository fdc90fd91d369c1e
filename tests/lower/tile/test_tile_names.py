"""What a reader of a kernel sees: tiles and workspaces have the names of the spec, where it has one."""

from __future__ import annotations

import pytest

from lower.small_programs import TARGETS, program_of
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tile.ir import walk
from pyptogen.lower.tile.ops import Load

TEXT = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  h: 4
  d: 16
  n: h * d
inputs:
  x: fp32[t, n]
  cos: fp32[t, 2 * d]
outputs:
  y: fp32[t, d]
graph:
  turn:
    heads: reshape(x * 2, [t, h, d])
  add:
    upper: cos[:, d:]
    y: heads[:, 1] * cos[:, :d] + upper
tiling:
  - {t: 8}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_loads(target: str) -> None:
    """A view that the spec names keeps its name, one that it does not is called after its tensor; and the workspace of
    a value that the spec names only as a view has the name of the view."""
    kernels = lower(program_of(TEXT), target).tiles
    loads = {(op.dst, op.gm.tensor) for k in kernels for op in walk(k.body) if isinstance(op, Load)}
    assert {("upper", "cos"), ("cos_tile", "cos"), ("heads_tile", "heads"), ("x_tile", "x")} == loads
