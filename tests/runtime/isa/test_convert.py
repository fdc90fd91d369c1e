"""TCVT: every pair of types in every rounding mode, against exact rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 4, 288
NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD = range(7)
PAIRS = [
    "fp32_fp16",
    "fp32_bf16",
    "fp32_int32",
    "fp32_int16",
    "fp32_int8",
    "fp32_int64",
    "fp32_fp32",
    "fp16_fp32",
    "fp16_int8",
    "fp16_uint8",
    "fp16_int32",
    "bf16_fp32",
    "bf16_int32",
    "bf16_fp16",
    "int32_fp32",
    "int32_fp16",
    "int32_bf16",
    "int32_int16",
    "int32_int8",
    "int32_int64",
    "int16_fp32",
    "int8_fp32",
    "int8_fp16",
    "uint8_fp16",
    "int64_int32",
    "int64_fp32",
]
# (bits of precision, lowest exponent, largest finite value)
FORMATS = {
    "fp32": (24, -126, Fraction((2**24 - 1) * 2**104)),
    "fp16": (11, -14, Fraction(65504)),
    "bf16": (8, -126, Fraction(255 * 2**120)),
}


def to_whole(x: Fraction, mode: int) -> int:
    down = math.floor(x)
    rest = x - down
    if rest == 0 or mode == FLOOR:
        return down
    if mode == CEIL:
        return down + 1
    if mode == TRUNC:
        return down if x > 0 else down + 1
    if mode == ODD:
        return down if down % 2 else down + 1
    if rest != Fraction(1, 2):
        return down + (rest > Fraction(1, 2))
    return (down if x < 0 else down + 1) if mode == ROUND else down + down % 2


def to_float(x: Fraction, name: str, mode: int) -> float:
    if x == 0:
        return 0.0
    digits, lowest, largest = FORMATS[name]
    exponent = abs(x).numerator.bit_length() - abs(x).denominator.bit_length()
    if abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    place = Fraction(2) ** (max(exponent, lowest) - digits + 1)
    result = to_whole(x / place, mode) * place
    if abs(result) > largest:
        toward_zero = mode in (TRUNC, ODD) or (mode == FLOOR and x > 0) or (mode == CEIL and x < 0)
        return math.copysign(float(largest) if toward_zero else math.inf, x)
    return float(result)


def whole_float(value: float, mode: int) -> float:
    """A float in its own type becomes a whole number (A2/A3: "round-only"); the sign of a zero is the value's."""
    return value if not math.isfinite(value) else math.copysign(float(to_whole(Fraction(value), mode)), value)


@cache
def golden(value: float | int, target: str, mode: int, saturate: bool) -> float | int:
    if target in FLOATS:
        return (
            value if isinstance(value, float) and not math.isfinite(value) else to_float(Fraction(value), target, mode)
        )
    info = np.iinfo(DTYPES[target])
    if isinstance(value, float) and math.isnan(value):
        return 0
    if isinstance(value, float) and math.isinf(value):
        return int(info.max if value > 0 else info.min)
    whole = value if isinstance(value, int) else to_whole(Fraction(value), mode)
    if isinstance(value, int) and not saturate:
        bits = info.bits
        wrapped = whole % (1 << bits)
        return wrapped - (1 << bits) if info.min < 0 and wrapped >> (bits - 1) else wrapped
    return min(max(whole, int(info.min)), int(info.max))


def sources(rng: np.random.Generator, source: str, target: str) -> np.ndarray:
    """Values of the source type, many of them close to a tie or to the limits of the target."""
    data = values(rng, (ROWS, COLS), source)
    if source in FLOATS:
        halves = (rng.integers(-300, 300, (ROWS, COLS)) * 0.5).astype(DTYPES[source])
        data = np.where(rng.random((ROWS, COLS)) < 0.4, halves, data)
        edges = [
            2147483648.0,
            -2147483648.0,
            2147483520.0,
            3e9,
            32767.5,
            -32768.5,
            127.5,
            -128.5,
            255.5,
            65519.9,
            65520.0,
            65536.0,
            3.4e38,
            1e-40,
            2.0**-25,
            1.5 * 2.0**-25,
            2.0**-24,
            9.3e18,
            -9.3e18,
            1.00390625,
            1.01171875,
        ]
        with np.errstate(over="ignore"):
            data.reshape(-1)[: len(edges)] = np.array(edges).astype(DTYPES[source])
    elif source in ("int32", "int64"):
        small = rng.integers(-70000, 70000, (ROWS, COLS)).astype(DTYPES[source])
        data = np.where(rng.random((ROWS, COLS)) < 0.4, small, data)
        data[0, :8] = [16777217, 16777219, -16777217, 257, 65519, 65520, -32769, 2**24 + 2**23 + 1]
    return data.astype(DTYPES[source])


@pytest.mark.parametrize("mode", range(7), ids=["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"])
@pytest.mark.parametrize("pair", PAIRS)
def test_conversion(build: Build, pair: str, mode: int) -> None:
    source, target = pair.split("_")
    rng = np.random.default_rng(mode)
    data = sources(rng, source, target)
    for rows, cols in [(4, 288), (3, 19), (1, 1)]:
        out = guarded((ROWS, COLS), DTYPES[target])
        getattr(build("convert"), f"convert_{pair}")(pointer(out), pointer(data), mode, 1, rows, cols)
        plain = float if source in FLOATS else int
        expected = (
            np.array(
                [
                    whole_float(float(v), mode) if source == target else golden(plain(v), target, mode, True)
                    for v in data[:rows, :cols].reshape(-1)
                ],
                np.float64 if target in FLOATS else object,
            )
            .astype(DTYPES[target])
            .reshape(rows, cols)
        )
        assert same(out[:rows, :cols], expected), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])


@pytest.mark.parametrize("pair", ["int8_fp16", "uint8_fp16"])
def test_all_bytes(build: Build, pair: str) -> None:
    """Every byte, at every place of a vector and in a tail."""
    source, target = (DTYPES[name] for name in pair.split("_"))
    data = np.stack([np.resize(np.roll(np.arange(256, dtype=np.uint8), r), COLS) for r in range(ROWS)]).view(source)
    out = guarded((ROWS, COLS), target)
    getattr(build("convert"), f"convert_{pair}")(pointer(out), pointer(data), RINT, 1, ROWS, COLS)
    assert (out.view(np.uint16) == data.astype(target).view(np.uint16)).all()


@pytest.mark.parametrize("pair", ["int32_int16", "int32_int8", "int64_int32"])
def test_without_saturation_the_low_bits_stay(build: Build, pair: str) -> None:
    source, target = pair.split("_")
    data = sources(np.random.default_rng(5), source, target)
    out = guarded((ROWS, COLS), DTYPES[target])
    getattr(build("convert"), f"convert_{pair}")(pointer(out), pointer(data), RINT, 0, ROWS, COLS)
    assert same(out, data.astype(DTYPES[target]))
