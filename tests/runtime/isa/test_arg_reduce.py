"""Positions of extremes, products and sums of pairs against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 32, 160
EXTENTS = [(32, 160), (31, 128), (1, 1), (3, 17), (7, 100), (16, 64), (2, 159), (0, 5)]
TYPES = ["fp32", "fp16", "bf16", "int8", "uint16", "int32", "int64"]


@pytest.mark.parametrize("special", [False, True], ids=["plain", "with NaN and infinities"])
@pytest.mark.parametrize("op", range(8))
@pytest.mark.parametrize("name", TYPES)
def test_arg(build: Build, name: str, op: int, special: bool) -> None:
    """The first of equal elements; a NaN is an extreme. Operations 2, 3, 6 and 7 give the extremes, too."""
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    axis = 1 if op < 4 else 0
    for rows, cols in EXTENTS:
        a = values(rng, (ROWS, COLS), name)
        if not special:
            a = rng.integers(0, 12, (ROWS, COLS)).astype(dtype)
        extremes, positions = guarded((COLS,), dtype), guarded((COLS,), np.dtype(np.int32))
        getattr(build("arg_reduce"), f"arg_{name}")(op, pointer(extremes), pointer(positions), pointer(a), rows, cols)
        part = a[:rows, :cols].astype(np.float32) if name in FLOATS else a[:rows, :cols]
        length = rows if axis == 1 else cols if rows > 0 else 0
        if length > 0:
            at = np.argmin(part, axis=axis) if op % 2 else np.argmax(part, axis=axis)
            assert np.array_equal(positions[:length], at), (rows, cols)
        assert is_guard(positions[length:])
        if op % 4 < 2:
            length = 0
        if length > 0:
            found = part.min(axis=axis) if op % 2 else part.max(axis=axis)
            assert same(extremes[:length], found.astype(dtype))
        assert is_guard(extremes[length:])


@pytest.mark.parametrize("op", [0, 1], ids=["rows", "columns"])
@pytest.mark.parametrize("name", TYPES)
def test_products(build: Build, name: str, op: int) -> None:
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    for rows, cols in EXTENTS:
        if name in FLOATS:
            a = rng.choice([0.5, 1.0, -1.0, 2.0, 1.25, -0.75], (ROWS, COLS)).astype(dtype)
        else:
            a = values(rng, (ROWS, COLS), name) | dtype.type(1)
        out = guarded((ROWS, COLS), dtype)
        getattr(build("arg_reduce"), f"product_{name}")(op, pointer(out), pointer(a), rows, cols)
        length = rows if op == 0 else cols if rows > 0 else 0
        got = out.reshape(-1)
        part = a[:rows, :cols]
        if length > 0 and name in FLOATS:
            with np.errstate(over="ignore", under="ignore"):
                exact = part.astype(np.float64).prod(axis=1 - op).astype(dtype).astype(np.float64)
            near = {"fp32": 3e-5, "fp16": 2e-3, "bf16": 1e-2}[name]
            with np.errstate(invalid="ignore"):
                close = np.abs(got[:length].astype(np.float64) - exact) <= np.abs(exact) * near + 1e-37
            tiny = {"fp32": 1e-36, "fp16": 1e-3, "bf16": 1e-36}[name]
            infinite = np.isinf(exact) & (got[:length].astype(np.float64) == exact)
            assert (close | infinite | (np.abs(exact) < tiny)).all()
        elif length > 0:
            assert np.array_equal(got[:length], part.prod(axis=1 - op, dtype=dtype))
        assert is_guard(got[length:])


@pytest.mark.parametrize("name", TYPES)
def test_sums_of_pairs(build: Build, name: str) -> None:
    rng = np.random.default_rng(5)
    dtype = DTYPES[name]
    for rows, cols in EXTENTS:
        a = values(rng, (ROWS, COLS), name)
        out = guarded((ROWS, COLS), dtype)
        getattr(build("arg_reduce"), f"product_{name}")(2, pointer(out), pointer(a), rows, cols)
        expected = np.zeros((rows, cols), dtype)
        half = cols // 2
        with np.errstate(all="ignore"):
            expected[:, :half] = a[:rows, 0 : 2 * half : 2] + a[:rows, 1 : 2 * half : 2]
        if cols % 2:
            expected[:, half] = a[:rows, cols - 1]
        assert same(out[:rows, :cols], expected), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
