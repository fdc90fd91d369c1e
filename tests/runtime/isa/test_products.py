"""TMATMUL on every level of instruction sets that this machine has: long sums, counts of rows, numbers at the edges."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.cpu import PORTABLE, X86_LEVELS, features

from . import emulated
from .arrays import DTYPES, Array, guarded, pointer
from .conftest import OPTIMISATION, QUIET, emulated_kernels, kernels_for
from .test_matmul import TYPES, operands, product

LEVELS = [*(level for level in X86_LEVELS if level.needs <= features()), PORTABLE, emulated.LEVEL]
ROWS = [1, 2, 3, 5, 8, 12, 15, 16, 19, 20, 27, 32, 45, 96]


@pytest.fixture(scope="module", params=LEVELS, ids=lambda level: level.name)
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    """The kernels for one level."""
    if request.param is emulated.LEVEL:
        return ctypes.CDLL(str(emulated_kernels().compile("products")))
    flags = (*OPTIMISATION, *request.param.flags, *QUIET)
    return ctypes.CDLL(str(kernels_for(find_compiler(), flags).compile("products")))


def run(library: ctypes.CDLL, name: str, a: Array, b: Array, twice: bool = False) -> Array:
    """The product, or twice it."""
    c = guarded((len(a), b.shape[1]), np.dtype(np.int32 if name == "int8" else np.float32))
    function = getattr(library, f"product_{name}")
    function(pointer(c), pointer(a), pointer(b), len(a), len(b), b.shape[1], int(twice))
    return c


@pytest.mark.parametrize("twice", [False, True], ids=["product", "added up"])
@pytest.mark.parametrize("name", TYPES)
def test_long_sums_of_any_number_of_rows(library: ctypes.CDLL, name: str, twice: bool) -> None:
    rng = np.random.default_rng(21)
    for m in ROWS:
        for k, n in [(1100, 96), (2304, 33)] if m in (1, 5, 96) else [(200, 64)]:
            a, b = operands(rng, name, m, k, n)
            exact, bound = product(a, b)
            got = run(library, name, a, b, twice)
            exact, bound = (exact * 2, bound * 2 + np.abs(exact) * 2.0**-23) if twice else (exact, bound)
            assert (np.abs(got - exact) <= bound).all(), (m, k, n)


@pytest.mark.parametrize("name", TYPES)
def test_left_operand_in_columns(library: ctypes.CDLL, name: str) -> None:
    rng = np.random.default_rng(23)
    for m, k, n in [(1, 64, 32), (5, 33, 16), (16, 130, 33), (45, 7, 64), (96, 1100, 96)]:
        a, b = operands(rng, name, m, k, n)
        exact, bound = product(a, b)
        c = guarded((m, n), np.dtype(np.int32 if name == "int8" else np.float32))
        columns = np.ascontiguousarray(a.T)
        getattr(library, f"product_of_columns_{name}")(pointer(c), pointer(columns), pointer(b), m, k, n)
        assert (np.abs(c - exact) <= bound).all(), (m, k, n)


@pytest.mark.parametrize("k", [3, 1024, 2304])
@pytest.mark.parametrize("rows", [1, 4, 45])
def test_int8_at_the_ends_of_the_range(library: ctypes.CDLL, rows: int, k: int) -> None:
    for left in (-128, 127):
        for right in (-128, 127):
            a, b = np.full((rows, k), left, np.int8), np.full((k, 40), right, np.int8)
            assert (run(library, "int8", a, b) == k * left * right).all()
            assert (run(library, "int8", a, b, twice=True) == 2 * k * left * right).all()


@pytest.mark.parametrize("name", ["fp32", "bf16"])
@pytest.mark.parametrize("rows", [2, 45])
def test_infinities_and_nan_reach_their_own_elements(library: ctypes.CDLL, name: str, rows: int) -> None:
    rng = np.random.default_rng(22)
    a, b = operands(rng, name, rows, 160, 48)
    a[0, 5], a[1, 150], b[7, 33], b[140, 47], b[5, 3] = np.inf, np.nan, -np.inf, np.nan, 0
    got = run(library, name, a, b)
    with np.errstate(invalid="ignore"):
        terms = a.astype(np.float64)[:, :, None] * b.astype(np.float64)
        want = terms.sum(axis=1)
    assert np.isnan(want[0, 3])
    assert np.array_equal(np.isnan(got), np.isnan(want))
    assert np.array_equal(got[np.isinf(want)], want[np.isinf(want)])
    assert np.isfinite(got[np.isfinite(want)]).all()


def test_bf16_denormals_are_exact_or_zero(library: ctypes.CDLL) -> None:
    """One product a sum. Levels with dot products of bf16 count denormals as zero, the others do not."""
    numbers = np.array([1.5, -1.0, 2.0**-126, 2.0**-130, -(2.0**-133), 2.0**60], np.float32)
    a = numbers.astype(DTYPES["bf16"])[:, None]
    b = np.ascontiguousarray(a.T)
    got = run(library, "bf16", a, b)
    exact = (numbers[:, None].astype(np.float64) * numbers).astype(np.float32)
    normal = np.abs(numbers) >= 2.0**-126
    regular = normal[:, None] & normal & (np.abs(exact) >= 2.0**-126)
    assert np.array_equal(got[regular], exact[regular])
    assert ((got == exact) | (got == 0)).all()


IN_A_PROCESS = """
import ctypes, sys
sys.path.insert(0, sys.argv[2])
from runtime.isa import test_products as tests
for name in tests.TYPES:
    tests.test_long_sums_of_any_number_of_rows(ctypes.CDLL(sys.argv[1]), name, True)
"""


def test_where_the_system_refuses_the_matrix_unit() -> None:
    """Then a tile instruction would end the process."""
    library, folder = emulated_kernels().compile("products"), Path(__file__).parents[2]
    environment = {**os.environ, "MATRIX_UNIT_REFUSED": "1"}
    command = [sys.executable, "-c", IN_A_PROCESS, str(library), str(folder)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
