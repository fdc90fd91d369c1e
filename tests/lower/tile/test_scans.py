"""Scans are cut like all other kernels, with the elementwise work that leads to them."""

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
    "one line": ('x: "fp32[b]"', "fp32[b]", "cumsum(x, axis=0)"),
    "a column": ('x: "fp32[b, 1]"', "fp32[b, 1]", "cumsum(x, axis=0)"),
    "single elements": ('x: "fp32[b, 1]"', "fp32[b, 1]", "cumprod(x, axis=1)"),
    "of work": ('x: "fp32[b, n]", w: "fp32[n]"', "fp32[b, n]", "cumsum(x * w + 1, axis=1)"),
    "of work over rows": ('x: "fp32[b, n]", w: "fp32[b, 1]"', "fp32[b, n]", "cumsum(x * w, axis=0)"),
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
@pytest.mark.parametrize("form", ["of work", "of work over rows", "of a cast"])
def test_work_that_leads_to_a_scan_is_made_in_its_kernel(form: str, target: str) -> None:
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
