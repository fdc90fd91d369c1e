"""What becomes part of a product where cube and vector cores are separate, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import Generated, generate
from pyptogen.lower.instruction.ir import Instr, Relu, walk
from pyptogen.lower.tensor import from_spec
from pyptogen.schema.loader import load_source
from pyptogen.schema.source import Source

SPEC = """\
pyptogen: 1
operator: clipped
dims:
  t: {{min: 1, max: 4096}}
  k: 64
  n: 48
inputs:
  x: bf16[t, k]
  w: bf16[k, n]
outputs:
  {outputs}
graph:
{graph}
tiling:
  - {row}
"""
ROW = "{t: 32, n: 16, k: 32}"
JOINED = {
    "relu": ("y: fp32[t, n]", "  y: relu(matmul(x, w, dtype=fp32))", True),
    "rounded": ("y: bf16[t, n]", "  y: cast(matmul(x, w, dtype=fp32), bf16)", False),
    "relu, then rounded": ("y: fp16[t, n]", "  y: cast(relu(matmul(x, w, dtype=fp32)), fp16)", True),
    "rounded, then relu": ("y: fp16[t, n]", "  y: relu(cast(matmul(x, w, dtype=fp32), fp16))", True),
    "a stage that has more": (
        "y: fp32[t, n]", "  a:\n    p: matmul(x, w, dtype=fp32)\n  b:\n    r: relu(p)\n    y: r * 2", True,
    ),
}  # fmt: skip
APART = {
    "read twice": ("y: fp32[t, n]", "  p: matmul(x, w, dtype=fp32)\n  y: relu(p) + p", ROW),
    "an output": ("p: fp32[t, n]\n  y: fp32[t, n]", "  p: matmul(x, w, dtype=fp32)\n  y: relu(p)", ROW),
    "whole numbers": ("y: int32[t, n]", "  y: cast(matmul(x, w, dtype=fp32), int32, mode=rint)", ROW),
    "all of a stage": (
        "y: fp32[t, n]", "  a:\n    p: matmul(x, w, dtype=fp32)\n  b:\n    y: relu(p)", ROW,
    ),
    "fifos": (
        "y: fp32[t, n]", "  a:\n    p: matmul(x, w, dtype=fp32)\n    y: relu(p)", "{t: 32, n: 16, fifo: 2}",
    ),
    "parts": (
        "y: fp32[t, n]", "  a:\n    p: matmul(x, w, dtype=fp32)\n    y: relu(p)", "{t: 32, a: {n: 16, split_k: 2}}",
    ),
}  # fmt: skip


def source(outputs: str, graph: str, row: str = ROW) -> str:
    return SPEC.format(outputs=outputs, graph=graph, row=row)


def lowered(text: str, target: str = "a2a3") -> Generated:
    return generate(from_spec(load_source(Source("clipped.yaml", text))), target)


def instructions(result: Generated) -> list[Instr]:
    return [node for kernel in result.instructions for node in walk(kernel.body) if isinstance(node, Instr)]


def under_relu(result: Generated) -> int:
    return sum(any(isinstance(o, Relu) for o in instr.operands) for instr in instructions(result))


@pytest.mark.parametrize("case", JOINED)
def test_it_becomes_part_of_the_product(case: str, tmp_path: Any) -> None:
    outputs, graph, relu = JOINED[case]
    text = source(outputs, graph)
    result = lowered(text)
    assert under_relu(result) == int(relu)
    assert not {instr.name for instr in instructions(result)} & {"TRELU", "TCVT"}
    assert len(result.kernels) == (2 if "stage" in case else 1)
    file = tmp_path / "clipped.yaml"
    file.write_text(text)
    operator = pyptogen.compile(file, target="a2a3")
    rng = np.random.default_rng(1)
    given = operator.example_inputs(seed=1, t=37)
    x, w = (rng.integers(-4, 5, given[name].shape).astype(given[name].dtype) for name in ("x", "w"))
    want = x.astype(np.float64) @ w.astype(np.float64)
    want = np.maximum(want, 0) if relu else want
    got = np.asarray(operator(x=x, w=w).y).astype(np.float64)
    exact = 2 * want if "more" in case else want
    np.testing.assert_allclose(got, exact, rtol=2**-8 if "bf16" in outputs else 0)


@pytest.mark.parametrize("case", APART)
def test_it_stays_vector_work(case: str) -> None:
    outputs, graph, row = APART[case]
    result = lowered(source(outputs, graph, row))
    assert under_relu(result) == 0
    assert {instr.name for instr in instructions(result)} & {"TRELU", "TCVT"}


def test_one_core_for_both_needs_none_of_it() -> None:
    outputs, graph, _ = JOINED["relu"]
    assert under_relu(lowered(source(outputs, graph), "cpu")) == 0
