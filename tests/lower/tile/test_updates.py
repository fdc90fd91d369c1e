"""Scatters are a copy and a move into a view whose axis an index names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import Loop, walk_loops
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: updated
dims: {{b: {{min: 1, max: 64}}, one: {{min: 1, max: 1}}, h: 3, n: 40, long: 9000}}
inputs: {{x: "{x}", i: "{i}", s: "{s}"}}
outputs: {{{output}}}
graph: {{y: "{graph}"}}
"""
OUT = 'y: "{x}"'
FORMS = {
    "rows": ("fp32[n, 8]", "int32[b]", "fp32[b, 8]", OUT, "index_add(x, 0, i, s)"),
    "rows of planes": ("fp16[h, n, 8]", "int64[b]", "fp16[h, b, 8]", OUT, "index_add(x, 1, i, s)"),
    "columns": ("int32[h, n]", "int32[b]", "int32[h, b]", OUT, "index_add(x, 1, i, s)"),
    "one row": ("fp32[n, 8]", "int32[1]", "fp32[1, 8]", OUT, "index_add(x, 0, i, s)"),
    "one column of one": ("fp32[h, 1]", "int32[1]", "fp32[h, 1]", OUT, "index_add(x, 1, minimum(i, 0), s)"),
    "a run-time axis of one": ("fp32[one, n, 8]", "int32[b]", "fp32[one, b, 8]", OUT, "index_add(x, 1, i, s)"),
    "elements of long rows": ("int16[n, long]", "int32[h, 8]", "int16[h, 8]", OUT, "scatter(x, 0, i, s)"),
    "elements of a part": ("fp32[n, 8]", "int32[b, h]", "fp32[b, h]", OUT, "scatter(x, 0, i, s, reduce=add)"),
    "elements of columns": ("bf16[h, n]", "int32[h, b]", "bf16[h, b]", OUT, "scatter(x, 1, i, s)"),
    "one element": ("fp32[n]", "int32[1]", "fp32[1]", OUT, "scatter(x, 0, i, s)"),
    "in place": ("fp32[n, 8]", "int32[b]", "fp32[b, 8]", "y: {{inplace: x}}", "index_add(x, 0, i, s)"),
}


def program(form: str) -> Program:
    x, i, s, output, graph = FORMS[form]
    spec = SPEC.format(x=x, i=i, s=s, output=output.format(x=x), graph=graph)
    used = {"b": "[b" in i or "b]" in i, "one": "one" in x}
    kept = [f"{name}: {{min: 1, max: {most}}}, " for name, most in (("b", 64), ("one", 1)) if used[name]]
    return program_of(spec.replace("b: {min: 1, max: 64}, one: {min: 1, max: 1}, ", "".join(kept)))


def made(form: str, target: str) -> Generated:
    return generate(program(form), target)


def given(of: Program, b: int) -> dict[str, np.ndarray[Any, Any]]:
    rng, found = np.random.default_rng(b), dict[str, np.ndarray[Any, Any]]()
    sizes = {"b": b, "one": 1, "h": 3, "n": 40, "long": 9000}
    for value in of.inputs:
        shape = [sizes.get(str(size)) or int(str(size)) for size in value.shape]
        numbers = rng.integers(0, min(b, 40), shape) if value.name == "i" else rng.integers(-9, 10, shape)
        found[value.name] = numbers.astype(NUMPY_DTYPES[value.dtype])
    return found


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("form", FORMS)
def test_results(form: str, target: str) -> None:
    """Indices that repeat, and several blocks."""
    of, found = program(form), made(form, target)
    for b in (1, 20):
        arrays = given(of, b)

        def copies(arrays: dict[str, np.ndarray[Any, Any]] = arrays) -> dict[str, np.ndarray[Any, Any]]:
            return {name: array.copy() for name, array in arrays.items()}

        expected = golden(of, copies())["y"]
        for blocks in (1, 3):
            np.testing.assert_array_equal(run_tiles(found, copies(), level="tile", blocks=blocks)["y"], expected)
            np.testing.assert_array_equal(run_instructions(found, copies(), blocks=blocks)["y"], expected)


def loops(form: str, target: str) -> list[Loop]:
    return [loop for kernel in made(form, target).tiles for loop in walk_loops(kernel.body)]


def test_blocks_own_what_they_copied() -> None:
    """The copy is distributed along the axis that is updated, in tiles of 512 bytes, and the update goes by these."""
    found = loops("rows", "a2a3")
    (copied,), (updated,) = ([x for x in found if x.parallel], [x for x in found if x.only is not None])
    assert (copied.dim, copied.tile) == ("n", 16)
    assert updated.dim == "b"
    assert updated.only is not None
    assert updated.only.owner is not None
    assert updated.only.owner.tile == 16
    assert [x.dim for x in loops("elements of long rows", "a2a3") if x.parallel] == ["n"]


def test_one_block_does_it_all_where_none_owns_a_run() -> None:
    for form, target in (("columns", "a2a3"), ("rows", "cpu")):
        assert not any(loop.parallel or loop.only is not None for loop in loops(form, target))


def test_each_index_of_whole_slices_is_read_once() -> None:
    """Its loop is outside of those over the elements."""
    (updated,) = (loop for loop in loops("rows of planes", "a2a3") if loop.only is not None)
    assert updated.dim == "b"
    assert any(isinstance(node, Loop) for node in updated.body)
