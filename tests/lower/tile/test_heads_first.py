"""Work whose batch axis is not the first one in memory: permutations are views, weights of all batches are packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lower.small_programs import TARGETS
from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
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
    got = run_instructions(generate(program, target), arrays, blocks=3)
    for output, expected in want.items():
        np.testing.assert_allclose(
            got[output].astype(np.float32), expected.astype(np.float32), rtol=2**-7, atol=1e-3, err_msg=output
        )


@pytest.mark.parametrize("target", TARGETS)
def test_no_kernel_copies_what_products_can_read_and_write_in_place(target: str) -> None:
    def kernels(name: str) -> int:
        return len(generate(program_of(name, " @ nz")[1], target).kernels)

    assert kernels("stored by token") == kernels("stored as one row") == 2
    assert kernels("read once more") > 2
    assert kernels("last axis moved") > 2


BY_TOKEN = """\
pyptogen: 1
operator: demo
dims: {t: {min: 1, max: 1024}, s: {min: 1, max: 1024}, h: 3, kv: 1, d: 48, e: 40}
inputs:
  q: bf16[t, h, d]
  k: bf16[s, kv, d]
  v: bf16[s, kv, e]
  c: fp32[h, t, 1]
  n: fp32[t, t, d]
outputs:
GRAPH
"""
GRAPHS = {
    "attention": """\
  y: bf16[t, h * e]
graph:
  heads: reshape(permute(q, [1, 0, 2]), [kv, h, t, d])
  all: reshape(attention(heads, permute(k, [1, 0, 2]), permute(v, [1, 0, 2]), causal=false), [h, t, e])
  y: reshape(permute(all, [1, 0, 2]), [t, h * e])""",
    "vector work": """\
  y: fp32[h, t, d]
  z: bf16[h, t, d]
  m: fp32[h, t, 1]
graph:
  heads: cast(permute(q, [1, 0, 2]), fp32)
  m: amax(heads, axis=-1, keepdim=true)
  y: exp(heads - m) + c
  turned: concat(permute(q, [1, 0, 2])[..., 16:], permute(q[..., :16], [1, 0, 2]), axis=-1)
  z: where(permute(q, [1, 0, 2]) > 0, turned, 0)""",
    "a stored order": """\
  y: fp32[t, h * d]
graph:
  y: reshape(permute(cast(permute(q, [1, 0, 2]), fp32) * c, [1, 0, 2]), [t, h * d])""",
    "what is overwritten": """\
  n: {inplace: true}
graph:
  n: n + permute(n, [1, 0, 2]) * 0.5""",
}
KERNELS = {"attention": 1, "vector work": 1, "a stored order": 1, "what is overwritten": 2}
"""On a processor that does all work with one core."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_no_kernel_copies_what_tiles_can_read_and_write_in_place(name: str, target: str) -> None:
    spec = load_source(Source("demo.yaml", BY_TOKEN.replace("GRAPH", GRAPHS[name])))
    program = from_spec(spec)
    lowered = generate(program, target)
    assert len(lowered.kernels) == KERNELS[name] or target != "cpu"
    for sizes in ({"t": 1, "s": 1}, {"t": 37, "s": 150}):
        arrays = example_inputs(spec, sizes, seed=sizes["s"])
        want = interpret(program, arrays)
        got = run_instructions(lowered, arrays, blocks=3)
        for output, expected in want.items():
            np.testing.assert_allclose(
                got[output].astype(np.float32), expected.astype(np.float32), rtol=2**-6, atol=1e-3, err_msg=output
            )
