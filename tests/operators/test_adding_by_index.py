"""Sums at places that repeat: index_add and scatter with reduce=add, against a loop in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
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
    """The row may be the same: it is loaded once the store of the round before is done."""
    path = tmp_path / "added.yaml"
    text = SPEC.replace("DTYPE", "fp32").replace("INDEX", "m").replace("EXPRESSION", "index_add(x, 0, i, z)")
    path.write_text(text)
    (kernel,) = generate(from_spec(load_spec(path)), "a2a3").kernels
    rounds = kernel.text.split("for (")[-1]
    waits, loads = rounds.index("wait_flag(PIPE_MTE3, PIPE_MTE2"), rounds.index("TLOAD(old")
    stores, done = rounds.index("TSTORE"), rounds.index("set_flag(PIPE_MTE3, PIPE_MTE2")
    assert waits < loads < stores < done
    assert "PIPE_ALL" not in kernel.text
