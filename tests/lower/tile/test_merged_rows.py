"""Leading axes that all values of a kernel have together are the rows of one tile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import walk_loops
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: together
dims: {{t: {{min: 1, max: 4096}}, heads: 4, k: {k}, e: 64}}
inputs: {{x: "fp32[t, k, e]", s: "fp32[t, k, 1]", r: "fp32[t, 1, e]", c: "fp32[e]"}}
outputs: {{y: "{y}"}}
graph: {{y: "{graph}"}}
tiling: [{tiling}]
"""
ALIKE = "x * s + c"


def program(graph: str, y: str = "fp32[t, k, e]", k: int = 8, tiling: str = "{}") -> Program:
    return program_of(SPEC.format(graph=graph, y=y, k=k, tiling=tiling))


def tiles(made: Generated) -> tuple[int, int]:
    """Of the one kernel, the step of the loop over t, and the rows of its largest tile."""
    (kernel,) = made.lowered.tiles
    (loop,) = [loop for loop in walk_loops(kernel.body) if loop.dim == "t"]
    return loop.tile, max(tile.rows.size for tile in kernel.tiles)


def arrays(of: Program, t: int) -> dict[str, np.ndarray[Any, Any]]:
    """Inputs of the operator; its dims are t, and numbers."""
    rng = np.random.default_rng(t)
    sizes = {dim.name: t if dim.value is None else dim.value for dim in of.dims}

    def size(extent: Any) -> int:
        return int(extent.subs({symbol: sizes[symbol.name] for symbol in extent.free_symbols}))

    return {
        value.name: rng.uniform(-2, 2, [size(extent) for extent in value.shape]).astype(np.float32)
        for value in of.inputs
    }


@pytest.mark.parametrize(
    ("graph", "y"),
    [
        (ALIKE, "fp32[t, k, e]"),
        ("x / sum(x * x, axis=-1, keepdim=true)", "fp32[t, k, e]"),
        ("amax(x + s, axis=-1, keepdim=true)", "fp32[t, k, 1]"),
        ("x * r", "fp32[t, k, e]"),
        ("sum(x * s, axis=1)", "fp32[t, e]"),
    ],
)
@pytest.mark.parametrize("target", ["a2a3", "a5", "cpu"])
def test_results_are_the_same(graph: str, y: str, target: str) -> None:
    """With whole tiles and a part of one, whether rows are merged or not."""
    of = program(graph, y)
    made = generate(of, target)
    for t in (1, 37, 130):
        given = arrays(of, t)
        expected = golden(of, given)
        for found in (run_tiles(made, given, level="tile"), run_instructions(made, given, blocks=3)):
            np.testing.assert_allclose(found["y"], expected["y"], rtol=2e-5, atol=2e-6)


def test_a_tile_has_the_rows_of_several_elements() -> None:
    t, most = tiles(generate(program(ALIKE), "a2a3"))
    assert t > 1
    assert most == 8 * t


@pytest.mark.parametrize(
    ("graph", "y", "k"),
    [
        pytest.param("x * s * r", "fp32[t, k, e]", 8, id="a value has one of the axes alone"),
        pytest.param("x * s + c", "fp32[t, k, e]", 64, id="one element has as many rows as a tile"),
    ],
)
def test_axes_stay_apart(graph: str, y: str, k: int) -> None:
    assert tiles(generate(program(graph, y, k), "a2a3")) == (1, k)


def test_a_tile_that_the_author_names_is_one_of_rows() -> None:
    """As it was before: of `t: 16`, one k at a time."""
    assert tiles(generate(program(ALIKE, tiling="{t: 16}"), "a2a3")) == (16, 16)


def test_axes_that_lie_apart_in_memory_are_no_run() -> None:
    """Heads of one tensor between those of others: each t is a tile."""
    spec = """\
pyptogen: 1
operator: apart
dims: {t: {min: 1, max: 4096}, all: 12, k: 8, e: 64}
inputs: {x: "fp32[t, all, e]"}
outputs: {y: "fp32[t, k, e]"}
graph: {y: "x[:, 2:10] * 2"}
"""
    of = program_of(spec)
    made = generate(of, "a2a3")
    x = np.random.default_rng(3).uniform(-1, 1, (37, 12, 64)).astype(np.float32)
    np.testing.assert_array_equal(run_tiles(made, {"x": x}, level="tile")["y"], x[:, 2:10] * 2)
    np.testing.assert_array_equal(run_instructions(made, {"x": x}, blocks=3)["y"], x[:, 2:10] * 2)
