"""Remainders and powers against numpy and Python integers."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import DTYPES, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (1, 1), (3, 17), (6, 63), (2, 319), (0, 8), (3, 0)]
INTEGERS = ["int8", "uint16", "int32", "int64"]
FLOAT_TYPES = ["fp32", "fp16", "bf16"]
FMOD, REM, POW = range(3)


def run(build: Build, name: str, op: int, a: Array, b: Array, scalar: Array | None, rows: int, cols: int) -> Array:
    dtype = a.dtype
    out = guarded((ROWS, COLS), dtype)
    value = np.zeros(1, dtype) if scalar is None else scalar.reshape(1)
    function = getattr(build("remainder"), f"remainder_{name}")
    function(op + (0 if scalar is None else 3), pointer(out), pointer(a), pointer(b), pointer(value), rows, cols)
    assert is_guard(out[rows:])
    assert is_guard(out[:rows, cols:])
    return out[:rows, :cols]


def integer_golden(op: int, x: int, y: int) -> int:
    if op == FMOD:
        return 0 if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1)
    if op == REM:
        return 0 if y == 0 else x % y
    if y < 0:
        return x**-y if x in (1, -1) else 0
    return pow(x, y, 1 << 64)


@pytest.mark.parametrize("scalar", [False, True], ids=["tile", "scalar"])
@pytest.mark.parametrize("op", [FMOD, REM, POW], ids=["fmod", "rem", "pow"])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(build: Build, name: str, op: int, scalar: bool) -> None:
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    info = np.iinfo(dtype)
    bits = 8 * dtype.itemsize
    for number, (rows, cols) in enumerate(EXTENTS):
        a = rng.integers(info.min, info.max, (ROWS, COLS), dtype=dtype, endpoint=True)
        b = rng.integers(info.min, info.max, (ROWS, COLS), dtype=dtype, endpoint=True)
        small = rng.random((ROWS, COLS)) < 0.6
        low = 0 if info.min == 0 else -9
        b[small] = rng.integers(low, 10, int(small.sum()), dtype=dtype)
        a[rng.random((ROWS, COLS)) < 0.2] = info.min
        b[rng.random((ROWS, COLS)) < 0.1] = info.max if info.min == 0 else -1
        value = np.asarray([3, 0, 7, info.max, info.min, 1, 2][number], dtype)
        got = run(build, name, op, a, b, value if scalar else None, rows, cols)
        other = np.broadcast_to(value, (rows, cols)) if scalar else b[:rows, :cols]
        for index in np.ndindex(got.shape):
            wrapped = integer_golden(op, int(a[index]), int(other[index])) & ((1 << bits) - 1)
            assert int(got[index]) & ((1 << bits) - 1) == wrapped, (index, a[index], other[index])


@pytest.mark.parametrize("scalar", [False, True], ids=["tile", "scalar"])
@pytest.mark.parametrize("op", [FMOD, REM], ids=["fmod", "rem"])
@pytest.mark.parametrize("name", FLOAT_TYPES)
def test_remainders_of_floats(build: Build, name: str, op: int, scalar: bool) -> None:
    """Exact, also where the quotient is far beyond the precision."""
    rng = np.random.default_rng(op)
    dtype = DTYPES[name]
    for number, (rows, cols) in enumerate(EXTENTS):
        a, b = values(rng, (ROWS, COLS), name), values(rng, (ROWS, COLS), name)
        if name == "fp32" and number == 0:
            a = a * np.float32(1e30)
        value = np.asarray([3.0, -0.7, 1e-3, np.inf, 0.0, np.nan, -7.0][number], dtype)
        got = run(build, name, op, a, b, value if scalar else None, rows, cols)
        other = np.broadcast_to(value, (rows, cols)) if scalar else b[:rows, :cols]
        x, y = a[:rows, :cols].astype(np.float32), other.astype(np.float32)
        with np.errstate(all="ignore"):
            expected = (np.fmod(x, y) if op == FMOD else np.remainder(x, y)).astype(dtype)
        assert same(got, expected), (rows, cols)
        defined = ~np.isnan(expected.astype(np.float32))
        assert (np.signbit(got.astype(np.float32)) == np.signbit(expected.astype(np.float32)))[defined].all()


def test_power_special_values(build: Build) -> None:
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-40, 1e30, 1e38, -7.5]
    x, y = (v.reshape(-1).astype(np.float32) for v in np.meshgrid(special, special))
    a, b = np.ones((ROWS, COLS), np.float32), np.ones((ROWS, COLS), np.float32)
    a.reshape(-1)[: x.size], b.reshape(-1)[: y.size] = x, y
    got = run(build, "fp32", POW, a, b, None, ROWS, COLS).reshape(-1)[: x.size]
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    exact = ~np.isfinite(expected) | (expected == 0) | (expected == 1)
    assert same(got[exact], expected[exact])
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))
    assert np.allclose(got[~exact], expected[~exact], rtol=2e-7, atol=0)


@pytest.mark.parametrize("name", FLOAT_TYPES)
def test_power_accuracy(build: Build, name: str) -> None:
    """At most 1 unit in the last place of fp32 (of the narrow types: of their own rounding)."""
    rng = np.random.default_rng(3)
    dtype = DTYPES[name]
    unit = {"fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}[name]
    for low, high, reach in [(0.0, 2.0, 20.0), (0.9, 1.1, 800.0), (1e-30, 1e-10, 3.0), (1.0, 1e6, 5.0)]:
        a = np.minimum(rng.random((ROWS, COLS)) * (high - low) + low, 6e4).astype(dtype)
        b = ((rng.random((ROWS, COLS)) * 2 - 1) * reach).astype(dtype)
        got = run(build, name, POW, a, b, None, ROWS, COLS).astype(np.float64)
        with np.errstate(all="ignore"):
            exact = np.power(a.astype(np.float64), b.astype(np.float64))
            rounded = exact.astype(dtype).astype(np.float64)
        tiny = 6.2e-5 if name == "fp16" else 1.2e-38
        normal = np.isfinite(rounded) & (np.abs(exact) > tiny)
        assert (np.abs(got[normal] - exact[normal]) <= np.abs(exact[normal]) * unit).all()
        assert np.array_equal(got[np.isinf(rounded)], rounded[np.isinf(rounded)])
        below = np.abs(exact) <= tiny
        assert (np.abs(got[below] - exact[below]) <= (2.0**-24 if name == "fp16" else 2.0**-126 * unit)).all()
