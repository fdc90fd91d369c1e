"""Reductions that are kernels by themselves are cut like all others; axes that lie one after the other are merged."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tile.ir import walk, walk_loops
from pyptogen.lower.tile.ops import Load
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: reduced
dims: {{{dims}h: 3, n: 5, d: 4, e: 8, long: 50000}}
inputs: {{{inputs}}}
outputs: {{y: "{output}"}}
graph: {{y: "{graph}"}}
tiling: [{tiling}]
"""
FORMS = {
    "axes on both sides": ('x: "fp32[b, h, n, d, e]"', "fp32[b, h, d, e]", "sum(x, axis=2)"),
    "a value without some": ('x: "fp32[b, n, d, e]", w: "fp32[n, 1, e]"', "fp32[b, d, e]", "amax(x * w, axis=1)"),
    "a slice": ('x: "fp32[b, n, d, 2 * e]"', "fp32[b, d, e]", "sum(x[:, :, :, e:], axis=1)"),
    "turned": ('x: "fp32[b, n, d, e]"', "fp32[b, e, d]", "amax(transpose(x), axis=1)"),
    "a product of dims": ('x: "fp32[h, long * e]"', "fp32[h]", "amin(x)"),
    "single elements": ('x: "fp32[b, n, 1, 1]"', "fp32[b, 1, 1]", "prod(x, axis=1)"),
    "places in rows": ('x: "fp32[h, long]"', "int32[h]", "argmax(x)"),
    "places in columns": ('x: "fp32[b, d, e]"', "int32[d, e]", "argmin(x, axis=0)"),
}


def program(form: str, tiling: str = "{}") -> Program:
    inputs, output, graph = FORMS[form]
    dims = "b: {min: 1, max: 4096}, " if "b," in inputs else ""
    text = SPEC.format(dims=dims, inputs=inputs, output=output, graph=graph, tiling=tiling)
    return from_spec(load_source(Source("reduced.yaml", text)))


@cache
def made(form: str, target: str, tiling: str = "{}") -> Generated:
    return generate(program(form, tiling), target)


def loops(form: str, target: str = "a2a3", tiling: str = "{}") -> set[tuple[str, int]]:
    """What the loops of the first kernel go over, and in steps of how many."""
    return {(loop.dim, loop.tile) for loop in walk_loops(made(form, target, tiling).tiles[0].body)}


def widths(form: str, target: str) -> set[tuple[int, int]]:
    """The rows and columns that the first kernel loads."""
    kernel = made(form, target).tiles[0]
    return {(op.gm.rows.size, op.gm.cols.size) for op in walk(kernel.body) if isinstance(op, Load)}


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("b", [1, 70])
def test_results(form: str, target: str, b: int) -> None:
    of = program(form)
    rng = np.random.default_rng(b)
    sizes = {dim_symbol(dim.name): dim.value or b for dim in of.dims}
    shapes = {value.name: [int(sympy.sympify(size).subs(sizes)) for size in value.shape] for value in of.inputs}
    given: dict[str, np.ndarray[Any, Any]] = {
        name: rng.integers(-9, 10, shape).astype(np.float32) for name, shape in shapes.items()
    }
    expected = golden(of, given)["y"]
    for found in (run_tiles(made(form, target), given, level="tile"), run_instructions(made(form, target), given)):
        np.testing.assert_array_equal(found["y"], expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_axes_ahead_and_behind_are_one_each(target: str) -> None:
    assert {dim for dim, _ in loops("axes on both sides", target)} == {"y_1_rows"}
    assert widths("axes on both sides", target) == {(5, 32)}


def test_what_has_one_of_the_axes_keeps_them_apart() -> None:
    assert widths("a value without some", "a2a3") == {(5, 8)}


def test_rows_with_gaps_stay_apart() -> None:
    """Those of a slice lie 16 elements apart, of which a tile has 8."""
    assert widths("a slice", "a2a3") == {(5, 8)}


def test_the_parts_of_a_product_of_dims_are_tiles_of_all_of_it() -> None:
    assert {dim for dim, _ in loops("a product of dims")} == {"y_1_part", "y_1_parts_depth"}


def test_no_row_is_about_them() -> None:
    for form in ("places in columns", "axes on both sides"):
        assert loops(form, tiling="{b: 1, d: 2}") == loops(form)


def test_a_later_place_wins_only_with_a_better_element() -> None:
    x = np.zeros((3, 50000), np.float32)
    x[1, [20000, 49999]] = 1
    x[2, 7:] = -1
    for target in ("cpu", "a2a3"):
        found = run_instructions(made("places in rows", target), {"x": x})["y"]
        np.testing.assert_array_equal(found, [0, 20000, 0])
