"""Reductions and broadcasts along rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 32, 160
EXTENTS = [(32, 160), (31, 128), (1, 1), (3, 17), (7, 100), (16, 64), (2, 159), (5, 16)]
TYPES = ["fp32", "fp16", "bf16", "int32", "int16", "uint8", "uint32", "int64"]


def wide(name: str) -> np.dtype[Any]:
    return np.dtype(np.float32) if name in FLOATS else DTYPES[name]


@pytest.mark.parametrize("name", TYPES)
def test_sums(build: Build, name: str) -> None:
    rng = np.random.default_rng(1)
    for rows, cols in EXTENTS:
        if name in FLOATS:
            a = rng.standard_normal((ROWS, COLS)).astype(DTYPES[name])
        else:
            a = values(rng, (ROWS, COLS), name)
        for op, axis in ((0, 1), (3, 0)):
            out = guarded((COLS,), DTYPES[name])
            getattr(build("axis"), f"reduce_{name}")(op, pointer(out), pointer(a), rows, cols)
            length = rows if axis == 1 else cols
            part = a[:rows, :cols]
            if name in FLOATS:
                exact = part.astype(np.float64).sum(axis=axis)
                bound = np.abs(part.astype(np.float64)).sum(axis=axis) * 2.0**-18
                unit = {"fp32": 2.0**-24, "fp16": 2.0**-11, "bf16": 2.0**-8}[name]
                assert (np.abs(out[:length].astype(np.float64) - exact) <= bound + np.abs(exact) * unit).all()
            else:
                assert same(out[:length], part.sum(axis=axis, dtype=DTYPES[name]))
            assert is_guard(out[length:])


def test_sum_of_a_row_does_not_depend_on_the_height(build: Build) -> None:
    rng = np.random.default_rng(2)
    a = rng.standard_normal((64, 200)).astype(np.float32)
    sums = []
    for rows in (1, 2, 5, 16, 17, 32, 64):
        out = np.zeros(64, np.float32)
        build("axis").tall_sum(pointer(out), pointer(a), rows)
        sums.append(out[:rows])
    assert all(np.array_equal(part, sums[-1][: len(part)]) for part in sums)


@pytest.mark.parametrize("special", [False, True], ids=["plain", "with NaN and infinities"])
@pytest.mark.parametrize("name", TYPES)
def test_extremes(build: Build, name: str, special: bool) -> None:
    rng = np.random.default_rng(3)
    for rows, cols in EXTENTS:
        a = values(rng, (ROWS, COLS), name)
        if name in FLOATS and not special:
            a = np.where(np.isfinite(a), a, np.asarray(1.5, DTYPES[name])).astype(DTYPES[name])
        part = a[:rows, :cols].astype(wide(name))
        for op, golden, axis in ((1, np.max, 1), (2, np.min, 1), (4, np.max, 0), (5, np.min, 0)):
            out = guarded((COLS,), DTYPES[name])
            getattr(build("axis"), f"reduce_{name}")(op, pointer(out), pointer(a), rows, cols)
            length = rows if axis == 1 else cols
            assert same(out[:length], golden(part, axis=axis).astype(DTYPES[name])), (op, rows, cols)
            assert is_guard(out[length:])


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16"])
def test_one_nan_is_found_in_every_row(build: Build, name: str, sign: float) -> None:
    """By extremes along its row and along its column, wherever it lies, and nowhere else."""
    rng = np.random.default_rng(5)
    plain = rng.standard_normal((ROWS, COLS)).astype(DTYPES[name])
    for row in range(ROWS):
        col = row * 37 % COLS
        a = plain.copy()
        a[row, col] = np.copysign(np.nan, sign)
        for op, at, length in ((1, row, ROWS), (2, row, ROWS), (4, col, COLS), (5, col, COLS)):
            out = guarded((COLS,), DTYPES[name])
            getattr(build("axis"), f"reduce_{name}")(op, pointer(out), pointer(a), ROWS, COLS)
            found = np.flatnonzero(np.isnan(out[:length].astype(np.float32)))
            assert found.tolist() == [at], (op, row)


def golden_of(op: int, a: Array, b: Array) -> Array:
    if op == 3 and a.dtype.kind in "iu":
        x, y = np.broadcast_arrays(a.astype(object), b.astype(object))  # Python integers: nothing overflows
        safe = np.where(y == 0, 1, y)
        quotient = np.where(y == 0, 0, np.where((x < 0) == (safe < 0), 1, -1) * (np.abs(x) // np.abs(safe)))
        return (quotient & ((1 << 64) - 1)).astype(np.uint64).astype(a.dtype)
    functions = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum]
    return np.asarray(functions[op](a, b)) if op < 6 else np.broadcast_to(b, a.shape)


@pytest.mark.parametrize("form", [0, 1, 2, 3], ids=["column", "column first", "blocks", "row"])
@pytest.mark.parametrize("name", TYPES)
def test_broadcasts(build: Build, name: str, form: int) -> None:
    rng = np.random.default_rng(4 + form)
    box = 32 // DTYPES[name].itemsize
    for op in range(7):
        if op == 6 and form in (1, 2):
            continue
        for rows, cols in EXTENTS:
            a = values(rng, (ROWS, COLS), name)
            part = values(rng, (ROWS * box,), name) if form == 2 else values(rng, (max(ROWS * box, COLS),), name)
            out = guarded((ROWS, COLS), DTYPES[name])
            getattr(build("axis"), f"expand_{name}")(op, form, pointer(out), pointer(a), pointer(part), rows, cols)
            if form == 3:
                other = part[None, :cols]
            elif form == 2:
                other = np.tile(part.reshape(ROWS, box), (1, COLS // box + 1))[:rows, :cols]
            else:
                other = part[:rows, None]
            x, y = a[:rows, :cols].astype(wide(name)), other.astype(wide(name))
            with np.errstate(all="ignore"):
                expected = (golden_of(op, y, x) if form == 1 else golden_of(op, x, y)).astype(DTYPES[name])
            assert same(out[:rows, :cols], expected), (op, rows, cols)
            assert is_guard(out[rows:])
            assert is_guard(out[:rows, cols:])
