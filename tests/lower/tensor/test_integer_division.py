"""Whole numbers divided by a power of two: a shift, rounded down whatever the sign."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.codegen import generate
from pyptogen.lower.instruction.ir import Instr, walk
from pyptogen.simulate.graph import interpret as run_instructions

SPEC = """\
pyptogen: 1
operator: divided
dims: {t: {min: 1, max: 64}, d: 32, k: 8}
inputs:
  x: DTYPE[t, d]
outputs:
  q: DTYPE[t, d]
  r: DTYPE[t, d]
graph:
  q: floor_div(x, DIVISOR)
  r: x % DIVISOR
"""


def instructions(dtype: str, divisor: str, target: str) -> set[str]:
    made = generate(program_of(SPEC.replace("DTYPE", dtype).replace("DIVISOR", divisor)), target)
    return {node.name for kernel in made.instructions for node in walk(kernel.body) if isinstance(node, Instr)}


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(
    ("dtype", "divisor"), [("int32", "k"), ("int32", "1073741824"), ("int16", "16"), ("uint8", "4"), ("int8", "2")]
)
def test_quotients_and_rests(dtype: str, divisor: str, target: str) -> None:
    made = generate(program_of(SPEC.replace("DTYPE", dtype).replace("DIVISOR", divisor)), target)
    kind, by = np.dtype(dtype), 8 if divisor == "k" else int(divisor)
    limits = np.iinfo(kind)
    x = np.random.default_rng(1).integers(limits.min, limits.max, size=(7, 32), dtype=kind, endpoint=True)
    x[0, :4] = (limits.min, limits.max, 0, limits.max - 1)
    got = run_instructions(made, {"x": x})
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(got["q"].astype(np.int64), wide // by)
    np.testing.assert_array_equal(got["r"].astype(np.int64), wide % by)


@pytest.mark.parametrize("dtype", ["int32", "int16"])
@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_by_a_shift(dtype: str, target: str) -> None:
    assert "TSHRS" in instructions(dtype, "8", target)
    assert not {"TDIV", "TDIVS"} & instructions(dtype, "8", target)


@pytest.mark.parametrize("divisor", ["1", "6", "-8"])
def test_other_divisors_are_none(divisor: str) -> None:
    assert "TSHRS" not in instructions("int32", divisor, "a2a3")
