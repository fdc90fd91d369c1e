"""TPASS: one walk for several instructions leaves what the instructions leave, bit for bit."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np
import pytest

from .arrays import BF16, Array, guarded, is_guard, pointer, values
from .conftest import Build

ROWS, COLS = 8, 160
SIZES = [(8, 160), (3, 17), (1, 1), (5, 127), (0, 4), (2, 64), (8, 100)]
FAR = 64 << 20
NAMES = {"quotient": np.float32, "narrow": BF16, "integers": np.int8, "sums": np.float32, "largest": np.float32}


def outputs(skew: int) -> dict[str, Array]:
    """Guarded arrays; the matrices begin `skew` bytes after a multiple of 64."""
    found = {}
    for name, dtype in {**NAMES, "least": np.float32}.items():
        shape = (ROWS, COLS) if name in ("quotient", "narrow", "integers") else (ROWS,)
        kind = np.dtype(dtype)
        raw = guarded((int(np.prod(shape)) * kind.itemsize + 256,), np.dtype(np.uint8))
        at = -raw.ctypes.data % 64 + skew
        found[name] = raw[at : at + int(np.prod(shape)) * kind.itemsize].view(kind).reshape(shape)
    return found


def addresses(arrays: Mapping[str, Array] | Mapping[int, Array]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays.values()))


@pytest.mark.parametrize("far_bytes", [0, FAR], ids=["cached", "far"])
@pytest.mark.parametrize("skew", [0, 16, 4])
@pytest.mark.parametrize("walk", ["walked", "walked_beside"])
def test_a_pass_leaves_what_its_instructions_leave(build: Build, walk: str, skew: int, far_bytes: int) -> None:
    rng = np.random.default_rng(skew)
    library = build("vector_pass")
    for rows, cols in SIZES:
        whole, row = values(rng, (ROWS, COLS), "fp32"), values(rng, (COLS,), "fp32")
        column = values(rng, (ROWS,), "fp32")
        want, got = outputs(0), outputs(skew)
        arguments = [pointer(whole), pointer(column), pointer(row)]
        library.one_by_one(*arguments, addresses(want), rows, cols)
        library[walk](*arguments, addresses(got), rows, cols, ctypes.c_int64(far_bytes))
        for name, expected in want.items():
            part = np.s_[:rows, :cols] if expected.ndim == 2 else np.s_[:rows]
            a, b = got[name][part], expected[part]
            nan = np.isnan(b.astype(np.float32)) if b.dtype != np.int8 else np.zeros(b.shape, bool)
            assert (np.isnan(a.astype(np.float32)) == nan).all(), (name, rows, cols)
            assert a[~nan].tobytes() == b[~nan].tobytes(), (name, rows, cols)
            if expected.ndim == 2:
                assert is_guard(got[name][rows:])
                assert is_guard(got[name][:rows, cols:])


def test_columns_are_those_of_the_instructions(build: Build) -> None:
    """Bit for bit, and nothing beside the columns; NaN, infinities and zeros of either sign are among the values."""
    rng = np.random.default_rng(5)
    library = build("vector_pass")
    for rows, cols in ((r, c) for r, c in SIZES if r):
        whole = values(rng, (ROWS, COLS), "fp32")
        found = {i: guarded((COLS,), np.dtype(np.float32)) for i in range(6)}
        library.columns(pointer(whole), addresses(found), rows, cols)
        for got, want in ((found[i], found[i + 3]) for i in range(3)):
            nan = np.isnan(want[:cols])
            assert (np.isnan(got[:cols]) == nan).all(), (rows, cols)
            assert got[:cols][~nan].tobytes() == want[:cols][~nan].tobytes(), (rows, cols)
            assert is_guard(got[cols:])


def test_vectors_beside_each_other_are_those_one_by_one(build: Build) -> None:
    rng = np.random.default_rng(7)
    library = build("vector_pass")
    whole = values(rng, (ROWS, COLS), "fp32")
    integers = rng.integers(-1000, 1000, (ROWS, COLS), dtype=np.int32)
    for rows, cols in SIZES:
        want, got = (guarded((ROWS, COLS), np.dtype(np.float32)) for _ in range(2))
        library.chained(pointer(whole), pointer(integers), pointer(want), rows, cols)
        library.chained_beside(pointer(whole), pointer(integers), pointer(got), rows, cols)
        part = np.s_[:rows, :cols]
        nan = np.isnan(want[part])
        assert (np.isnan(got[part]) == nan).all(), (rows, cols)
        assert got[part][~nan].tobytes() == want[part][~nan].tobytes(), (rows, cols)
        assert is_guard(got[rows:])
        assert is_guard(got[:rows, cols:])


@pytest.mark.parametrize("walk", ["walked", "walked_beside"])
def test_extremes_see_a_nan_in_any_column(build: Build, walk: str) -> None:
    """NaN is looked for in two vectors at a time: in each place of them, alone in its row."""
    library = build("vector_pass")
    row, column = np.ones(COLS, np.float32), np.ones(ROWS, np.float32)
    for cols in (COLS, 127):
        for first in range(0, cols, ROWS - 1):
            whole = np.ones((ROWS, COLS), np.float32)
            places = [(r, first + r) for r in range(ROWS - 1) if first + r < cols]
            for r, c in places:
                whole[r, c] = np.nan
            got = outputs(0)
            library[walk](pointer(whole), pointer(column), pointer(row), addresses(got), ROWS, cols, ctypes.c_int64(0))
            expected = np.isin(np.arange(ROWS), [r for r, _ in places])
            assert (np.isnan(got["largest"]) == expected).all(), (cols, first)
            assert (np.isnan(got["least"]) == expected).all(), (cols, first)


def test_quotients_by_one_divisor_are_correctly_rounded(build: Build) -> None:
    """Dividends of every magnitude and sign, divisors inside and outside the range that needs no division."""
    rng = np.random.default_rng(11)
    library = build("vector_pass")
    row = np.ones(COLS, np.float32)
    for magnitude in (0, 1, 20, 30, 60, 126):
        bits = rng.integers(0, 1 << 32, (ROWS, COLS), dtype=np.uint32)
        whole = np.where(rng.random((ROWS, COLS)) < 0.5, bits.view(np.float32), rng.standard_normal((ROWS, COLS)))
        whole = whole.astype(np.float32)
        whole[:, 5:9] = [0.0, -0.0, np.inf, -np.inf]
        column = (rng.uniform(1, 2, ROWS) * 2.0 ** rng.integers(-magnitude, magnitude + 1, ROWS)).astype(np.float32)
        column[::2] *= -1
        column[0] = np.nextafter(np.float32(2), np.float32(1))  # all ones
        got = outputs(0)
        library.walked(pointer(whole), pointer(column), pointer(row), addresses(got), ROWS, COLS, ctypes.c_int64(0))
        with np.errstate(all="ignore"):
            want = whole / column[:, None]
        nan = np.isnan(want)
        assert (np.isnan(got["quotient"]) == nan).all()
        assert (got["quotient"].view(np.uint32)[~nan] == want.view(np.uint32)[~nan]).all(), magnitude


@pytest.mark.parametrize("bound", [1.5, 0.0, -0.0, np.inf, np.nan])
def test_bounds_are_those_of_the_instructions(build: Build, bound: float) -> None:
    """A NaN among the values stays, one as the bound spreads, and the sign of a zero is the instruction's."""
    whole = values(np.random.default_rng(3), (ROWS, COLS), "fp32")
    whole[0, :4] = [0.0, -0.0, np.nan, bound]
    got = [guarded((ROWS, COLS), np.dtype(np.float32)) for _ in range(4)]
    build("vector_pass").bounded(pointer(whole), ctypes.c_float(bound), addresses(dict(enumerate(got))))
    for walked, single, numpy in ((got[0], got[2], np.maximum), (got[1], got[3], np.minimum)):
        nan = np.isnan(numpy(whole, np.float32(bound)))
        assert (np.isnan(walked) == nan).all()
        assert walked[~nan].tobytes() == single[~nan].tobytes()
