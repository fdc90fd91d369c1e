"""Sums at places that repeat: index_add and scatter with reduce=add, against a loop in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate import graph
from pyptogen.simulate.tile import interpret

SPEC = """\
pyptogen: 1
operator: added
dims: {t: {min: 1, max: 4096}, m: {min: 1, max: 4096}, d: 37}
inputs:
  x: DTYPE[t, d]
  i: int32[INDEX]
  z: DTYPE[m, d]
outputs:
  y: DTYPE[t, d]
graph:
  y: EXPRESSION
"""
DTYPES = {"fp32": np.float32, "fp16": np.float16, "int32": np.int32, "int8": np.int8}


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["index_add", "scatter"])
def test_places_that_repeat(tmp_path: Path, form: str, dtype: str, target: str) -> None:
    expression = "index_add(x, 0, i, z)" if form == "index_add" else "scatter(x, 0, i, z, reduce=add)"
    text = SPEC.replace("DTYPE", dtype).replace("INDEX", "m" if form == "index_add" else "m, d")
    path = tmp_path / "added.yaml"
    path.write_text(text.replace("EXPRESSION", expression))
    made = pyptogen.compile(path, target=target)
    rng = np.random.default_rng(5)
    for t, m in ((1, 9), (11, 70)):
        x, z = (rng.integers(-9, 9, (n, 37)).astype(DTYPES[dtype]) for n in (t, m))
        i = rng.integers(0, t, m if form == "index_add" else (m, 37)).astype(np.int32)
        want = x.copy()
        for row in range(m):
            for column in range(37):
                want[i[row] if form == "index_add" else i[row, column], column] += z[row, column]
        np.testing.assert_array_equal(made(x=x, i=i, z=z).y, want)
    got = interpret(generate(from_spec(load_spec(path)), target), {"x": x, "i": i, "z": z}, level="block")
    np.testing.assert_array_equal(got["y"], want)


def test_what_is_added_waits_for_what_was_stored(tmp_path: Path) -> None:
    """The row may be the same: it is loaded once the store of the iteration before is done."""
    path = tmp_path / "added.yaml"
    text = SPEC.replace("DTYPE", "fp32").replace("INDEX", "m").replace("EXPRESSION", "index_add(x, 0, i, z)")
    path.write_text(text)
    (kernel,) = generate(from_spec(load_spec(path)), "a2a3").kernels
    inner = kernel.text.split("for (")[-1]
    waits, loads = inner.index("wait_flag(PIPE_MTE3, PIPE_MTE2"), inner.index("TLOAD(old")
    stores, done = inner.index("TSTORE"), inner.index("set_flag(PIPE_MTE3, PIPE_MTE2")
    assert waits < loads < stores < done
    assert "PIPE_ALL" not in kernel.text


SHAPES = {
    "rows": ("index_add(x, 0, i, z)", (23, 37), (57,), (57, 37)),
    "columns": ("index_add(x, 1, i, z)", (23, 37), (57,), (23, 57)),
    "middle": ("index_add(x, 1, i, z)", (3, 23, 37), (57,), (3, 57, 37)),
    "elements": ("scatter(x, 0, i, z, reduce=add)", (1000,), (4321,), (4321,)),
    "elements that are put": ("scatter(x, 0, i, z)", (1000,), (777,), (777,)),
    "in rows": ("scatter(x, 1, i, z, reduce=add)", (5, 300), (5, 99), (5, 99)),
    "in rows of one": ("scatter(x, 1, i, z, reduce=add)", (1, 300), (1, 99), (1, 99)),
    "one index of elements": ("scatter(x, 0, i, z, reduce=add)", (9,), (1,), (1,)),
    "one index": ("index_add(x, 0, i, z)", (23, 37), (1,), (1, 37)),
}
SHAPED = """\
pyptogen: 1
operator: added
inputs: {x: "int32[X]", i: "int32[I]", z: "int32[Z]"}
outputs: {y: "int32[X]"}
graph: {y: "EXPRESSION"}
"""


def summed(axis: int, adds: bool, x: Any, i: Any, z: Any) -> Any:
    """One after the other."""
    y = x.copy()
    for at in np.ndindex(z.shape):
        place = list(at)
        place[axis] = i[at[axis]] if i.ndim < z.ndim else i[at]
        y[tuple(place)] = z[at] + (y[tuple(place)] if adds else 0)
    return y


@pytest.mark.parametrize("blocks", [1, 3, 48])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_owner_of_a_place_alone_changes_it(tmp_path: Path, shape: str, blocks: int) -> None:
    """In any order of blocks: each place is copied, and then changed in the order of the indices, by one of them."""
    expression, *shapes = SHAPES[shape]
    text = SHAPED.replace("EXPRESSION", expression)
    for name, sizes in zip("XIZ", shapes, strict=True):
        text = text.replace(f"[{name}]", str(list(sizes)))
    path = tmp_path / "added.yaml"
    path.write_text(text)
    axis, adds, rng = int(expression.split(", ")[1]), shape != "elements that are put", np.random.default_rng(3)
    x, z = (rng.integers(-99, 99, shapes[at]).astype(np.int32) for at in (0, 2))
    i = rng.integers(0, shapes[0][axis], shapes[1]).astype(np.int32)
    want = summed(axis, adds, x, i, z)
    lowered = generate(from_spec(load_spec(path)), "a2a3")
    got = interpret(lowered, {"x": x, "i": i, "z": z}, level="block", blocks=blocks)
    np.testing.assert_array_equal(got["y"], want)
    by_instructions = graph.interpret(lowered, {"x": x, "i": i, "z": z}, blocks=blocks)
    np.testing.assert_array_equal(by_instructions["y"], want)
    if not adds:
        assert "/ 128 % nblk != block" in lowered.kernels[-1].text
