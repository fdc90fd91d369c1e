"""Operations that move elements are cut like all others: an identity over views, whose axes are merged."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from pyptogen.codegen import Generated, generate
from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tile.ir import Loop, TileKernel, walk, walk_loops
from pyptogen.lower.tile.ops import Binary, Broadcast, GatherFromTile, GatherRows, Load, Store, Transpose, Unary
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: moved
dims: {{{dims}h: 3, n: 5, d: 4, e: 8, long: 5000, many: 300}}
inputs: {{{inputs}}}
outputs: {{y: "{output}"}}
graph: {{y: "{graph}"}}
{more}
"""
FORMS = {
    "outer axes": ('x: "fp32[b, h, d, e]"', "fp32[h, b, d, e]", "permute(x, [1, 0, 2, 3])"),
    "to the front": ('x: "fp32[b, h, e]"', "fp32[e, b, h]", "permute(x, [2, 0, 1])"),
    "behind others": (
        'x: "fp32[b, d, h, e]"',
        "fp32[b, d, e, h]",
        "permute(x - amax(x, axis=3, keepdim=true), [0, 1, 3, 2])",
    ),
    "to the front of others": (
        'x: "fp32[b, d, e]"',
        "fp32[e, b, d]",
        "permute(x - amax(x, axis=2, keepdim=true), [2, 0, 1])",
    ),
    "to the end": ('x: "bf16[d, e, b]"', "bf16[b, d, e]", "permute(x, [2, 0, 1])"),
    "in reverse": ('x: "fp32[b, n, d, e]"', "fp32[e, d, n, b]", "permute(x, [3, 2, 1, 0])"),
    "every second": ('x: "fp32[b, 2 * e]"', "fp32[b, e]", "x[:, ::2]"),
    "every third": ('x: "int32[b, 3 * e]"', "int32[b, e]", "x[:, ::3]"),
    "a column": ('x: "fp32[b, e]"', "fp32[b]", "x[:, 3]"),
    "rows again": ('x: "fp32[1, long]"', "fp32[many, long]", "expand_clone(x, [many, long])"),
    "columns again": ('x: "fp16[b, 1]"', "fp16[b, long]", "expand_clone(x, [b, long])"),
    "a middle axis again": ('x: "int32[b, 1, e]"', "int32[b, n, e]", "expand_clone(x, [b, n, e])"),
    "one element again": ('x: "fp32[1, 1]"', "fp32[n, long]", "expand_clone(x, [n, long])"),
    "in its order": ('x: "int32[b, h, 1]"', "int32[b, h]", "reshape(x, [b, h])"),
    "beside each other": ('x: "fp32[b, h]", z: "fp32[b, long]"', "fp32[b, h + long + h]", "concat(x, z, x, axis=1)"),
    "below each other": ('x: "fp32[h, b]", z: "fp32[n, b]"', "fp32[h + n, b]", "concat(x, z, axis=0)"),
    "in turns": (
        'x: "fp32[b, 512]", z: "fp32[b, 512]"',
        "fp32[b, 512, 2]",
        "concat(x[:, :, None], z[:, :, None], axis=2)",
    ),
    "in turns of any length": ('x: "bf16[b]", z: "bf16[b]"', "bf16[b, 2]", "concat(x[:, None], z[:, None], axis=1)"),
    "work ahead": ('x: "bf16[b, h, e]", z: "fp32[e]"', "fp32[b, e, h]", "permute(cast(x, fp32) * z - h, [0, 2, 1])"),
    "work ahead of views": ('x: "fp32[b, long]", z: "fp32[b, 1]"', "fp32[long, b]", "transpose(relu(x) * z)"),
    "work ahead of a part": ('x: "fp32[b, 2 * e]"', "fp32[e, b]", "transpose((x * x)[:, e:])"),
    "counted": ('x: "int32[b]"', "int32[b]", "x + arange(b)"),
    "rows by an index": ('x: "fp32[n, d, e]", i: "int32[b]"', "fp32[b, d, e]", "index_select(x, 0, i)"),
    "columns by an index": ('x: "bf16[h, n]", i: "int32[b]"', "bf16[h, b]", "index_select(x, 1, i)"),
    "an inner axis by an index": (
        'x: "int8[b, n, e]", i: "int32[40]"',
        "int8[b, 40, e]",
        "index_select(x, 1, i)",
    ),
    "rows of another order by an index": (
        'x: "fp32[e, n]", i: "int64[b]"',
        "fp32[b, e]",
        "index_select(transpose(x), 0, i)",
    ),
    "numbers by an index": ('x: "int32[n]", i: "int32[b]"', "int32[b]", "index_select(x, 0, maximum(i, 1))"),
    "numbers by a column": (
        'x: "int32[n]", i: "int32[b, 2]"',
        "int32[b]",
        "index_select(x, 0, reshape(i[:, 1:], [b]))",
    ),
    "one number": ('x: "fp32[1, 1]"', "fp32[1]", "reshape(x, [1])"),
}


def program(form: str, more: str = "") -> Program:
    inputs, output, graph = FORMS[form]
    dims = "b: {min: 1, max: 4096}, " if any(end in inputs for end in ("[b", "b,", "b]")) else ""
    text = SPEC.format(dims=dims, inputs=inputs, output=output, graph=graph, more=more)
    return from_spec(load_source(Source("moved.yaml", text)))


@cache
def made(form: str, target: str, more: str = "") -> Generated:
    return generate(program(form, more), target)


def kernel(form: str, target: str, more: str = "") -> TileKernel:
    return made(form, target, more).tiles[0]


def windows(form: str, target: str) -> list[tuple[str, int, int]]:
    """What is loaded and stored: from or to where, of how many rows and columns."""
    ops = (op for op in walk(kernel(form, target).body) if isinstance(op, Load | Store))
    return [(op.gm.tensor, op.gm.rows.size, op.gm.cols.size) for op in ops]


def given(of: Program, b: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(b)
    sizes = {dim_symbol(dim.name): dim.value or b for dim in of.dims}
    shapes = {v.name: (v, [int(sympy.sympify(size).subs(sizes)) for size in v.shape]) for v in of.inputs}
    found: dict[str, np.ndarray[Any, Any]] = {}
    for name, (value, shape) in shapes.items():
        numbers = rng.integers(0, 3, shape) if name == "i" else rng.integers(-9, 10, shape)
        found[name] = numbers.astype(NUMPY_DTYPES[value.dtype])
    return found


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("b", [1, 70])
def test_results(form: str, target: str, b: int) -> None:
    of = program(form)
    arrays = given(of, b)
    expected = golden(of, arrays)["y"]
    for found in (run_tiles(made(form, target), arrays, level="tile"), run_instructions(made(form, target), arrays)):
        np.testing.assert_array_equal(found["y"], expected)


def test_axes_that_lie_one_after_the_other_are_one() -> None:
    """Of [b, h, d, e] into [h, b, d, e] the last two are the columns of a tile, and b its rows."""
    assert {loop.dim for loop in walk_loops(kernel("outer axes", "a2a3").body)} <= {"b", "h"}
    assert windows("in its order", "cpu") == [("x", 1, 8192 // 2), ("y", 1, 8192 // 2)]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_what_is_transposed_is_transposed_on_chip(target: str) -> None:
    """Rows of the operand are loaded, and rows of the result stored."""
    for form in ("to the front", "to the end", "in reverse"):
        ops = list(walk(kernel(form, target).body))
        assert sum(isinstance(op, Transpose) for op in ops) == 1
        transfers = [op for op in ops if isinstance(op, Load | Store)]
        assert all(op.gm.col_stride.constant == 1 for op in transfers), form


def test_what_is_repeated_is_loaded_once() -> None:
    """A row stands ahead of the loop over the rows that it fills, and a column is spread on chip."""
    (loop,) = (loop for loop in walk_loops(kernel("rows again", "a2a3").body) if loop.dim == "many")
    assert not any(isinstance(op, Load) for op in walk(loop.body))
    (load,) = (op for op in walk(kernel("columns again", "a2a3").body) if isinstance(op, Load))
    assert load.gm.cols.size == 1
    assert any(isinstance(op, Broadcast) for op in walk(kernel("columns again", "cpu").body))


def test_parts_that_are_single_columns_share_their_loops() -> None:
    found = kernel("in turns", "a2a3").body
    assert sum(isinstance(node, Loop) for node in found) == 1
    assert sum(isinstance(op, GatherFromTile) for op in walk(found)) == 1
    assert ("y", 1, 1024) in windows("in turns", "a2a3")
    assert {rows for _, rows, cols in windows("in turns of any length", "a2a3") if cols == 1} != {1}
    beside = [node for node in kernel("beside each other", "a2a3").body if isinstance(node, Loop)]
    assert len(beside) == 3


def test_an_axis_that_an_index_names_stays_apart() -> None:
    """Its steps are those of the index; axes of the runs that it names are one, the columns of a tile."""
    assert windows("rows by an index", "a2a3") == [("y", 8, 32)]
    (load,) = (op for op in walk(kernel("rows by an index", "a2a3").body) if isinstance(op, GatherRows))
    assert (load.gm.row_stride.constant, load.index_step.constant) == (32, 1)
    assert windows("rows by an index", "cpu") == [("x", 1, 32), ("y", 1, 32)]
    (load,) = (op for op in walk(made("numbers by an index", "a2a3").tiles[-1].body) if isinstance(op, GatherRows))
    assert (load.gm.rows.size, load.gm.cols.size) == (8, 1)
    (load,) = (op for op in walk(made("numbers by a column", "cpu").tiles[-1].body) if isinstance(op, Load))
    assert load.gm.col_stride.constant == 1
    more = "tiling: [{b: {unroll: [64, 32, 1]}}]"
    # another launch may make what is read
    assert made("numbers by an index", "a2a3", more).tiles[-1].launch_dim is None


def test_a_launch_has_its_part_of_what_the_launch_dim_leads() -> None:
    """The loop goes over b * d, from where a launch begins to where it ends."""
    more = "tiling: [{b: {unroll: [64, 32, 1]}}]"
    found = made("behind others", "a2a3", more).tiles[-1]
    (loop,) = (loop for loop in walk_loops(found.body) if "b_begin" in loop.start.names())
    assert (loop.start, loop.stop) == (Poly.of("b_begin") * 4, Poly.of("b_end") * 4)
    assert found.launch_dim == "b"
    assert made("to the front of others", "a2a3", more).tiles[-1].launch_dim is None


def test_work_ahead_is_made_in_the_order_of_the_result() -> None:
    """Where cube and vector cores are separate: a processor is faster with lines."""
    for form in ("work ahead", "work ahead of views"):
        (one,) = made(form, "a2a3").tiles
        assert next(type(op) for op in walk(one.body) if isinstance(op, Transpose | Binary)) is Transpose
        assert len(made(form, "cpu").tiles) == 2


def test_work_that_others_read_or_of_which_a_part_is_moved_is_a_kernel_of_its_own() -> None:
    assert len(made("work ahead of a part", "a2a3").tiles) == 2
    text = SPEC.format(
        dims="b: {min: 1, max: 64}, ", inputs='x: "fp32[b, e]"', output="fp32[e, b]", graph="transpose(w)", more=""
    )
    text = text.replace("outputs: {", 'outputs: {w: "fp32[b, e]", ').replace("graph: {", 'graph: {w: "relu(x)", ')
    both = from_spec(load_source(Source("moved.yaml", text)))
    assert len(generate(both, "a2a3").tiles) == 2
    view = text.replace('w: "fp32[b, e]", ', 'z: "fp32[e]", ').replace("transpose(w)", "v")
    view = view.replace('w: "relu(x)", ', 'v: "transpose(relu(x))", z: "sum(v, axis=1)", ')
    shown = from_spec(load_source(Source("moved.yaml", view)))
    found, arrays = generate(shown, "a2a3"), given(shown, 7)
    assert sum(isinstance(op, Unary) for kernel in found.tiles for op in walk(kernel.body)) == 1
    for name, array in golden(shown, arrays).items():
        np.testing.assert_array_equal(run_instructions(found, arrays)[name], array)


IN_PLACE = """\
pyptogen: 1
operator: moved
dims: {h: 128}
inputs: {x: "fp32[h, h]"}
outputs: {y: {inplace: x}}
graph: {y: "transpose(relu(x))"}
"""


def test_what_is_overwritten_is_read_before() -> None:
    """A block would write elements that another one has yet to read."""
    of = from_spec(load_source(Source("moved.yaml", IN_PLACE)))
    found = generate(of, "a2a3")
    assert len(found.tiles) == 2
    x = np.arange(-8192, 8192, dtype=np.float32).reshape(128, 128)
    np.testing.assert_array_equal(run_instructions(found, {"x": x.copy()})["y"], golden(of, {"x": x.copy()})["y"])
