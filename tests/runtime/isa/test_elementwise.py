"""Elementwise instructions against numpy: every element type, tails, and nothing written outside the valid region."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (5, 320), (1, 1), (3, 17), (6, 63), (2, 319), (4, 64), (1, 300), (0, 8)]
SCALAR = 3.0

Golden = Callable[[Array, Array, Array], Array]

# Instructions by the number that the kernel gives them. Golden functions get operands widened to the compute type.
OPERATIONS: list[tuple[str, Golden]] = [
    ("TADD", lambda a, b, s: a + b),
    ("TSUB", lambda a, b, s: a - b),
    ("TMUL", lambda a, b, s: a * b),
    ("TDIV", lambda a, b, s: divide(a, b)),
    ("TMAX", lambda a, b, s: np.maximum(a, b)),
    ("TMIN", lambda a, b, s: np.minimum(a, b)),
    ("TADDS", lambda a, b, s: a + s),
    ("TSUBS", lambda a, b, s: a - s),
    ("TMULS", lambda a, b, s: a * s),
    ("TDIVS", lambda a, b, s: divide(a, s)),
    ("TDIVS, scalar first", lambda a, b, s: divide(s, a)),
    ("TMAXS", lambda a, b, s: np.maximum(a, s)),
    ("TMINS", lambda a, b, s: np.minimum(a, s)),
    ("TEXPANDS", lambda a, b, s: np.broadcast_to(s, a.shape)),
    ("TABS", lambda a, b, s: np.abs(a)),
    ("TNEG", lambda a, b, s: -a),
    ("TRELU", lambda a, b, s: np.maximum(a, a.dtype.type(0))),
]


def divide(a: Array, b: Array) -> Array:
    """Division as the instruction defines it: integers truncate, and a division by zero gives zero."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind == "f":
        return a / b
    out = np.zeros(a.shape, a.dtype)
    bits = 8 * a.dtype.itemsize
    for index in np.ndindex(a.shape):
        x, y = int(a[index]), int(b[index])
        if y != 0:
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            wrapped = quotient % (1 << bits)
            out[index] = wrapped - (1 << bits) if a.dtype.kind == "i" and wrapped >> (bits - 1) else wrapped
    return out


@pytest.mark.parametrize("name", list(DTYPES))
@pytest.mark.parametrize("op", range(len(OPERATIONS)), ids=[label for label, _ in OPERATIONS])
def test_arithmetic(build: Build, name: str, op: int) -> None:
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    wide = np.dtype(np.float32) if name in FLOATS else dtype
    function = getattr(build("elementwise"), f"elementwise_{name}")
    for rows, cols in EXTENTS:
        a, b = values(rng, (ROWS, COLS), name), values(rng, (ROWS, COLS), name)
        out = guarded((ROWS, COLS), dtype)
        function(op, pointer(out), pointer(a), pointer(b), ctypes.c_float(SCALAR), rows, cols)
        with np.errstate(all="ignore"):
            operands = a[:rows, :cols].astype(wide), b[:rows, :cols].astype(wide), wide.type(SCALAR)
            expected = np.asarray(OPERATIONS[op][1](*operands)).astype(dtype)
        assert same(out[:rows, :cols], expected), (rows, cols)
        assert is_guard(out[rows:]), (rows, cols)
        assert is_guard(out[:rows, cols:]), (rows, cols)


FUNCTIONS: list[tuple[str, Callable[[Array], Array], float]] = [
    ("TEXP", np.exp, 1.0),
    ("TLOG", np.log, 2.0),
    ("TSQRT", np.sqrt, 0.5),
    ("TRSQRT", lambda x: 1 / np.sqrt(x), 1.5),
    ("TRECIP", lambda x: 1 / x, 0.5),
]


def units_off(got: Array, exact: Array) -> float:
    """Largest distance in units in the last place of fp32."""
    finite = np.isfinite(exact) & (np.abs(exact) < 3.4e38)
    unit = np.spacing(np.maximum(np.abs(exact[finite]), 1.17549435e-38).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(got[finite].astype(np.float64) - exact[finite]) / unit, initial=0.0))


@pytest.mark.parametrize("op", range(len(FUNCTIONS)), ids=[label for label, _, _ in FUNCTIONS])
def test_function_accuracy(build: Build, op: int) -> None:
    rng = np.random.default_rng(op)
    function = build("elementwise").unary_fp32
    for low, high in [
        (-90.0, 90.0),
        (-1.0, 1.0),
        (1e-38, 1e-30),
        (0.5, 2.0),
        (1.0, 3e38),
        (-104.5, -86.0),
        (1e-45, 1e-38),
    ]:
        x = (rng.random((ROWS, COLS)) * (high - low) + low).astype(np.float32)
        out = np.zeros_like(x)
        function(op, pointer(out), pointer(x), ROWS, COLS)
        with np.errstate(all="ignore"):
            exact = FUNCTIONS[op][1](x.astype(np.float64))
            overflows = np.abs(exact) > 3.4028235e38
        assert units_off(out, exact) <= FUNCTIONS[op][2] + 1e-6, (low, high)
        assert np.array_equal(np.isnan(out), np.isnan(exact))
        assert np.isinf(out[overflows]).all()


@pytest.mark.parametrize("op", range(len(FUNCTIONS)), ids=[label for label, _, _ in FUNCTIONS])
def test_function_special_values(build: Build, op: int) -> None:
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, -1e30, -3.4e38, 1e30, 3.4e38, 88.5, 89.0, -1e-40]
    x = np.resize(np.array(special, np.float32), (ROWS, COLS))
    out = np.zeros_like(x)
    build("elementwise").unary_fp32(op, pointer(out), pointer(x), ROWS, COLS)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[op][1](x.astype(np.float64))
        expected = exact.astype(np.float32)
    special_result = ~np.isfinite(expected) | (expected == 0)
    assert same(out[special_result], expected[special_result])
    assert np.isfinite(out[~special_result]).all()


@pytest.mark.parametrize("name", ["fp16", "bf16"])
@pytest.mark.parametrize("op", range(len(FUNCTIONS)), ids=[label for label, _, _ in FUNCTIONS])
def test_function_of_narrow_float(build: Build, name: str, op: int) -> None:
    """The fp32 result is rounded once: at most one unit of the narrow type from the exact value."""
    rng = np.random.default_rng(op)
    x = values(rng, (ROWS, COLS), name)
    out = guarded((ROWS, COLS), DTYPES[name])
    getattr(build("elementwise"), f"unary_{name}")(op, pointer(out), pointer(x), 5, 77)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[op][1](x[:5, :77].astype(np.float64))
        rounded = exact.astype(DTYPES[name]).astype(np.float64)
    got = out[:5, :77].astype(np.float64)
    with np.errstate(invalid="ignore"):
        close = np.abs(got - rounded) <= np.abs(rounded) * (2.0**-10 if name == "fp16" else 2.0**-7) + 6e-8
    assert (close | (got == rounded) | (np.isnan(got) & np.isnan(rounded))).all()
    assert is_guard(out[5:])
    assert is_guard(out[:5, 77:])


@pytest.mark.parametrize("name", ["fp16", "bf16"])
@pytest.mark.parametrize("label", ["TMAX", "TMIN", "TABS", "TNEG", "TRELU", "TADD", "TMUL", "TMAXS"])
def test_all_narrow_floats(build: Build, name: str, label: str) -> None:
    """Every bit pattern once as the first operand, beside patterns in another order."""
    op = [entry for entry, _ in OPERATIONS].index(label)
    dtype = DTYPES[name]
    function = getattr(build("elementwise"), f"elementwise_{name}")
    patterns = np.arange(65536, dtype=np.uint16)
    count = ROWS * COLS
    for first in range(0, 65536, count):
        a = np.resize(patterns[first : first + count], (ROWS, COLS)).view(dtype)
        b = ((a.view(np.uint16).astype(np.uint32) * 40503 + first) % 65536).astype(np.uint16).view(dtype)
        out = guarded((ROWS, COLS), dtype)
        function(op, pointer(out), pointer(a), pointer(b), ctypes.c_float(SCALAR), ROWS, COLS)
        with np.errstate(all="ignore"):
            operands = a.astype(np.float32), b.astype(np.float32), np.float32(SCALAR)
            expected = np.asarray(OPERATIONS[op][1](*operands)).astype(dtype)
            assert same(out, expected), first


@pytest.mark.parametrize("scalar", [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["fp16", "bf16"])
@pytest.mark.parametrize("label", ["TMAXS", "TMINS"])
def test_extreme_of_all_narrow_floats_and_a_number(build: Build, label: str, name: str, scalar: float) -> None:
    """Bit for bit but for NaN: of equal numbers, which zeros of both signs are, the scalar is the result."""
    op = [entry for entry, _ in OPERATIONS].index(label)
    dtype = DTYPES[name]
    function = getattr(build("elementwise"), f"elementwise_{name}")
    count = ROWS * COLS
    for first in range(0, 65536, count):
        a = np.resize(np.arange(first, min(first + count, 65536), dtype=np.uint16), (ROWS, COLS)).view(dtype)
        out = guarded((ROWS, COLS), dtype)
        function(op, pointer(out), pointer(a), pointer(a), ctypes.c_float(scalar), ROWS, COLS)
        wide = a.astype(np.float32)
        beyond = wide > scalar if label == "TMAXS" else wide < scalar
        nan = np.isnan(wide) | np.isnan(scalar)
        expected = np.where(beyond, a, dtype.type(scalar))
        assert np.isnan(out.astype(np.float32))[nan].all(), first
        assert (out.view(np.uint16) == expected.view(np.uint16))[~nan].all(), first
