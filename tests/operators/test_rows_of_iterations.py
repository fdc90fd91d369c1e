"""Attention whose iterations take some rows of a tile at a time (`rows`), on platforms whose cores are separate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk
from pyptogen.lower.tile.ops import Load, Push
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: attending
dims: {{h: 2, sq: {{min: 1, max: 4096}}, kv: {{min: 1, max: 4096}}, d: 64}}
inputs: {{q: "fp16[h, sq, d]", k: "fp16[h, kv, d]", v: "fp16[h, kv, d]"}}
outputs: {{o: "fp16[h, sq, d]"}}
graph: {{o: "attention(q, k, v{causal})"}}
tiling: [{{h: 1, sq: {{tile: 64, rows: 32}}, kv: 64, fifo: {fifo}}}]
"""
CALLS = ((1, 1), (31, 65), (33, 64), (63, 200), (64, 300), (97, 33), (300, 310))


@pytest.mark.parametrize(("target", "fifo"), [("a2a3", 2), ("a2a3", 4), ("a5", 4)])
def test_odd_sizes(tmp_path: Path, target: str, fifo: int) -> None:
    path = tmp_path / "attending.yaml"
    path.write_text(SPEC.format(fifo=fifo, causal=""))
    operator = pyptogen.compile(path, target=target)
    for sq, kv in CALLS:
        a = operator.example_inputs(seed=sq, sq=sq, kv=kv)
        q, k, v = (a[name].astype(np.float64) for name in "qkv")
        scores = q @ k.swapaxes(-1, -2) / 8
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        want = weights / weights.sum(axis=-1, keepdims=True) @ v
        np.testing.assert_allclose(operator(**a).o.astype(np.float64), want, rtol=3e-3, atol=3e-3)


def test_causal_iterations_of_cores_that_are_apart_take_all_rows() -> None:
    program = from_spec(load_source(Source("attending.yaml", SPEC.format(fifo=4, causal=", causal=true"))))
    with pytest.raises(DiagnosticError, match="in rows of 32 where iterations end early") as caught:
        lower(program, "a2a3")
    assert caught.value.diagnostics[0].code == "PTG303"


def test_iterations_load_queries_once_and_vector_cores_share_each_part() -> None:
    low = lower(from_spec(load_source(Source("attending.yaml", SPEC.format(fifo=4, causal="")))), "a2a3")
    cube, vector = (block.tile for block in low.blocks)
    queries = [op for op in walk(cube.body) if isinstance(op, Load) and op.gm.tensor == "q"]
    assert [cube.tile(str(op.dst)).rows.size for op in queries] == [64]
    assert {fifo.slots for fifo in cube.fifos} == {8}  # four tiles of two parts each
    assert vector.subblock is not None
    pushed = [vector.tile(op.operands[0]) for op in walk(vector.body) if isinstance(op, Push)]
    assert [tile.rows.size for tile in pushed] == [16]
