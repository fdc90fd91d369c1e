"""A product on several threads distributes ranges of rows where there are enough of them, else columns: the same
numbers."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

SPEC = Path(__file__).parents[2] / "specs" / "matmul_bf16.yaml"


@pytest.mark.parametrize(
    "m", [1, 512, 600, 2100]
)  # columns, a range for each core, columns (3 tiles), ranges with a tail
def test_every_split_gives_the_product(m: int) -> None:
    operator = pyptogen.compile(SPEC, threads=2)
    arrays = operator.example_inputs(seed=m, m=m)
    want = arrays["a"].astype(np.float64) @ arrays["b"].astype(np.float64)
    got = np.asarray(operator(**arrays).c)
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=2**-8, atol=1e-3)


def test_the_choice_is_in_the_orchestration_of_the_cpu_only() -> None:
    program = from_spec(load_spec(SPEC))
    assert {launch.rows for plan in generate(program, "cpu").execution.plans for launch in plan} == {256}
    assert "tiles % cores == 0" in generate(program, "cpu").orchestration
    assert {launch.rows for plan in generate(program, "a2a3").execution.plans for launch in plan} == {0}
