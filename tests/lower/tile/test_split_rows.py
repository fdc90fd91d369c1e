"""Mixed kernels on both vector cores beside a cube core: their rows, right for every tail, and what stays whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen.codegen import Generated, generate
from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.instruction import side_by_side
from pyptogen.lower.instruction.ir import For
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import Fifo, Loop, Node, TileKernel, TileOp, half_of
from pyptogen.lower.tile.kernels import split_rows
from pyptogen.lower.tile.ops import ScatterRows, Store, Transpose
from pyptogen.schema.loader import load_source
from pyptogen.schema.source import Source
from pyptogen.simulate import tile as levels
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.fifos import Fifos, Port
from pyptogen.simulate.graph import interpret

SPEC = """\
pyptogen: 1
operator: shared
dims:
  t: {{min: 1, max: 4096}}
  k: 64
  n: 48
inputs:
  x: bf16[t, k]
  w: bf16[k, n]
  bias: fp32[n]
outputs:
  y: fp32[t, n]
graph:
  product:
    p: matmul(x, w, dtype=fp32)
  rows:
    s: p + bias
    y: exp(s - amax(s, axis=-1, keepdim=true))
tiling:
  - {{t: 32, fifo: 2, fuse: [[product, rows]]{more}}}
"""
ROWS = {"whole tiles": "", "some rows at a time": ", rows: {t: 8}"}


@cache
def lowered(more: str = "") -> Generated:
    return generate(from_spec(load_source(Source("shared.yaml", SPEC.format(more=more)))), "a2a3")


def vector_program(result: Generated) -> TileKernel:
    (found,) = [block.tile for block in result.blocks if block.tile.core == "vector"]
    return found


@pytest.mark.parametrize("rows", range(1, 9))
def test_the_halves_cover_all_rows(rows: int) -> None:
    """Both are equally long, none is empty, and they meet in one row at the most."""
    (first, mine), (second, other) = half_of(rows, 0), half_of(rows, 1)
    assert first == 0
    assert mine == other > 0
    assert second + other == rows
    assert second in (mine, mine - 1)


@pytest.mark.parametrize("t", [1, 2, 31, 64, 69])
@pytest.mark.parametrize("rows", ROWS)
def test_every_tail(rows: str, t: int) -> None:
    """Both cores together make all rows, at the levels that have two programs."""
    rng = np.random.default_rng(t)
    x, w = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((t, 64), (64, 48)))
    bias = rng.standard_normal(48).astype(np.float32)
    s = x.astype(np.float32) @ w.astype(np.float32) + bias
    want = np.exp(s - s.max(-1, keepdims=True))
    result, arrays = lowered(ROWS[rows]), {"x": x, "w": w, "bias": bias}
    np.testing.assert_allclose(interpret(result, arrays, blocks=2)["y"], want, atol=1e-5, rtol=1e-4)
    np.testing.assert_allclose(levels.interpret(result, arrays, level="block")["y"], want, atol=1e-5, rtol=1e-4)


def test_each_core_has_half_a_tile() -> None:
    """Tiles are half as high, and the program asks which core it runs on; the cube core's does not."""
    shared, single = lowered(), lowered(", vector_cores: 1")
    assert vector_program(shared).tile("y_tile").rows.size == 16
    assert vector_program(single).tile("y_tile").rows.size == 32
    for result, cores in ((shared, 2), (single, 1)):
        texts = {kernel.core: kernel.text for kernel in result.kernels}
        assert ("get_subblockid()" in texts["vector"]) == (cores == 2)
        assert "get_subblockid()" not in texts["cube"]
        assert f"side_by_side{'<2>' if cores == 2 else ''}(" in result.orchestration
        beside = result.report["kernels"]["product_to_rows_vec"]
        assert beside.get("vector_cores", 1) == cores
    pipes = [result.report["kernels"]["product_to_rows_vec"]["cycles"]["pipes"] for result in (shared, single)]
    assert 0.5 * pipes[1]["V"] <= pipes[0]["V"] < 0.8 * pipes[1]["V"]


def changed(nodes: tuple[Node, ...], change: Callable[[TileOp], TileOp]) -> tuple[Node, ...]:
    return tuple(replace(n, body=changed(n.body, change)) if isinstance(n, Loop) else change(n) for n in nodes)


WHOLE: dict[str, tuple[Callable[[TileOp], TileOp], str]] = {
    "transposed": (
        lambda op: Transpose.of(op, op.dst, *op.srcs) if op.mnemonic == "exp" else op, "`transpose` needs all rows",
    ),
    "a reduction over rows": (
        lambda op: replace(op, dst="bias_row") if op.mnemonic == "exp" else op, "`exp` joins rows",
    ),
    "changed where it is read": (
        lambda op: replace(op, gm=replace(op.gm, tensor="bias")) if isinstance(op, Store) else op,
        "`bias` is read and changed",
    ),
    "numbers that nobody counts": (
        lambda op: ScatterRows.of(op, None, *op.srcs, gm=op.gm, index="bias", index_offset=ZERO)
        if isinstance(op, Store) else op,
        "`scatter_rows` needs all rows",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_what_stays_whole(name: str) -> None:
    change, why = WHOLE[name]
    kernel = vector_program(lowered(", vector_cores: 1"))
    row = next(t.name for t in kernel.tiles if t.form == "row")
    body = changed(kernel.body, change)
    body = changed(body, lambda op: replace(op, dst=row) if op.dst == "bias_row" else op)
    split_rows.run(kernel)
    with pytest.raises(split_rows.Whole, match=why):
        split_rows.run(replace(kernel, body=body))


def test_two_cores_that_cannot_be() -> None:
    """Rows of a loop that are written into a whole tile: one core, unless the author wants two."""
    from operators.loop_specs import CASES

    text = CASES["attention_rings_rows"].text

    def program(text: str) -> Any:
        return from_spec(load_source(Source("rows.yaml", text)))

    assert all(kernel.subblock is None for kernel in generate(program(text), "a2a3").instructions)
    with pytest.raises(DiagnosticError, match="two vector cores cannot share the rows") as caught:
        generate(program(text.replace("fifo: 1", "fifo: 1, vector_cores: 2")), "a2a3")
    assert caught.value.diagnostics[0].code == "PTG303"


def test_cores_that_do_not_keep_step() -> None:
    """A loop with a fifo in it that one of the cores leaves earlier."""
    ((cube, vector),) = side_by_side.pairs(lowered().instructions)
    assert side_by_side.faults(cube, vector) == []
    assert vector.subblock is not None
    loop = vector.body[next(i for i, node in enumerate(vector.body) if isinstance(node, For))]
    assert isinstance(loop, For)
    shorter = replace(loop, stop=loop.stop - Poly.of(vector.subblock))
    body = tuple(shorter if node is loop else node for node in vector.body)
    (text,) = side_by_side.faults(cube, replace(vector, body=body))
    assert "do not keep step" in text


SPAN = Span("fifos.yaml", 1, 1, 1, 1)


def test_rows_that_both_push_are_the_same() -> None:
    fifo = Fifo("r_fifo", "r_slot", "fp32", 4, 2, 1, "cube", 0, SPAN)
    for second, fault in ((1.0, None), (2.0, "different rows"), (None, "no core pushes a row")):
        fifos = Fifos((fifo,), 2)
        Port(fifos, 0).push("r_fifo", np.full((2, 2), 1, np.float32), SPAN)
        row = 1 if second else 3
        Port(fifos, 1).push("r_fifo", np.full((1, 2), second or 1, np.float32), SPAN, row)
        if fault is None:
            assert Port(fifos).pop("r_fifo", SPAN).elements.size == 4
            continue
        with pytest.raises(MachineFault, match=fault):
            Port(fifos).pop("r_fifo", SPAN)
