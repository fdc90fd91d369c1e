"""Types of eight bits and less, saturation, quantisation: against tables of the formats and exact arithmetic."""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest

from .arrays import DTYPES, GUARD, Array, guarded, pointer, values
from .conftest import Build

ROWS, COLS = 4, 96
NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD = range(7)
DEFAULT, ON, OFF = range(3)


def hif8_value(code: int) -> float:
    """The format's definition: a prefix says how many exponent bits follow; sign, magnitude with a hidden one."""
    sign, rest = (-1.0 if code & 0x80 else 1.0), code & 0x7F
    if rest == 0:
        return math.nan if code else 0.0
    bits = f"{rest:07b}"
    if bits.startswith("0000"):
        return sign * 2.0 ** (int(bits[4:], 2) - 23)
    for prefix, size in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)):
        if bits.startswith(prefix):
            field, fraction = bits[len(prefix) : len(prefix) + size], bits[len(prefix) + size :]
            break
    exponent = int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1) if field else 0
    if exponent == 15 and fraction == "1":
        return sign * math.inf
    return sign * 2.0**exponent * (1 + int(fraction, 2) / 2 ** len(fraction))


@dataclass(frozen=True)
class Format:
    """Values by code; magnitudes in ascending order end with the first one that has no finite code."""

    source: str
    decoded: list[float]
    beyond: float
    overflow: int
    nan: int
    nibbles: bool = False

    @property
    def magnitudes(self) -> list[tuple[float, int]]:
        codes = [(v, c) for c, v in enumerate(self.decoded) if math.isfinite(v) and math.copysign(1, v) > 0]
        return [*sorted(codes), (self.beyond, -1)]


def table(dtype: object, codes: int = 256) -> list[float]:
    return [float(v) for v in np.arange(codes, dtype=np.uint8).view(np.dtype(dtype)).astype(np.float64)]


E1M2 = [sign * magnitude / 4 for sign in (1.0, -1.0) for magnitude in range(8)]
E2M1 = [sign * magnitude for sign in (1.0, -1.0) for magnitude in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)]
FORMATS = {
    "e4m3": Format("fp32", table(ml_dtypes.float8_e4m3fn), 480.0, 0x7F, 0x7F),
    "e5m2": Format("fp32", table(ml_dtypes.float8_e5m2), 65536.0, 0x7C, 0x7F),
    "hif8": Format("fp32", [hif8_value(code) for code in range(256)], 49152.0, 0x6F, 0x80),
    "e2m1": Format("fp32", E2M1, 8.0, 7, 7, nibbles=True),
    "e1m2": Format("bf16", E1M2, 2.0, 7, 7, nibbles=True),
}


def encode(fmt: Format, name: str, value: float, mode: int, saturate: bool) -> int:
    if math.isnan(value):
        return fmt.nan
    negative = math.copysign(1, value) < 0
    sign = (8 if fmt.nibbles else 0x80) if negative else 0
    ladder = fmt.magnitudes
    top = ladder[-2][1] if saturate else fmt.overflow
    magnitude = abs(value)
    if magnitude >= fmt.beyond:
        return sign | top
    at = bisect_right([v for v, _ in ladder], magnitude) - 1
    (low, low_code), (high, high_code) = ladder[at], ladder[at + 1]
    exact = magnitude == low
    tie = magnitude - low == high - magnitude
    if name == "hif8":
        mode = ROUND
    if mode == FLOOR:
        up = negative
    elif mode == CEIL:
        up = not negative
    elif mode == TRUNC:
        up = False
    elif mode == ODD:
        up = at % 2 == 0
    else:
        up = magnitude - low > high - magnitude or (tie and (mode == ROUND or at % 2 == 1))
    code = low_code if exact or not up else high_code
    code = top if code < 0 else code
    return 0 if name == "hif8" and code == 0 else sign | code


def as_codes(array: Array, nibbles: bool) -> Array:
    """The codes of a tile: bytes, or two nibbles in each byte of a tile without gaps."""
    raw = array.view(np.uint8)
    if not nibbles:
        return raw.reshape(ROWS, COLS)
    return np.stack([raw & 15, raw >> 4], axis=-1).reshape(-1)[: ROWS * COLS].reshape(ROWS, COLS)


def awkward(rng: np.random.Generator, fmt: Format) -> Array:
    """Values of every magnitude, many of them codes' values, the middles between two, and their neighbours."""
    data = values(rng, (ROWS, COLS), fmt.source)
    steps = [v for v, _ in fmt.magnitudes]
    middles = [(a + b) / 2 for a, b in pairwise(steps)]
    picks = rng.choice(np.array(steps + middles), (ROWS, COLS)) * rng.choice([1.0, -1.0], (ROWS, COLS))
    nudged = picks * rng.choice([1.0, 1 + 2.0**-7, 1 - 2.0**-7], (ROWS, COLS))
    return np.where(rng.random((ROWS, COLS)) < 0.7, nudged, data.astype(np.float64)).astype(DTYPES[fmt.source])


@pytest.mark.parametrize("saturation", [ON, OFF])
@pytest.mark.parametrize("mode", range(7), ids=["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"])
@pytest.mark.parametrize("name", list(FORMATS))
def test_to_small_floats(build: Build, name: str, mode: int, saturation: int) -> None:
    fmt = FORMATS[name]
    data = awkward(np.random.default_rng(mode), fmt)
    for rows, cols in [(4, 96), (3, 37), (0, 5)]:
        out = guarded((ROWS, COLS), np.dtype(np.uint8))
        kernel = getattr(build("numbers"), f"convert_{fmt.source}_{name}")
        kernel(pointer(out), pointer(data), mode, saturation, rows, cols)
        got = as_codes(out, fmt.nibbles)
        want = as_codes(guarded((ROWS, COLS), np.dtype(np.uint8)), fmt.nibbles).copy()
        for r in range(rows):
            for c in range(cols):
                want[r, c] = encode(fmt, name, float(data[r, c]), mode, saturation == ON)
        wrong = np.argwhere(got != want)
        assert not len(wrong), [(float(data[r, c]), int(got[r, c]), int(want[r, c])) for r, c in wrong[:5]]


@pytest.mark.parametrize("name", list(FORMATS))
def test_from_small_floats(build: Build, name: str) -> None:
    fmt = FORMATS[name]
    data = np.resize(np.arange(256, dtype=np.uint8), ROWS * COLS)
    out = guarded((ROWS, COLS), DTYPES[fmt.source])
    getattr(build("numbers"), f"convert_{name}_{fmt.source}")(pointer(out), pointer(data), RINT, ON, ROWS, COLS)
    want = np.array(fmt.decoded)[as_codes(data, fmt.nibbles)]
    assert np.array_equal(out.astype(np.float64), want, equal_nan=True)


def test_int4_is_packed_within_each_row(build: Build) -> None:
    rng = np.random.default_rng(1)
    data = (rng.integers(-40, 40, (ROWS, COLS)) * 0.5).astype(np.float16)
    data[0, :3] = [np.nan, np.inf, -np.inf]
    out = guarded((ROWS, COLS), np.dtype(np.uint8))
    build("numbers").convert_fp16_int4(pointer(out), pointer(data), RINT, ON, 3, 37)
    whole = np.clip(np.rint(np.nan_to_num(data.astype(np.float64), nan=0.0)), -8, 7).astype(np.int64) & 15
    want = guarded((ROWS, COLS), np.dtype(np.uint8))
    want[:3, :18] = whole[:3, 0:36:2] | whole[:3, 1:36:2] << 4
    want[:3, 18] = GUARD & 0xF0 | whole[:3, 36]
    assert np.array_equal(out, want)
    back = guarded((ROWS, COLS), np.dtype(np.float16))
    build("numbers").convert_int4_fp16(pointer(back), pointer(out), RINT, ON, 3, 37)
    assert np.array_equal(back[:3, :37], ((whole[:3, :37] ^ 8) - 8).astype(np.float16))


@pytest.mark.parametrize("pair", ["fp16_int8", "fp16_uint8", "fp16_int16", "fp32_int16", "int32_int16", "fp32_int32"])
@pytest.mark.parametrize("saturation", [DEFAULT, ON, OFF])
def test_saturation_of_narrow_integers(build: Build, pair: str, saturation: int) -> None:
    source, target = pair.split("_")
    data = values(np.random.default_rng(2), (ROWS, COLS), source)
    out = guarded((ROWS, COLS), DTYPES[target])
    getattr(build("numbers"), f"convert_{pair}")(pointer(out), pointer(data), RINT, saturation, ROWS, COLS)
    whole = np.rint(np.nan_to_num(data.astype(np.float64), nan=0.0, posinf=2.0**40, neginf=-(2.0**40)))
    info = np.iinfo(DTYPES[target])
    if saturation == ON or target == "int32":
        want = np.clip(whole, info.min, info.max).astype(np.int64)
    else:  # these pairs keep low bits by default, as on the devices
        want = np.clip(whole, -(2.0**31), 2.0**31 - 1).astype(np.int64)
    assert np.array_equal(out, want.astype(DTYPES[target]))


@pytest.mark.parametrize("form", range(4))
def test_quantise_rows(build: Build, form: int) -> None:
    rng = np.random.default_rng(form)
    data = (rng.standard_normal((ROWS, COLS)) * 60).astype(np.float32)
    data[0, :6] = [np.nan, np.inf, -np.inf, 0.5, 1.5, -2.5]
    scale = np.array([1.0, 0.37, 2.0, 3e-3], np.float32)
    offset = np.array([7.0, 128.0, -3.5, 0.25], np.float32)
    out = guarded((ROWS, COLS), np.dtype(np.uint8))
    build("numbers").quantise(pointer(out), pointer(data), pointer(scale), pointer(offset), form, 4, 83)
    scaled = data * scale[:, None]
    scaled = scaled + offset[:, None] if form >= 2 else scaled
    low, high = (0, 255) if form >= 2 else (-128, 127)
    want = np.clip(np.nan_to_num(np.rint(scaled.astype(np.float64)), nan=0.0), low, high).astype(np.int64)
    assert np.array_equal(out[:, :83], want[:, :83].astype(np.uint8))
    assert (out[:, 83:] == GUARD).all()


@pytest.mark.parametrize("source", ["int8", "int16"])
def test_dequantise_rows(build: Build, source: str) -> None:
    data = values(np.random.default_rng(3), (ROWS, COLS), source)
    scale = np.array([1.0, 0.37, -2.0, 3e-3], np.float32)
    offset = np.array([7.0, 128.0, -3.5, 0.25], np.float32)
    out = guarded((ROWS, COLS), np.dtype(np.float32))
    getattr(build("numbers"), f"dequantise_{source}")(
        pointer(out), pointer(data), pointer(scale), pointer(offset), 3, 95
    )
    want = (data.astype(np.float32) - offset[:, None]) * scale[:, None]
    assert np.array_equal(out[:3, :95], want[:3, :95])
    assert (out.view(np.uint8).reshape(ROWS, -1)[:3, 95 * 4 :] == GUARD).all()


def test_add_dequantise_relu(build: Build) -> None:
    a, b = (values(np.random.default_rng(seed), (ROWS, COLS), "int32") for seed in (4, 5))
    for scale in (1e-5, -1e-7, 2.0):
        out = guarded((ROWS, COLS), np.dtype(np.float16))
        build("numbers").add_dequantise(pointer(out), pointer(a), pointer(b), ctypes.c_float(scale), 4, 91)
        wide = (a.view(np.uint32) + b.view(np.uint32)).view(np.int32).astype(np.float32)
        exact = wide * np.float32(2.0**-17) * np.float32(scale) * np.float32(2.0**17)
        want = np.clip(exact, 0, 65504).astype(np.float16)
        assert np.array_equal(out[:, :91], want[:, :91])


@pytest.mark.parametrize("subtract", [0, 1])
@pytest.mark.parametrize("pair", ["fp32_fp16", "fp16_int8", "int16_int8"])
def test_combine_relu_narrow(build: Build, pair: str, subtract: int) -> None:
    source, target = pair.split("_")
    a, b = (values(np.random.default_rng(seed), (ROWS, COLS), source) for seed in (6, 7))
    if source != "int16":
        a, b = (np.nan_to_num(x, nan=1.0, posinf=3.0, neginf=-3.0) for x in (a, b))
    a[0, :2], b[0, :2] = [100, 100], [27, -27]
    out = guarded((ROWS, COLS), DTYPES[target])
    getattr(build("numbers"), f"narrow_{pair}")(pointer(out), pointer(a), pointer(b), subtract, 4, 61)
    wide_a, wide_b = (x.astype(np.float32 if source != "int16" else np.int64) for x in (a, b))
    with np.errstate(over="ignore"):
        exact = (wide_a - wide_b if subtract else wide_a + wide_b).astype(DTYPES[source] if source != "int16" else int)
    limited = np.clip(exact.astype(np.float64), 0, 65504 if target == "fp16" else 127)
    want = limited.astype(np.float16) if target == "fp16" else np.rint(limited).astype(np.int8)
    assert np.array_equal(out[:, :61], want[:, :61])
    assert (out[:, 61:].view(np.uint8) == GUARD).all()


def group_scale(largest: float, fp8: bool, nv: bool) -> tuple[int, float]:
    """The e8m0 code of a group and what its elements are multiplied by."""
    if math.isnan(largest):
        return 255, math.nan
    if math.isinf(largest):
        code = 254 if nv else 255 - (8 if fp8 else 2)
    elif largest == 0:
        code = 0
    elif nv:
        quotient = float(np.float32(largest) * np.float32(1 / 448 if fp8 else 1 / 6))
        code = max(0, math.ceil(math.log2(quotient)) + 127) if quotient > 0 else 0
    else:
        code = max(0, math.frexp(largest)[1] - 1 + 127 - (8 if fp8 else 2))
    return code, 2.0 ** (127 - code)


@pytest.mark.parametrize("kind", ["fp8_ocp_1", "fp8_nv_1", "fp8_ocp_0", "fp8_nv_0", "fp4_ocp_1", "fp4_nv_1"])
def test_microscaling(build: Build, kind: str) -> None:
    fp8, nv, axis = kind.startswith("fp8"), "_nv_" in kind, int(kind[-1])
    rng = np.random.default_rng(8)
    magnitude = 2.0 ** rng.integers(-12, 12, (64, 1) if axis else (1, 64))
    data = (rng.standard_normal((64, 64)) * magnitude).astype(np.float32 if fp8 else np.float16)
    if axis:
        data[0, :32], data[1, 3], data[2, 5], data[3, 7] = 0, np.nan, np.inf, -np.inf
    rows, cols = (61, 64) if axis else (64, 45)
    codes = guarded((64, 64) if fp8 else (64, 32), np.dtype(np.uint8))
    exponents = guarded((64, 32) if axis else (32, 64) if "ocp" in kind else (1, 128), np.dtype(np.uint8))
    largest, factors = guarded((128,), np.dtype(np.float32)), guarded((128,), np.dtype(np.float32))
    getattr(build("numbers"), f"mx_{kind}")(
        pointer(codes), pointer(exponents), pointer(largest), pointer(factors), pointer(data), rows, cols
    )
    fmt = FORMATS["e4m3" if fp8 else "e2m1"]
    plain = codes if fp8 else np.stack([codes & 15, codes >> 4], axis=-1).reshape(64, 64)
    for line in range(rows if axis else cols):
        for group in range(2):
            part = np.s_[line, 32 * group : 32 * group + 32] if axis else np.s_[32 * group : 32 * group + 32, line]
            values_of = data[part].astype(np.float64)
            if fp8 or nv:
                peak = float(np.nanmax(np.abs(values_of))) if fp8 or not np.isnan(values_of).any() else math.nan
            else:  # compared as truncated bf16
                bits = (np.abs(values_of).astype(np.float32).view(np.uint32) >> 16).max()
                peak = float(np.uint32(bits << 16).view(np.float32))
            code, factor = group_scale(peak, fp8, nv)
            flat = line * 2 + group if axis else group * cols + line
            got = (
                exponents[line, group]
                if axis
                else exponents[group, line]
                if "ocp" in kind
                else exponents[0, 2 * line + group]
            )
            assert got == code, (line, group)
            if code != 255:
                assert largest[flat] == np.float32(peak)
                assert factors[flat] == np.float32(factor)
            want = [
                7 if math.isnan(factor) else encode(fmt, "e4m3", float(np.float32(v) * np.float32(factor)), RINT, True)
                for v in values_of
            ]
            want = [0 if fp8 and not nv and w == 0x80 else w for w in want]
            assert plain[part].tolist() == want, (line, group)
    untouched = codes[rows:] if axis else plain[:, cols:] if fp8 else codes[:, :0]
    assert (untouched == GUARD).all()
