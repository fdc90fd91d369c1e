"""Scans are cut like all other kernels, with the elementwise work that leads to them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from pyptogen.codegen import Generated, generate
from pyptogen.lower.passes import prepared
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tile.ir import walk, walk_loops
from pyptogen.lower.tile.kernels import scan_groups
from pyptogen.lower.tile.kernels.standalone import Standalone
from pyptogen.lower.tile.ops import Load, Store
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: scanned
dims: {{{dims}h: 3, n: 300, d: 4, e: 8}}
inputs: {{{inputs}}}
outputs: {{y: "{output}"}}
graph: {{y: "{graph}"}}
"""
FORMS = {
    "along rows": ('x: "fp32[b, n]"', "fp32[b, n]", "cumsum(x, axis=1)"),
    "over rows": ('x: "fp32[b, d, e]"', "fp32[b, d, e]", "cumsum(x, axis=0)"),
    "over some rows": ('x: "fp32[h, b, d, e]"', "fp32[h, b, d, e]", "cumprod(x, axis=1)"),
    "along a dim of a call": ('x: "int32[d, b]"', "int32[d, b]", "cumsum(x, axis=-1)"),
    "axes ahead": ('x: "int32[h, d, b]"', "int32[h, d, b]", "cumsum(x, axis=-1)"),
    "beside its view": ('x: "int32[b, e, e]"', "int32[b, e, e]", "cumsum(x, axis=1) + transpose(cumsum(x, axis=1))"),
    "one line": ('x: "fp32[b]"', "fp32[b]", "cumsum(x, axis=0)"),
    "a column": ('x: "fp32[b, 1]"', "fp32[b, 1]", "cumsum(x, axis=0)"),
    "single elements": ('x: "fp32[b, 1]"', "fp32[b, 1]", "cumprod(x, axis=1)"),
    "of work": ('x: "fp32[b, n]", w: "fp32[n]"', "fp32[b, n]", "cumsum(x * w + 1, axis=1)"),
    "of work over rows": ('x: "fp32[b, n]", w: "fp32[b, 1]"', "fp32[b, n]", "cumsum(x * w, axis=0)"),
    "work on both sides": ('x: "fp32[b, n]", w: "fp32[n]"', "fp32[b, n]", "cumsum(x * w, axis=1) * 2 - x"),
    "narrow": ('x: "fp16[b, n]"', "fp16[b, n]", "cumsum(x, axis=0)"),
    "of a scan": ('x: "int32[b, d, e]"', "int32[b, d, e]", "cumsum(cumsum(x, axis=0) + 1, axis=0)"),
    "along both axes": ('x: "int32[b, n]"', "int32[b, n]", "cumsum(cumsum(x, axis=0), axis=1)"),
    "of a view of one": ('x: "int32[b, n]"', "int32[n, b]", "cumsum(transpose(cumsum(x, axis=1)), axis=0)"),
    "of a cast": ('x: "fp16[b, n]"', "fp32[b, n]", "cumsum(cast(x, fp32), axis=1)"),
    "turned": ('x: "fp32[n, b]"', "fp32[b, n]", "cumsum(transpose(x), axis=1)"),
    "a slice": ('x: "fp32[b, d, 2 * e]"', "fp32[b, d, e]", "cumsum(x[:, :, e:], axis=1)"),
    "parts that lie apart": (
        'x: "fp32[h, d, b]"', "fp32[b, d * h]", "cumsum(reshape(permute(x, [2, 1, 0]), [b, d * h]), axis=1)",
    ),
}  # fmt: skip


def program(form: str) -> Program:
    inputs, output, graph = FORMS[form]
    dims = "b: {min: 1, max: 4096}, " if "b" in output else ""
    return from_spec(
        load_source(Source("scanned.yaml", SPEC.format(dims=dims, inputs=inputs, output=output, graph=graph)))
    )


@cache
def made(form: str, target: str) -> Generated:
    return generate(program(form), target)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("b", [1, 70, 530])
def test_results(form: str, target: str, b: int) -> None:
    of = program(form)
    rng = np.random.default_rng(b)
    sizes = {dim_symbol(dim.name): dim.value or b for dim in of.dims}
    given: dict[str, np.ndarray[Any, Any]] = {}
    for value in of.inputs:
        shape = [int(sympy.sympify(size).subs(sizes)) for size in value.shape]
        numbers = rng.choice([-1, 1], shape) if "cumprod" in FORMS[form][2] else rng.integers(-9, 10, shape)
        given[value.name] = numbers.astype({"int32": np.int32, "fp16": np.float16}.get(value.dtype, np.float32))
    expected = golden(of, given)["y"]
    for found in (run_tiles(made(form, target), given, level="tile"), run_instructions(made(form, target), given)):
        np.testing.assert_array_equal(found["y"], expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(
    "form", ["of work", "of work over rows", "of a cast", "work on both sides", "narrow", "of a scan"]
)
def test_work_around_a_scan_is_made_in_its_kernel(form: str, target: str) -> None:
    (kernel,) = made(form, target).tiles
    assert not [tensor for tensor in kernel.tensors if tensor.workspace]
    assert len([op for op in walk(kernel.body) if isinstance(op, Store)]) == 1


def test_axes_behind_the_scanned_one_are_columns_of_a_tile() -> None:
    (kernel,) = made("over rows", "a2a3").tiles
    assert {op.gm.cols.size for op in walk(kernel.body) if isinstance(op, Load)} == {32}


@pytest.mark.parametrize(("target", "lines"), [("cpu", 8), ("a2a3", 32)])
def test_as_many_lines_as_are_scanned_in_the_time_of_one(target: str, lines: int) -> None:
    (kernel,) = made("along rows", target).tiles
    assert {loop.tile for loop in walk_loops(kernel.body) if loop.parallel} == {lines}


GROUPS = """\
pyptogen: 1
operator: grouped
dims: {t: {min: 1, max: 4096}, n: 64}
inputs: {x: "fp32[t, n]", w: "fp32[t, n]", v: "fp32[n, n]"}
outputs: {OUTPUTS}
graph: {GRAPH}
"""


def group(outputs: str, graph: str, target: str = "a2a3", unfused: tuple[tuple[str, str], ...] = ()) -> set[str]:
    """The results that are made in the kernel around a scan."""
    text = GROUPS.replace("OUTPUTS", outputs).replace("GRAPH", graph)
    of = prepared(from_spec(load_source(Source("grouped.yaml", text))), target)
    platform = PLATFORMS[target]
    found = scan_groups.run(of, platform, Standalone(of, platform), {}, frozenset(unfused))
    assert len(set(found.values())) <= 1
    return set(found)


def test_what_others_read_too_stays_outside() -> None:
    graph = "e: x * w, y: 'cumsum(e, axis=1)', z: 'sum(e, axis=0)'"
    assert group("y: 'fp32[t, n]', z: 'fp32[n]'", graph) == set()
    assert group("y: 'fp32[t, n]'", "e: x * w, y: 'cumsum(e, axis=1)'") == {"e", "y"}


def test_what_follows_may_be_read_by_others() -> None:
    graph = "s: 'cumsum(x, axis=1)', y: s * w, z: 'sum(y, axis=0)'"
    assert group("y: 'fp32[t, n]', z: 'fp32[n]'", graph) == {"s", "y"}


def test_what_another_kernel_makes_of_a_scan_does_not_come_back() -> None:
    graph = "s: 'cumsum(x, axis=1)', m: 'sum(s, axis=0, keepdim=true)', a: s * 2, y: a * m"
    assert group("y: 'fp32[t, n]'", graph) == {"s", "a"}


def test_a_value_in_place_of_another_gains_nothing() -> None:
    """The product goes through GM then, which with the work behind it is one kernel too."""
    assert group("y: 'fp32[t, n]'", "e: 'matmul(x, v) * w', y: 'cumsum(e, axis=1)'", "cpu") == set()
    assert group("y: 'fp32[t, n]'", "'o, i': sort(x), e: o * w, y: 'cumsum(e, axis=1)'", "cpu") == {"e", "y"}


def test_slow_work_stays_on_all_threads_of_a_processor() -> None:
    graph = "y: 'cumsum(exp(x) / exp(w), axis=1)'"
    assert group("y: 'fp32[t, n]'", graph, "cpu") == set()
    assert "y" in group("y: 'fp32[t, n]'", graph, "a2a3")


def test_what_must_not_be_in_one_kernel_is_not() -> None:
    graph = "e: x * w, y: 'cumsum(e, axis=1)'"
    assert group("y: 'fp32[t, n]'", graph, unfused=(("y", "e"),)) == set()
    assert group("y: 'fp32[t, n]'", graph, unfused=(("y", "y"),)) == set()
