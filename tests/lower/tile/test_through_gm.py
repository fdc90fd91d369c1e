"""What a tile of the same kernel cannot give goes through GM: the results are those of the Tensor level."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import TARGETS, lowered
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import GmWindow, Instr, declarations, walk
from pyptogen.lower.instruction.verify import verify
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk as walk_tiles
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.verify import example_inputs

HEAD = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 4096}
  h: 3
  d: 16
  n: h * d
inputs:
  x: fp32[t, n]
  z: fp32[t, h, d]
  g: fp32[n]
outputs:
"""
GRAPHS = {
    "columns to rows": ("y: fp32[t, h, d]", "y: reshape(exp(x), [t, h, d]) * z"),
    "rows to columns": ("y: fp32[t, n]", "y: reshape(exp(z), [t, n]) * x"),
    "transpose of a computed value": ("y: fp32[n, t]", "e: exp(x)\n  y: transpose(e) + transpose(x)"),
    "rows of a computed value": ("y: fp32[t, d]", "e: exp(z)\n  y: e[:, 1] - e[:, 2]"),
    "unaligned columns of a computed value": ("y: fp32[t, 8]", "e: exp(x)\n  y: e[:, 3:11] * e[:, 17:25]"),
    "inner axis": ("y: fp32[t, h, d]", "y: z / sum(exp(z), axis=1, keepdim=true)"),
    "first axis": ("y: fp32[t, n]", "y: x - amax(x, axis=0, keepdim=true)"),
    "softmax over the first axis": ("y: fp32[t, n]", "y: softmax(x, axis=0)"),
    "an input as it is": ("y: fp32[t, n]\n  w: fp32[n]", "y: x\n  w: g"),
    "parts of an input": ("y: fp32[t, 5]\n  w: fp32[d, h, t]", "y: x[:, 2:7]\n  w: permute(z, [2, 1, 0])"),
    "part of a computed value": ("y: fp32[t, 8]\n  w: fp32[t, n]", "w: x * 2\n  y: w[:, 8:16]"),
    "one value twice": ("y: fp32[t, n]\n  w: fp32[t, n]", "y: x * 2\n  w: y"),
    "concat of rows": ("y: fp32[t, 7, d]", "y: concat(z, exp(z), z[:, :1], axis=1)"),
    "padding": ("y: fp32[t, n + 3]", "y: pad(x, [1, 2], 7)"),
    "broadcast in GM": ("y: fp32[t, h, n]", "y: expand_clone(x[:, None, :], [t, h, n]) * 2"),
    "running sums": ("y: fp32[t, n]\n  w: fp32[t, n]", "y: cumsum(x, axis=0)\n  w: cumsum(y * 0.01, axis=1)"),
    "middle axis": ("y: fp32[t, h, d]", "y: cumprod(z, axis=1)"),
    "positions": ("y: int32[t]\n  w: int32[t, d]", "y: argmax(x)\n  w: argmin(z, axis=1)"),
    "whole numbers": ("y: int32[t]\n  w: int32[n]", "i: cast(x * 100, int32)\n  y: sum(i)\n  w: sum(i, axis=0)"),
}


def agree(text: str, target: str, **dims: int) -> None:
    spec = load_source(Source("demo.yaml", text))
    program = from_spec(spec)
    arrays = example_inputs(spec, dims, seed=4)
    want = interpret(program, arrays)
    got = run_instructions(lower(program, target), arrays, blocks=3)
    for name, expected in want.items():
        np.testing.assert_allclose(got[name], expected, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_graph(name: str, target: str) -> None:
    outputs, graph = GRAPHS[name]
    for tiling in ("tiling: [{t: 8}]", "tiling: [{t: {unroll: [8, 4, 2, 1]}}]"):
        agree(f"{HEAD}  {outputs}\ngraph:\n  {graph}\n{tiling}\n", target, t=21)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("graph", ["softmax(x)", "layer_norm(x, g, g)", "x * sum(abs(x), keepdim=true)"])
def test_rows_that_are_longer_than_memory(graph: str, target: str) -> None:
    text = HEAD.replace("d: 16", "d: 40000").replace("  z: fp32[t, h, d]\n", "")
    agree(f"{text}  y: fp32[t, n]\ngraph:\n  y: {graph}\n", target, t=2)


SPLIT = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 1024}
  k: 64
  heads: 4
  e: 64
inputs:
  x: bf16[t, k]
  w: bf16[k, 256]
outputs:
  z: fp32[t, heads, 32]
graph:
  first:
    p: matmul(x, w, dtype=fp32)
  second:
    y: p + 1
    z: reshape(y, [t, heads, e])[:, :, 32:] * 2
tiling:
  - {t: 64, heads: 1, second: {t: 16}, fuse: [[first, second]]}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_reshape_that_splits_columns_which_the_product_does_not_cut(target: str) -> None:
    """The reader's loop over heads is none of the product's, whose tile has all 256 columns."""
    agree(SPLIT, target, t=37)


def test_devices_move_runs_of_elements() -> None:
    """What the CPU loads with a stride in a row is refused for a platform that cannot, if it ever gets so far."""
    cpu = lowered("rope_interleaved", "cpu").instructions
    with pytest.raises(DiagnosticError, match="runs of neighbouring elements") as caught:
        verify(cpu, PLATFORMS["a2a3"])
    assert caught.value.diagnostics[0].code == "PTG303"


@pytest.mark.parametrize(("name", "instruction"), [("rope_interleaved", "TGATHER"), ("cumsum", "TTRANS")])
def test_strided_rows_and_columns_are_put_in_order_on_chip(name: str, instruction: str) -> None:
    kernels = lowered(name, "a2a3").instructions
    for kernel in kernels:
        declared = declarations(kernel)
        for node in walk(kernel.body):
            if isinstance(node, Instr) and node.name in ("TLOAD", "TSTORE"):
                tile = next(declared[o].type for o in node.operands if isinstance(o, str))
                window = next(o for o in node.operands if isinstance(o, GmWindow))
                length, stride = (
                    (window.rows, window.row_stride) if tile.col_major else (window.cols, window.col_stride)
                )
                assert length.size == 1 or stride == Poly.of(1), f"{kernel.name}: {window}"
    assert any(isinstance(n, Instr) and n.name == instruction for kernel in kernels for n in walk(kernel.body))


ONE_LINE = """\
pyptogen: 1
operator: offsets
dims: {n: {min: 1, max: 4096}}
inputs: {x: "DTYPE[n]", z: "DTYPE[1, n]"}
outputs: {y: "DTYPE[n]", w: "DTYPE[1, n]"}
graph:
  y: cumsum(x, axis=0)
  w: cumsum(z, axis=-1)
"""


@pytest.mark.parametrize("dtype", ["int32", "fp32"])
@pytest.mark.parametrize("n", [1, 7, 256, 1000])
def test_one_line_is_summed_on_chip(n: int, dtype: str) -> None:
    """Not element by element with a transfer for each."""
    text = ONE_LINE.replace("DTYPE", dtype)
    agree(text, "a2a3", n=n)
    for kernel in lower(from_spec(load_source(Source("demo.yaml", text))), "a2a3").instructions:
        declared = declarations(kernel)
        loads = [n for n in walk(kernel.body) if isinstance(n, Instr) and n.name == "TLOAD"]
        (columns,) = [declared[o].type.cols for load in loads for o in load.operands if isinstance(o, str)]
        assert columns >= 256


def test_sums_of_rows_that_lie_apart_keep_to_few_lines_of_a_cpus_cache() -> None:
    (kernel,) = lowered("cumsum", "cpu").instructions
    windows = [o for n in walk(kernel.body) if isinstance(n, Instr) for o in n.operands if isinstance(o, GmWindow)]
    assert windows
    for window in windows:
        assert window.row_stride == Poly.of(1024)
        assert window.rows.size == 8


WIDE = """\
pyptogen: 1
operator: normed
dims: {t: {min: 1, max: 4096}, k: 256, n: 1024}
inputs: {x: "bf16[t, k]", w: "bf16[k, n]", b: "fp32[n]", g: "fp32[n]"}
outputs: {y: "bf16[t, n]", u: "fp32[t, n]"}
graph:
  p: matmul(x, w, dtype=fp32)
  u: relu(p)
  y: cast(rms_norm(p + b, g, eps=1.0e-6), bf16)
tiling: [{}]
"""


def test_what_needs_whole_rows_of_a_product_is_cut_from_it_once() -> None:
    """The product's columns are cut; all that leads to the sum, and follows from it, reads it in one pass."""
    lowered = lower(from_spec(load_source(Source("normed.yaml", WIDE))), "cpu")
    kinds = [{op.mnemonic for op in walk_tiles(kernel.body)} for kernel in lowered.tiles]
    (summing,) = [found for found in kinds if "sum" in found]
    assert {"mul", "sqrt", "cast"} <= summing
    assert "matmul" not in summing
    assert len(kinds) == 2
