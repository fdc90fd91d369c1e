"""Batched products whose batch axis is not the first: permutations are views, weights of all batches are packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lower.small_programs import TARGETS
from pyptogen.lower.instruction import interpret as run_instructions
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec, interpret
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.verify import example_inputs

SPEC = """\
pyptogen: 1
operator: demo
dims:
  t: {{min: 1, max: 1024}}
  h: 3
  d: 48
  e: 40
inputs:
  x: bf16[t, h, d]
  w: bf16[h, d, e]{layout}
outputs:
  y: {output}
graph:
  heads:
    x_h: permute(x * 2, [1, 0, 2])
    p: matmul(x_h, w, dtype=bf16)
    {result}
tiling:
  - {{t: 32, h: 1}}
"""
RESULTS = {
    "stored by token": ("bf16[t, h, e]", "y: permute(p, [1, 0, 2])"),
    "stored as one row": ("bf16[t, h * e]", "y: reshape(permute(p, [1, 0, 2]), [t, h * e])"),
    "read once more": ("bf16[t, h, e]\n  z: bf16[h, t, e]", "y: permute(p, [1, 0, 2])\n    z: p * 2"),
    "last axis moved": ("bf16[e, t, h]", "y: permute(p, [2, 1, 0])"),
}


def program_of(name: str, layout: str) -> tuple[Any, Program]:
    output, result = RESULTS[name]
    spec = load_source(Source("demo.yaml", SPEC.format(output=output, result=result, layout=layout)))
    return spec, from_spec(spec)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layout", ["", " @ nz"])
@pytest.mark.parametrize("name", sorted(RESULTS))
def test_it_means_what_the_graph_says(name: str, layout: str, target: str) -> None:
    spec, program = program_of(name, layout)
    arrays = example_inputs(spec, {"t": 37}, seed=4)
    want = interpret(program, arrays)
    got = run_instructions(lower(program, target), arrays, blocks=3)
    for output, expected in want.items():
        np.testing.assert_allclose(
            got[output].astype(np.float32), expected.astype(np.float32), rtol=2**-7, atol=1e-3, err_msg=output
        )


@pytest.mark.parametrize("target", TARGETS)
def test_no_kernel_copies_what_products_can_read_and_write_in_place(target: str) -> None:
    def kernels(name: str) -> int:
        return len(lower(program_of(name, " @ nz")[1], target).kernels)

    assert kernels("stored by token") == kernels("stored as one row") == 2
    assert kernels("read once more") > 2
    assert kernels("last axis moved") > 2
