"""Rows that are too long for a tile are reduced piece by piece, in one kernel with all that is elementwise around."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import Generated, generate, lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.ir import walk_loops
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.loops import reduction_loops
from pyptogen.lower.tile.sizes.sizes import TileSize
from pyptogen.numpy_dtypes import numpy_dtype
from pyptogen.schema import Source, load_source
from pyptogen.simulate.device.cases import call_time
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: long_rows
dims: {{rows: {{min: 1, max: 4096}}, cols: {cols}}}
attrs: {{eps: {{type: fp32, default: 1.0e-6}}}}
inputs: {{x: "{dtype}[rows, cols]", g: "{dtype}[cols]", b: "fp32[rows, 1]"}}
outputs: {{{outputs}}}
graph:
{graph}
tiling: [{tiling}]
"""
GRAPHS = {
    "rms": ('y: "fp32[rows, cols]"', "y: rms_norm(cast(x, fp32), cast(g, fp32), eps=eps)"),
    "layer": ('y: "fp32[rows, cols]"', "y: layer_norm(cast(x, fp32) + b, cast(g, fp32), cast(g, fp32), eps=eps)"),
    "softmax": ('y: "fp32[rows, cols]"', "y: softmax(cast(x, fp32) * cast(g, fp32))"),
    "statistics too": (
        'y: "fp32[rows, cols]", top: "fp32[rows, 1]", c: "fp32[rows, cols]"',
        "f: cast(x, fp32); c: f * 2 + cast(g, fp32); top: amax(abs(c), axis=-1, keepdim=true) + b; "
        "y: c / maximum(top, 1.0e-3) - amin(f, axis=-1, keepdim=true)",
    ),
}


def program(graph: str, cols: object, dtype: str = "bf16", tiling: str = "{}") -> Program:
    outputs, lines = GRAPHS[graph]
    text = "\n".join(f"  {line}" for line in lines.split("; "))
    spec = SPEC.format(cols=cols, dtype=dtype, outputs=outputs, graph=text, tiling=tiling)
    return from_spec(load_source(Source("long_rows.yaml", spec)))


@cache
def generated(graph: str, cols: object, target: str, dtype: str = "bf16", tiling: str = "{}") -> Generated:
    return generate(program(graph, cols, dtype, tiling), target)


def arrays(of: Program, rows: int, cols: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(rows * cols)
    dtype = numpy_dtype(of.inputs[0].dtype)
    x, g = rng.uniform(-2, 2, (rows, cols)).astype(dtype), rng.uniform(0.5, 1.5, cols).astype(dtype)
    return {"x": x, "g": g, "b": rng.uniform(-1, 1, (rows, 1)).astype(np.float32)}


def check(made: Generated, of: Program, rows: int, cols: int) -> None:
    """All outputs, at the Tile and at the Instruction level."""
    given = arrays(of, rows, cols)
    given = {value.name: given[value.name] for value in of.inputs}
    expected = golden(of, given)
    for found in (run_tiles(made, given, level="tile"), run_instructions(made, given, blocks=3)):
        for name, array in found.items():
            np.testing.assert_allclose(array, expected[name], rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("target", ["a2a3", "a5", "cpu"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_rows_of_any_length_are_one_kernel(graph: str, target: str) -> None:
    cols = 140001 if target == "cpu" else 12345
    made = generated(graph, cols, target)
    assert len(made.tiles) == 1
    for rows in (1, 3, 37):
        check(made, program(graph, cols), rows, cols)


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
@pytest.mark.parametrize("graph", ["rms", "statistics too"])
def test_rows_of_a_length_that_a_call_tells(graph: str, target: str) -> None:
    dynamic = "{min: 1, max: 100000}"
    made = generated(graph, dynamic, target)
    assert len(made.tiles) == 1
    for rows, cols in ((1, 1), (5, 130), (20, 5003)):
        check(made, program(graph, dynamic), rows, cols)


def loops_of(made: Generated) -> list[tuple[str, int]]:
    """The loops of the only kernel: what they go over, and in steps of how many."""
    (kernel,) = made.tiles
    return [(loop.dim, loop.tile) for loop in walk_loops(kernel.body)]


def test_a_row_names_the_piece() -> None:
    """Three reductions of which one waits for another would be three loops; here `top` and `amin` share the first."""
    made = generated("statistics too", 3000, "a2a3", "fp32", "{rows: 4, cols: 700}")
    assert loops_of(made) == [("rows", 4), ("cols", 700), ("cols", 700)]
    check(made, program("statistics too", 3000, "fp32"), 9, 3000)


def test_rows_that_fit_stay_whole() -> None:
    assert [dim for dim, _ in loops_of(generated("rms", 4096, "a2a3"))] == ["rows"]


def test_rows_that_a_tile_can_just_have_are_whole_where_that_is_faster() -> None:
    """One read of 32 KB in place of two."""
    assert [dim for dim, _ in loops_of(generated("rms", 8192, "a2a3", "fp32"))] == ["rows"]
    assert [dim for dim, _ in loops_of(generated("rms", 32768, "a2a3", "fp32"))] == ["rows", "cols", "cols"]


def planned(of: Program, **tiles: int) -> tuple[KernelOps, reduction_loops.ReductionLoops]:
    ops = tuple(op for op in of.ops if op.kind not in ("reshape",))
    writes = tuple(name for name, _ in of.outputs)
    kernel = KernelOps(of.name, "vector", tuple(stage.name for stage in of.stages), ops, writes, of.span)
    sizes = {op.stage: {dim: TileSize(tile, tile, (), of.span) for dim, tile in tiles.items()} for op in ops}
    _, kernel, loops = reduction_loops.plan(of, kernel, sizes, Axes(of))
    return kernel, loops


def test_what_an_earlier_loop_made_is_made_again() -> None:
    of = program("statistics too", 3000)
    kernel, loops = planned(of, rows=4, cols=512)
    assert loops.dims == {"cols"}
    places = {op.result.name: loops.loop[op.result.name] for op in kernel.ops}
    assert (places["c"], places["f"], places["y"]) == (0, 0, 1)
    assert {places[name] for name in places if name.endswith("_again")} == {1}
    read = {op.result.name: [getattr(v, "name", "") for v in op.operands] for op in kernel.ops}
    assert read["c_again"][0] == "c_1_again", "it reads what its own loop made"
    assert read["c_1_again"][0] == "f_again"
    assert list(places.values()) == sorted(places.values())


def test_what_only_a_later_loop_reads_is_not_made_in_an_earlier_one() -> None:
    """The cast of the gain does not depend on the sum of squares, and belongs behind it."""
    kernel, loops = planned(program("rms", 3000), rows=4, cols=512)
    casts = [loops.loop[op.result.name] for op in kernel.ops if op.kind == "cast"]
    assert casts == [0, 1, 1], "x in both loops, the gain in the second"


def test_whole_rows_have_no_such_loops() -> None:
    assert planned(program("rms", 3000), rows=4)[1] == reduction_loops.WHOLE_ROWS
    assert planned(program("rms", 3000), rows=4, cols=3000)[1] == reduction_loops.WHOLE_ROWS


FUSED = """\
pyptogen: 1
operator: fused
dims: {t: {min: 1, max: 256}, c: {min: 1, max: 64}, n: 32}
inputs: {x: "fp32[c, t, n]"}
outputs: {y: "fp32[t, 1]"}
graph:
  before: {a: "sum(exp(x), axis=-1, keepdim=true)"}
  walk:
    loop: {over: c, tile: 1}
    carry: {acc: "full([t, 1], 0, dtype=fp32)"}
    body: {part: "a[c]"}
    next: {acc: "acc * 0.5 + part[0]"}
  out: {y: acc}
tiling: [{fuse: [[before, walk, out]]}]
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_loop_reads_what_another_loop_over_its_axis_makes_from_memory(tmp_path: Path, target: str) -> None:
    """Though a row fuses them: a tile of `a` is that of one iteration alone."""
    path = tmp_path / "fused.yaml"
    path.write_text(FUSED)
    fused = pyptogen.compile(path, target=target)
    x = np.random.default_rng(0).uniform(-1, 1, (5, 70, 32)).astype(np.float32)
    acc = np.zeros(70)
    for sums in np.exp(x.astype(np.float64)).sum(-1):
        acc = acc * 0.5 + sums
    np.testing.assert_allclose(fused(x=x).y[:, 0], acc, rtol=1e-5)


BY_WIDTH = {
    "swiglu": ('x: "fp32[rows, cols]", g: "fp32[rows, cols]"', "y: x * sigmoid(x) * g"),
    "softmax": ('x: "fp32[rows, cols]"', "y: softmax(x)"),
}


@pytest.mark.parametrize("name", BY_WIDTH)
def test_no_width_is_much_slower_than_others(name: str) -> None:
    """An element takes about as long in rows that just fit a memory, in those that do not, and in shorter ones."""
    inputs, graph = BY_WIDTH[name]
    taken: dict[int, float] = {}
    for cols in (8192, 11008, 14336, 18944, 20480):
        spec = (
            f"{{pyptogen: 1, operator: wide, dims: {{rows: {{min: 1, max: 4096}}, cols: {cols}}},"
            f' inputs: {{{inputs}}}, outputs: {{y: "fp32[rows, cols]"}}, graph: {{"y": "{graph[3:]}"}}}}'
        )
        of = from_spec(load_source(Source("wide.yaml", spec)))
        call = call_time(lowered(of, "a2a3"), {"rows": 2048})
        assert call is not None
        taken[cols] = call.micros / cols
    assert max(taken.values()) < 1.3 * min(taken.values()), taken


IN_PLACE = """\
pyptogen: 1
operator: in_place
dims: {rows: {min: 1, max: 4096}, cols: 9000}
inputs: {x: "fp32[rows, cols]", w: "fp32[cols]"}
outputs: {x: {inplace: true}, z: "fp32[rows, cols]", both: "fp32[rows, 2]"}
graph:
  n: x * 2 + w
  s: sum(n * n, axis=-1, keepdim=true)
  t: amax(x, axis=-1, keepdim=true)
  z: x / (s + 1) + t
  both: concat(s, t, axis=-1)
  x: n
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_what_a_later_loop_reads_again_is_not_overwritten_before(tmp_path: Path, target: str) -> None:
    path = tmp_path / "in_place.yaml"
    path.write_text(IN_PLACE)
    operator = pyptogen.compile(path, target=target)
    rng = np.random.default_rng(1)
    x, w = rng.uniform(-1, 1, (5, 9000)).astype(np.float32), rng.uniform(-1, 1, 9000).astype(np.float32)
    doubled = x.astype(np.float64) * 2 + w
    squares, top = (doubled * doubled).sum(-1, keepdims=True), x.max(-1, keepdims=True)
    expected = x / (squares + 1) + top
    found = operator(x=x, w=w)
    np.testing.assert_allclose(found.z, expected, rtol=1e-5)
    np.testing.assert_allclose(found.both, np.concatenate([squares, top], axis=1), rtol=1e-5)
    np.testing.assert_allclose(x, doubled, rtol=1e-5, atol=1e-6)
