"""Orders are cut like all other kernels: whole rows several at a time, long ones piece by piece, one by one in GM."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from pyptogen.codegen import Generated, generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import TileKernel, walk, walk_loops
from pyptogen.lower.tile.ops import GatherByPattern, Iota, MergeLists, SortBlocks, Store, TopK
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_level

SPEC = """\
pyptogen: 1
operator: ordered
dims: {{{dims}b: {{min: 1, max: 4096}}, h: 3}}
inputs: {{x: "fp32[{shape}]"}}
outputs: {{{outputs}}}
graph: {{"{names}": "{graph}"}}
"""
BOTH = 'v: "fp32[{0}]", i: "int32[{0}]"'


@cache
def ordered(shape: str, result: str, graph: str, target: str = "a2a3", only: str = "", dims: str = "") -> Generated:
    outputs = BOTH.format(result)
    if only:
        outputs = outputs.split(", i")[0] if only == "v" else "i" + outputs.split(", i")[1]
    names = {"": "v, i", "v": "v, unread", "i": "unread, i"}[only]
    text = SPEC.format(dims=dims, shape=shape, outputs=outputs, names=names, graph=graph)
    return generate(from_spec(load_source(Source("ordered.yaml", text))), target)


def check(program: Generated, x: Any, k: int, largest: bool = True) -> None:
    """At the levels below tensors, against NumPy; bit by bit."""
    positions = np.argsort(-x if largest else x, axis=-1, kind="stable")[..., :k].astype(np.int32)
    wanted = {"v": np.take_along_axis(x, positions, -1), "i": positions}
    runs = [run_level(program, {"x": x}, level=level, blocks=3) for level in ("tile", "block")]
    for found in (*runs, run_instructions(program, {"x": x}, blocks=2)):
        for name in found:
            np.testing.assert_array_equal(found[name], wanted[name])


def drawn(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(np.float32)


def only_kernel(program: Generated) -> TileKernel:
    (kernel,) = program.tiles
    return kernel


def kinds(kernel: TileKernel, *wanted: type) -> list[int]:
    return [sum(isinstance(op, kind) for op in walk(kernel.body)) for kind in wanted]


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("only", "stores"), [("", 2), ("v", 1), ("i", 1)])
def test_values_and_positions_are_one_kernel(target: str, only: str, stores: int) -> None:
    """What nobody reads is not made."""
    program = ordered("b, 100", "b, 9", "topk(x, 9)", target, only)
    kernel = only_kernel(program)
    assert kinds(kernel, Store) == [stores]
    assert kinds(kernel, TopK if target == "cpu" else SortBlocks) == [1]
    assert target == "cpu" or kinds(kernel, GatherByPattern) == [stores]
    check(program, drawn(5, 100), 9)


def test_positions_are_counted_once() -> None:
    kernel = only_kernel(ordered("b, 100", "b, 9", "topk(x, 9)"))
    assert any(isinstance(node, Iota) for node in kernel.body)


def test_leading_axes_are_rows_of_one_tile() -> None:
    program = ordered("4, b, h, 40", "4, b, h, 5", "topk(x, 5)")
    (loop,) = (loop for loop in walk_loops(only_kernel(program).body) if loop.role == "grid")
    assert loop.tile > 1
    check(program, drawn(4, 2, 3, 40), 5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_an_axis_of_two_dims_is_sorted_as_one(target: str) -> None:
    """Piece by piece on a device: the loop needs a dim of its own."""
    program = ordered("b, h * n", "b, 9", "topk(x, 9)", target, dims="n: 1500, ")
    check(program, drawn(2, 4500), 9)


@pytest.mark.parametrize(
    ("n", "k", "pieces"),
    [(2048, 64, False), (2049, 64, True), (8193, 2048, True), (4096, 4096, False), (4097, 4000, False),
     (6200, 6200, False), (8192, 8192, False)],
)  # fmt: skip
def test_pieces_or_whole_rows(n: int, k: int, pieces: bool) -> None:
    """Of a long row a piece at a time, but where more than a piece is kept: then all of it."""
    program = ordered(f"b, {n}", f"b, {k}", f"topk(x, {k})")
    kernel = only_kernel(program)
    assert any(loop.role == "reduce" for loop in walk_loops(kernel.body)) == pieces
    assert any(isinstance(op, MergeLists) and op.first for op in walk(kernel.body)) == pieces
    check(program, drawn(2, n), k)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_the_order_of_one_element(target: str) -> None:
    check(ordered("b, 1", "b, 1", "topk(x, 1)", target), drawn(5, 1), 1)


def test_a_run_time_number_of_elements() -> None:
    """A CPU's tile of results has the length of the call; pairs are merged in tiles of a length that is known."""
    shape, dims = ("b, n", "b, n", "sort(x)"), "n: {min: 1, max: 900}, "
    check(ordered(*shape, "cpu", dims=dims), drawn(3, 37), 37, largest=False)
    with pytest.raises(DiagnosticError, match="a run-time number of elements"):
        ordered(*shape, dims=dims)


WORK = """\
pyptogen: 1
operator: ordered
dims: {{b: {{min: 1, max: 4096}}, n: {n}}}
inputs: {{x: "fp32[b, n]", w: "fp32[n]", m: "fp32[b]"}}
outputs: {{v: "fp32[b, 9]", i: "int32[b, 9]"{more}}}
graph: {{{graph}, "v, i": "topk(y, 9)"}}
"""


@pytest.mark.parametrize("n", [100, 5000])
@pytest.mark.parametrize(
    ("graph", "more", "kernels", "reads"),
    [
        ('y: "abs(x) - w"', "", 1, 2),
        ('z: "abs(x)", y: "z - w"', ', z: "fp32[b, n]"', 2, 2),
        ('y: "where(m[:, None] > 0, x, -inf)"', "", 2, 1),
    ],
)
def test_elementwise_work_ahead_is_made_in_the_kernel(n: int, graph: str, more: str, kernels: int, reads: int) -> None:
    """Where nobody else reads it, and where that saves a kernel."""
    text = WORK.format(n=n, graph=graph, more=more)
    program = generate(from_spec(load_source(Source("ordered.yaml", text))), "a2a3")
    assert len(program.tiles) == kernels
    assert len(program.tiles[-1].reads) == reads
    x, w, m = drawn(3, n), drawn(n) / 8, np.array([1, 0, 2], np.float32)
    y = np.where(m[:, None] > 0, x, -np.inf) if "where" in graph else np.abs(x) - w
    positions = np.argsort(-y, axis=-1, kind="stable")[:, :9]
    for found in (run_level(program, {"x": x, "w": w, "m": m}, level="block", blocks=3),
                  run_instructions(program, {"x": x, "w": w, "m": m}, blocks=2)):  # fmt: skip
        np.testing.assert_array_equal(found["v"], np.take_along_axis(y, positions, -1))
        np.testing.assert_array_equal(found["i"], positions)
