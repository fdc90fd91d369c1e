"""A long axis that gives few results is reduced in parts on all cores: every element once, whatever the length."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyptogen.codegen import Generated, generate
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk_loops
from pyptogen.schema import Source, load_source
from pyptogen.simulate.device.cases import call_time
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_tiles

WHOLE, PIECE, STEPS, CORES = 6144, 1536, 64, 48
"""Elements of fp32 of a lone row and of one of several, and steps along another axis, in one piece; vector cores of
A2/A3."""
LONG = 16
"""The least pieces of an axis that is split."""

SPEC = """\
pyptogen: 1
operator: long_sums
dims:
  b: {b}
  n: {n}
  d: {d}
inputs:
  x: {dtype}[{shape}]
outputs:
  y: {dtype}[{result}]
graph:
  y: {graph}
"""
FORMS: dict[str, dict[str, Any]] = {
    "all of a vector": {"shape": "n", "result": "1", "graph": "sum(x, axis=0, keepdim=true)"},
    "some rows": {"shape": "b, n", "result": "b", "graph": "amax(x)"},
    "columns": {"shape": "n, d", "result": "d", "graph": "sum(x, axis=0)"},
    "columns of several": {"shape": "b, n, d", "result": "b, d", "graph": "amin(x, axis=1)"},
    "whole numbers": {"shape": "n, d", "result": "d", "graph": "sum(x, axis=0)", "dtype": "int32"},
    "products": {"shape": "n", "result": "1", "graph": "prod(x, axis=0, keepdim=true)", "dtype": "int32"},
    "work behind it": {"shape": "n", "result": "n", "graph": "x / sqrt(sum(x * x, axis=0, keepdim=true))"},
}
REDUCED = {
    "all of a vector": 0,
    "some rows": 1,
    "columns": 0,
    "columns of several": 1,
    "whole numbers": 0,
    "products": 0,
}
NUMPY = {"sum": np.sum, "amax": np.max, "amin": np.min, "prod": np.prod}


def text(
    shape: str,
    result: str,
    graph: str,
    dtype: str = "fp32",
    b: Any = 3,
    n: Any = "{min: 1, max: 1000000}",
    d: Any = 100,
) -> str:
    return SPEC.format(shape=shape, result=result, graph=graph, dtype=dtype, b=b, n=n, d=d)


@cache
def lowered(form: str, target: str = "a2a3", **dims: Any) -> Generated:
    return generate(from_spec(load_source(Source("long_sums.yaml", text(**FORMS[form], **dims)))), target)


def parts_of(form: str, target: str = "a2a3", **dims: Any) -> list[int]:
    """The parts that the reductions of a form get."""
    kernels = lowered(form, target, **dims).tiles
    return sorted({loop.every for kernel in kernels for loop in walk_loops(kernel.body)} - {1})


def check(form: str, n: int, target: str = "a2a3", blocks: int = 5) -> None:
    """At the Tile and the Instruction level, against NumPy."""
    whole = FORMS[form].get("dtype") == "int32"
    shape = [{"b": 3, "n": n, "d": 100}[name] for name in FORMS[form]["shape"].split(", ")]
    rng = np.random.default_rng(n)
    x = rng.integers(-3, 4, shape, dtype=np.int32) if whole else rng.uniform(-1, 1, shape).astype(np.float32)
    if form == "products":
        x = np.where(rng.random(shape) < 20 / n, x, 1).astype(np.int32)
    wide = x.astype(np.int64 if whole else np.float64)
    if form == "work behind it":
        expected = wide / np.sqrt((wide * wide).sum())
    else:
        function = NUMPY[FORMS[form]["graph"].split("(")[0]]
        expected = function(wide, axis=REDUCED[form]).reshape([-1] if len(shape) < 3 else [3, 100])
    program = lowered(form, target)
    for found in (run_tiles(program, {"x": x}, level="tile"), run_instructions(program, {"x": x}, blocks=blocks)):
        if whole:
            np.testing.assert_array_equal(found["y"], expected.astype(np.int32))
        else:
            np.testing.assert_allclose(found["y"], expected, rtol=1e-5, atol=1e-6 * np.sqrt(n))


def test_with_the_tiles_of_results_there_are_as_many_parts_as_cores() -> None:
    assert parts_of("all of a vector") == [CORES]
    assert parts_of("some rows") == [CORES]
    assert parts_of("columns") == [CORES // 2], "two tiles of columns"
    assert parts_of("columns of several") == [CORES // 6]
    assert parts_of("all of a vector", "a5") == [PLATFORMS["a5"].vector_cores]


@pytest.mark.parametrize(
    ("form", "dims"),
    [
        ("all of a vector", {"n": WHOLE * (LONG - 1)}),
        ("columns", {"n": STEPS * (LONG - 1)}),
        ("columns", {"d": 4096}),
        ("some rows", {"b": "{min: 1, max: 4096}"}),
    ],
)
def test_a_short_axis_and_one_of_many_results_stay_whole(form: str, dims: dict[str, Any]) -> None:
    assert parts_of(form, **dims) == []


def test_the_longest_call_decides() -> None:
    assert parts_of("all of a vector", n=f"{{min: 1, max: {(LONG - 1) * WHOLE + 1}}}") == [CORES]
    assert parts_of("all of a vector", n=f"{{min: 1, max: {(LONG - 1) * WHOLE}}}") == []


def test_where_cube_and_vector_cores_are_one_nothing_is_split() -> None:
    assert parts_of("all of a vector", "cpu") == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 63, 65, PIECE - 1, PIECE + 1, WHOLE + 1, 2 * STEPS * CORES + 65])
def test_every_element_counts_once(form: str, n: int) -> None:
    check(form, n)


@pytest.mark.parametrize("form", ["all of a vector", "some rows", "work behind it"])
@pytest.mark.parametrize("n", [PIECE * CORES - 1, PIECE * CORES + 1, WHOLE * CORES, 3 * WHOLE * CORES - 7])
def test_parts_of_several_pieces(form: str, n: int) -> None:
    check(form, n)


@given(st.integers(1, 20000), st.sampled_from(["columns", "columns of several"]), st.sampled_from(["a2a3", "a5"]))
@settings(max_examples=12, deadline=None)
@example(STEPS * CORES // 2 * 3, "columns", "a2a3")
def test_any_length(n: int, form: str, target: str) -> None:
    check(form, n, target)


def test_results_do_not_depend_on_the_number_of_blocks() -> None:
    """Bit by bit: sums of fp32 tell in which order they were added."""
    x = np.random.default_rng(1).uniform(-1, 1, 300001).astype(np.float32)
    found = {
        run_instructions(lowered("all of a vector"), {"x": x}, blocks=blocks)["y"].tobytes() for blocks in (1, 7, 48)
    }
    assert len(found) == 1


def test_a_long_call_takes_a_fraction_of_the_time() -> None:
    """By the model, a sixth at most of what as many elements take in axes that are just too short for parts."""
    long = call_time(lowered("all of a vector").lowered, {"n": 10 * WHOLE * (LONG - 1)})
    short = call_time(lowered("all of a vector", n=WHOLE * (LONG - 1)).lowered, {})
    assert long is not None
    assert short is not None
    assert long.micros < 10 * short.micros / 6
