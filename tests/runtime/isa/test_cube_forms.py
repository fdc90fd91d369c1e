"""Products with bias, of vectors and in MX formats, and stores of accumulators under quantisation words."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from pyptogen.lower.isa.table import PRODUCTS

from .arrays import DTYPES, Array, guarded, pointer, same
from .conftest import Build
from .test_numbers import FORMATS

PLAIN, BIAS, ACCUMULATE = range(3)
CODED = {"fp8_e4m3", "fp8_e5m2", "hif8"}
EIGHT_BITS = sorted(f"{a}_{b}".replace("fp8_", "") for a, b, _ in PRODUCTS["cpu"] if {a, b} <= CODED)
SHAPES = [(1, 192, 64), (5, 33, 17), (16, 64, 32), (33, 130, 48), (48, 192, 64)]
INNER, COLS, ROWS = 192, 64, 48


def operands(rng: np.random.Generator, name: str, m: int, k: int, n: int) -> tuple[Array, Array, Array]:
    if name == "int8":
        a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((m, k), (k, n)))
        return a, b, rng.integers(-(2**20), 2**20, (1, n)).astype(np.int32)
    a, b = (rng.standard_normal(shape).astype(DTYPES[name]) for shape in ((m, k), (k, n)))
    return a, b, rng.standard_normal((1, n)).astype(np.float32)


def expected(form: int, product: Array, bias: Array) -> Array:
    return product if form == PLAIN else product + bias if form == BIAS else 3 * product


@pytest.mark.parametrize("vector", [0, 1])
@pytest.mark.parametrize("form", [PLAIN, BIAS, ACCUMULATE])
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "int8"])
def test_forms(build: Build, name: str, form: int, vector: int) -> None:
    rng = np.random.default_rng(form)
    for m, k, n in SHAPES:
        a, b, bias = operands(rng, name, m, k, n)
        c = guarded((m, n), np.dtype(np.int32 if name == "int8" else np.float32))
        getattr(build("cube_forms"), f"multiply_{name}")(
            form, vector, pointer(c), pointer(a), pointer(b), pointer(bias), m, k, n
        )
        want = expected(form, a.astype(np.float64) @ b.astype(np.float64), bias.astype(np.float64))
        if name == "int8":
            assert np.array_equal(c, want.astype(np.int32))
        else:
            size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.abs(bias)
            assert (np.abs(c - want) <= 3 * k * 2.0**-24 * size).all(), (m, k, n)


@pytest.mark.parametrize("form", [PLAIN, BIAS, ACCUMULATE])
@pytest.mark.parametrize("kinds", EIGHT_BITS)
def test_fp8(build: Build, kinds: str, form: int) -> None:
    """Every code of both operands, also of two kinds; infinities and NaN reach the elements that they belong to."""
    rng = np.random.default_rng(form)
    tables = [np.array(FORMATS[kind].decoded) for kind in kinds.split("_")]
    for m, k, n in SHAPES:
        codes = [rng.integers(0, 256, shape).astype(np.uint8) for shape in ((m, k), (k, n))]
        for table, plain in zip(tables, codes, strict=True):
            plain[(~np.isfinite(table))[plain] & (rng.random(plain.shape) < 0.99)] = 0x21
        a, b = (table[plain] for table, plain in zip(tables, codes, strict=True))
        bias = rng.standard_normal((1, n)).astype(np.float32)
        c = guarded((m, n), np.dtype(np.float32))
        getattr(build("cube_forms"), f"multiply_{kinds}")(
            form, 0, pointer(c), pointer(codes[0]), pointer(codes[1]), pointer(bias), m, k, n
        )
        with np.errstate(invalid="ignore"):
            want = expected(form, (a[:, :, None] * b).sum(axis=1), bias.astype(np.float64))
            size = (np.abs(a[:, :, None]) * np.abs(b)).sum(axis=1) + np.abs(bias)
            close = np.abs(c - want) <= 3 * k * 2.0**-24 * size
        assert (close | (c == want) | (np.isnan(c) & np.isnan(want))).all(), (m, k, n)


def test_halves_are_exact(build: Build) -> None:
    """One product a sum: every pair of halves, denormals included, rounded once to fp32."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2**16, (48, 1)).astype(np.uint16).view(np.float16)
    b = rng.integers(0, 2**16, (1, 64)).astype(np.uint16).view(np.float16)
    a[:4, 0], b[0, :4] = [65504, 2**-24, -(2**-24), 0], [65504, 2**-24, 1.0009765625, -0.0]
    a, b = (np.where(np.isfinite(x), x, np.float16(1.5)) for x in (a, b))
    c = guarded((48, 64), np.dtype(np.float32))
    bias = np.zeros((1, 64), np.float32)
    build("cube_forms").multiply_fp16(PLAIN, 0, pointer(c), pointer(a), pointer(b), pointer(bias), 48, 1, 64)
    assert np.array_equal(c, a.astype(np.float32) * b.astype(np.float32))


@pytest.mark.parametrize("m", [3, 40])
def test_halves_without_a_split(build: Build, m: int) -> None:
    """Infinities and NaN reach the elements that they belong to, and no others."""
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, 160), (160, 48)))
    a[0, 5], a[2, 150], b[7, 33], b[140, 47] = np.inf, np.nan, -np.inf, np.nan
    c = guarded((m, 48), np.dtype(np.float32))
    bias = np.zeros((1, 48), np.float32)
    build("cube_forms").multiply_fp16(PLAIN, 0, pointer(c), pointer(a), pointer(b), pointer(bias), m, 160, 48)
    with np.errstate(invalid="ignore"):
        want = np.array([[np.sum(row.astype(np.float64) * col.astype(np.float64)) for col in b.T] for row in a])
    assert np.array_equal(np.isnan(c), np.isnan(want))
    assert np.array_equal(c[np.isinf(want)], want[np.isinf(want)])
    assert np.isfinite(c[np.isfinite(want)]).all()


def rounded_fp32(x: Array, away: bool) -> Array:
    """HF32 of A2/A3: 11 bits of the fraction, denormals zero."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    whole = np.ldexp(fraction, 12)
    nearest = np.copysign(np.floor(np.abs(whole) + 0.5), whole) if away else np.rint(whole)
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.ldexp(nearest, exponent - 12).astype(np.float32)
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), result)


@pytest.mark.parametrize("away", [False, True], ids=["CAST_RINT", "CAST_ROUND"])
def test_products_with_rounded_operands(build: Build, away: bool) -> None:
    """Rounded fractions have 12 bits, so that each product of two is exact."""
    function = build("cube_forms").multiply_rounded
    rng = np.random.default_rng(5)
    bits = rng.integers(0x30000000, 0x50000000, (48, 1)).astype(np.uint32)
    bits[:8, 0] = [0x3F800800, 0x3F801800, 0xBF800801, 0x3FFFFFFF, 0x007FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00001]
    a, b = bits.view(np.float32), np.float32([[1, -1, 1.5, 1 + 2.0**-12, 1 + 2.0**-11 + 2.0**-12, 0.0, 3, 1e-40]])
    sized = [(a, b)] + [
        (rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32))
        for m, k, n in SHAPES
    ]
    for left, right in sized:
        (m, k), n = left.shape, right.shape[1]
        results = [guarded((m, n), np.dtype(np.float32)) for _ in range(3)]
        function(int(away), *map(pointer, results), pointer(left), pointer(right), m, k, n)
        wide, narrow = (
            [f(x).astype(np.float64) for x in (left, right)] for f in (np.asarray, lambda x: rounded_fp32(x, away))
        )
        for got, (x, y) in zip(results, (narrow, wide, wide), strict=True):
            with np.errstate(all="ignore"):
                want, bound = x @ y, k * 2.0**-24 * (np.abs(x) @ np.abs(y))
                if k == 1:
                    assert same(got, want.astype(np.float32))
                else:
                    assert (np.abs(got - want) <= bound).all(), (m, k, n)


@pytest.mark.parametrize("form", [PLAIN, BIAS, ACCUMULATE])
@pytest.mark.parametrize("kinds", ["e4m3_e5m2", "e4m3_e4m3", "e2m1_e1m2"])
def test_mx(build: Build, kinds: str, form: int) -> None:
    rng = np.random.default_rng(form)
    formats = [FORMATS[kind] for kind in kinds.split("_")]
    for m, k, n in [(1, 192, 64), (5, 64, 16), (33, 160, 40), (48, 96, 64)]:
        plain = []
        for fmt, shape in zip(formats, ((m, k), (k, n)), strict=True):
            table = np.array(fmt.decoded)
            usable = np.flatnonzero(np.isfinite(table) & (np.abs(table) <= 64))
            plain.append(rng.choice(usable, shape).astype(np.uint8))
        a, b = (np.array(fmt.decoded)[codes] for fmt, codes in zip(formats, plain, strict=True))
        stored = [
            codes if not fmt.nibbles else np.ascontiguousarray(codes.reshape(-1)[::2] | codes.reshape(-1)[1::2] << 4)
            for fmt, codes in zip(formats, plain, strict=True)
        ]
        a_scale = rng.integers(110, 140, (ROWS, INNER // 32)).astype(np.uint8)
        b_scale = rng.integers(110, 140, (INNER // 32, COLS)).astype(np.uint8)
        if n > 3 and m > 2:
            b_scale[0, 2] = 255
        bias = rng.standard_normal(n).astype(np.float32)
        c = guarded((m, n), np.dtype(np.float32))
        getattr(build("cube_forms"), f"multiply_mx_{kinds}")(
            form, pointer(c), pointer(stored[0]), pointer(stored[1]), pointer(a_scale), pointer(b_scale),
            pointer(bias), m, k, n,
        )  # fmt: skip
        factors = [2.0 ** (s.astype(np.float64) - 127) for s in (a_scale, b_scale)]
        wide_a = a * np.repeat(factors[0], 32, axis=1)[:m, :k]
        wide_b = b * np.repeat(factors[1], 32, axis=0)[:k, :n]
        want = expected(form, wide_a @ wide_b, bias.astype(np.float64))
        size = np.abs(wide_a) @ np.abs(wide_b) + np.abs(bias)
        broken = np.zeros((m, n), bool)
        if n > 3 and m > 2:
            broken[:, 2] = True
        assert np.isnan(c[broken]).all()
        assert (np.abs(c - want)[~broken] <= (3 * k * 2.0**-24 * size)[~broken]).all(), (m, k, n)


def word(factor: float, offset: int = 0, signed: bool = False) -> int:
    bits = int(np.float32(factor).view(np.uint32)) & 0xFFFFE000
    return bits | (offset & 0x1FF) << 37 | int(signed) << 46


LIMITS: dict[str, Callable[[Array], Array]] = {
    "int8": lambda v: np.clip(np.rint(v), -128, 127).astype(np.int8),
    "uint8": lambda v: np.clip(np.rint(v), 0, 255).astype(np.uint8),
    "fp16": lambda v: np.clip(v, -65504, 65504).astype(np.float16),
    "fp32": lambda v: v,
    "bf16": lambda v: v.astype(DTYPES["bf16"]),
}


@pytest.mark.parametrize("form", range(4))
@pytest.mark.parametrize("pair", ["fp32_int8", "int32_uint8", "int32_fp16", "fp32_fp16", "fp32_fp32", "int32_bf16"])
def test_stores_under_words(build: Build, pair: str, form: int) -> None:
    source, target = pair.split("_")
    rng = np.random.default_rng(form)
    rows, cols = 19, 37
    data = (rng.standard_normal((rows, cols)) * 300).astype(DTYPES[source])
    offset = -5 if target in ("int8", "uint8") else 0
    factors = rng.choice([0.25, 1.5, -0.75, 3.0], COLS)
    words = np.array([word(f, offset, target == "int8") for f in factors], np.uint64)
    out = guarded((rows, cols), DTYPES[target])
    getattr(build("cube_forms"), f"store_{pair}")(
        form, pointer(out), pointer(data), ctypes.c_uint64(word(0.75, offset, target == "int8")), pointer(words),
        rows, cols,
    )  # fmt: skip
    scaled = data.astype(np.float32) * (np.float32(0.75) if form < 2 else factors[:cols].astype(np.float32))
    if target in ("int8", "uint8"):  # nine bits before the offset
        scaled = np.clip(np.rint(scaled), -256, 255)
    want = LIMITS[target](scaled + np.float32(offset))
    assert np.array_equal(out, np.maximum(want, 0) if form % 2 else want)
