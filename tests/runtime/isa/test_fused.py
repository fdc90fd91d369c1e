"""Elementwise instructions of two steps against numpy, which rounds every step to the element type as they do."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (1, 1), (3, 17), (6, 63), (2, 319), (0, 8), (3, 0)]
TYPES = ["fp32", "fp16", "bf16", "int16", "int32"]
SCALAR = -3.0

Golden = Callable[[Array, Array, Array, Array, Array], Array]


def wide(a: Array) -> Array:
    return a.astype(np.float32) if a.dtype.kind not in "iu" else a


def zero(a: Array) -> Array:
    return np.zeros(a.shape, a.dtype)


# Golden functions of dst, src0, src1, src2 and the scalar; each numpy operation rounds to the element type.
# TFUSEDMULADD alone keeps the product of narrow floats.
OPERATIONS: list[tuple[str, Golden]] = [
    ("TMULADDDST", lambda d, a, b, c, s: a * b + d),
    ("TFUSEDMULADD", lambda d, a, b, c, s: (wide(a) * wide(d) + wide(b)).astype(a.dtype)),
    ("TFUSEDMULADDRELU", lambda d, a, b, c, s: np.maximum(a * d + b, zero(a))),
    ("TSUBRELU", lambda d, a, b, c, s: np.maximum(a - b, zero(a))),
    ("TAXPY", lambda d, a, b, c, s: a * s + d),
    ("TADDC", lambda d, a, b, c, s: a + b + c),
    ("TSUBC", lambda d, a, b, c, s: a - b + c),
    ("TADDSC", lambda d, a, b, c, s: a + s + b),
    ("TSUBSC", lambda d, a, b, c, s: a - s + b),
    ("TPRELU", lambda d, a, b, c, s: np.where(a > zero(a), a, a * b)),
    ("TLRELU", lambda d, a, b, c, s: np.where(a > zero(a), a, a * s)),
]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("op", range(len(OPERATIONS)), ids=[label for label, _ in OPERATIONS])
def test_fused(build: Build, op: int, name: str) -> None:
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    function = getattr(build("fused"), f"fused_{name}")
    scalar = np.asarray(SCALAR, dtype)
    for rows, cols in EXTENTS:
        d, a, b, c = (values(rng, (ROWS, COLS), name) for _ in range(4))
        if name in FLOATS:
            d, a, b, c = (np.where(np.abs(v.astype(np.float32)) < 1e-6, scalar, v) for v in (d, a, b, c))
        out = guarded((ROWS, COLS), dtype)
        out[:rows, :cols] = d[:rows, :cols]
        function(op, pointer(out), pointer(a), pointer(b), pointer(c), ctypes.c_float(SCALAR), rows, cols)
        with np.errstate(all="ignore"):
            d, a, b, c = (v[:rows, :cols] for v in (d, a, b, c))
            expected = np.asarray(OPERATIONS[op][1](d, a, b, c, scalar))
        assert expected.dtype == dtype
        assert same(out[:rows, :cols], expected), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])


def test_axpy_of_half_into_float(build: Build) -> None:
    rng = np.random.default_rng(0)
    for rows, cols in EXTENTS:
        a, d = values(rng, (ROWS, COLS), "fp16"), values(rng, (ROWS, COLS), "fp32")
        out = guarded((ROWS, COLS), np.dtype(np.float32))
        out[:rows, :cols] = d[:rows, :cols]
        build("fused").axpy_mixed(pointer(out), pointer(a), ctypes.c_float(SCALAR), rows, cols)
        with np.errstate(all="ignore"):
            expected = a[:rows, :cols].astype(np.float32) * np.float32(SCALAR) + d[:rows, :cols]
        assert same(out[:rows, :cols], expected)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
