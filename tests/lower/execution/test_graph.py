"""The execution graph: every kernel once a launch range, after what it needs, over memory that is large enough."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lower.small_programs import TARGETS, library, lowered, program_of
from pyptogen.diagnostics import Span
from pyptogen.lower.execution.build import run as build
from pyptogen.lower.execution.build import workspace
from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan, Tiles
from pyptogen.lower.execution.verify import verify
from pyptogen.lower.expr import Poly
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tile.ir import GmTensor
from pyptogen.lower.tile.sizes.sizes import select_rows
from pyptogen.lower.verify import IllegalIR
from pyptogen.simulate.graph import launch_ranges

OPERATORS = ["softmax", "rms_norm", "matmul_fp32", "matmul_bf16", "matmul_int8", "indexer_prolog"]
SPAN = Span("demo.yaml", 3, 1, 3, 2)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OPERATORS)
def test_launches(name: str, target: str) -> None:
    program = lowered(name, target)
    graph, kernels = program.execution, {k.name: k for k in program.instructions}
    assert len(graph.plans) == 1
    assert sorted(launch.kernel for launch in graph.plans[0]) == sorted(kernels)
    contract = {v.name for v in library(name).inputs} | {output for output, _ in library(name).outputs}
    spaces = {w.name for w in graph.workspaces}
    assert not contract & spaces
    done: dict[str, set[str]] = {}
    for launch in graph.plans[0]:
        kernel = kernels[launch.kernel]
        assert launch.arguments == kernel.arguments
        behind = set(launch.after).union(*(done[other] for other in launch.after))
        done[launch.kernel] = behind
        for tensor in kernel.reads:
            writers = {k.name for k in kernels.values() if tensor.name in {w.name for w in k.writes}}
            assert writers - {kernel.name} <= behind
        assert {t.name for t in kernel.tensors} <= contract | spaces


def test_independent_kernels_do_not_wait() -> None:
    launches = {launch.kernel: launch for launch in lowered("indexer_prolog", "a2a3").execution.plans[0]}
    assert launches["key_linear_cube"].after == ()
    assert launches["query_linear"].after == ()
    assert launches["head_weights_cube"].after == ()
    assert launches["key_rope"].after == ("key_linear_vec",)


def test_what_nothing_writes_is_not_read() -> None:
    whole = lowered("indexer_prolog", "a2a3")
    rows = select_rows(whole.program, "a2a3")
    tensors = {tensor.name: tensor for block in whole.blocks for tensor in block.tile.tensors}
    blocks = [block for block in whole.blocks if block.tile.name != "key_linear_vec"]
    launched = [[block.tile.name for block in blocks] for _ in rows]
    with pytest.raises(IllegalIR, match="key_rope reads k_f32 unwritten"):
        build(whole.program, rows, blocks, launched, tensors, "a2a3", {})


def test_workspaces_hold_every_row() -> None:
    graph = lowered("indexer_prolog", "a2a3").execution
    sizes = {w.name: w.elements.evaluate({"t": 5}) for w in graph.workspaces}
    assert sizes["q_i32"] == 5 * 64 * 128
    assert sizes["k_f32"] == 5 * 128
    assert lowered("indexer_prolog", "cpu").execution.workspaces == ()


def test_every_range_has_its_own_workspaces() -> None:
    rows = {w.name: w.row for w in lower(program_of(IN_RANGES), "a2a3").execution.workspaces}
    assert rows == {"u": Poly.of(16)}


@pytest.mark.parametrize(
    ("shape", "row"),
    [(("t", 4, 8), 32), ((4, "t"), None), (("n", 8), None), (("t", "n"), "n"), (("t", "t"), None), ((), None)],
)
def test_only_a_leading_launch_dim_is_cut(shape: tuple[int | str, ...], row: int | str | None) -> None:
    tensor = GmTensor("v", "fp32", tuple(Poly.of(extent) for extent in shape), "nd", True, SPAN)
    made = workspace(tensor, "t")
    assert made.row == (None if row is None else Poly.of(row))
    sizes = {"t": 5, "n": 3}
    assert made.elements.evaluate(sizes) == math.prod(Poly.of(extent).evaluate(sizes) for extent in shape)
    assert workspace(tensor, None).row is None


def test_one_range_has_one_workspace_for_all() -> None:
    spaces = lower(program_of(SMALL), "a2a3").execution.workspaces
    assert [space.row for space in spaces] == [None]


SMALL = """
pyptogen: 1
operator: small
dims: {t: {min: 1, max: 64}}
inputs: {x: "fp32[t, 16]"}
outputs: {y: "fp32[t, 16]"}
graph:
  first:
    u: exp(x)
  second:
    y: u * 2.0
tiling: [{t: 8}]
"""
IN_RANGES = SMALL.replace("max: 64", "max: 500").replace(
    "[{t: 8}]", "[{when: {t: '<= 32'}, t: {unroll: [32, 8, 1]}}, {t: {unroll: [128, 64, 32, 16, 8, 4, 2, 1]}}]"
)
"""Calls of few rows and of many, each in ranges of its own."""


@given(st.integers(1, 500))
def test_launch_ranges_cover_every_size_once(t: int) -> None:
    graph = lower(program_of(IN_RANGES), "a2a3").execution
    ranges = list(launch_ranges(graph, {"t": t}))
    assert [begin for begin, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
    assert ranges[-1][1] == t
    lengths = [end - begin for begin, end in ranges]
    assert lengths == sorted(lengths, reverse=True)
    assert set(lengths) <= set(next(c for c in graph.cuts if t <= 32 or not c.when).sizes)


def test_ranges_of_multiples_end_with_a_divisor() -> None:
    text = (
        "pyptogen: 1\noperator: fours\ndims: {t: {min: 4, max: 64, multiple_of: 4}, d: 64}\n"
        "inputs: {x: 'fp32[t, d]'}\noutputs: {y: 'fp32[t, d]'}\ngraph: {y: x * 2}\ntiling: [{t: {unroll: [8, 4]}}]\n"
    )
    graph = lower(program_of(text), "cpu").execution
    assert list(launch_ranges(graph, {"t": 20})) == [(0, 8), (8, 16), (16, 20)]


JOINED = """\
pyptogen: 1
operator: joined
dims: {t: {min: 1, max: 65536}, s: {min: 1, max: 65536}}
inputs: {a: "fp32[t, 3]", b: "fp32[t, s]"}
outputs: {y: "fp32[t, s + 3]"}
graph: {y: "concat(a, b, axis=-1)"}
"""


@pytest.mark.parametrize(("target", "blocks"), [("a2a3", 15), ("cpu", 30)])
def test_blocks_for_the_most_of_several_loops(target: str, blocks: int) -> None:
    """Of two loops that follow each other, the first has one tile: each row of the second is a block's, or each two."""
    (joined,) = lower(program_of(JOINED), target).execution.plans[0]
    assert joined.tiles is not None
    assert joined.tiles.blocks({"t": 30, "s": 50}) == blocks


def test_a_loop_with_fewer_tiles_for_sure_is_not_compared() -> None:
    parts = JOINED.replace("[t, 3]", "[t, 64]").replace("[t, s]", "[t, 512]").replace("s + 3", "576")
    (joined,) = lower(program_of(parts.replace(", s: {min: 1, max: 65536}", "")), "a2a3").execution.plans[0]
    assert joined.tiles is not None
    ((_, step),) = joined.tiles.nests[0]
    assert len(joined.tiles.nests) == 1
    assert step * 512 * 4 <= 24 * 1024


def launch(name: str, after: tuple[str, ...] = ()) -> LaunchPlan:
    return LaunchPlan(name, "vector", (), None, after, SPAN)


STRAY = replace(launch("a"), arguments=("x", "y", "t_begin", "t_end", "ww", "nblk"))
UNTOLD = replace(launch("a"), tiles=Tiles((((Poly.of("ww"), 8),),)))


@pytest.mark.parametrize(
    ("launches", "cuts", "words"),
    [
        ((STRAY,), (Cut((), 0, (), SPAN),), "launch a names ww, which nothing binds"),
        ((UNTOLD,), (Cut((), 0, (), SPAN),), "launch a names ww, which nothing binds"),
        ((launch("a"),), (Cut((("ww", "<=", 8),), 0, (), SPAN), Cut((), 0, (), SPAN)), "a cut names ww"),
        ((launch("a", ("b",)), launch("b")), (Cut((), 0, (), SPAN),), "waits for a later one"),
        ((launch("a"), launch("a")), (Cut((), 0, (), SPAN),), "launched twice"),
        ((launch("a"),), (Cut((), 0, (8, 3), SPAN),), "leaves a rest"),
        ((launch("a"),), (Cut((("t", "<=", 8),), 0, (), SPAN),), "must always hold"),
    ],
)
def test_illegal_graphs(launches: tuple[LaunchPlan, ...], cuts: tuple[Cut, ...], words: str) -> None:
    with pytest.raises(IllegalIR, match=rf"{words}.*demo\.yaml:3:1"):
        verify(ExecutionGraph("demo", "cpu", "t", ("t",), (), cuts, (launches,), SPAN), program_of(SMALL))
