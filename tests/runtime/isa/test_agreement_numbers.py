"""Matrix products and quantising instructions agree with their meanings."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest

from pyptogen.simulate.meaning import MEANINGS, Shaped

from .agreement.registry import agreement
from .arrays import DTYPES, Array, guarded, pointer, values
from .conftest import Build
from .test_agreement_edges import edges
from .test_agreement_moves import same, words
from .test_cube_forms import ACCUMULATE, BIAS, COLS, INNER, PLAIN, ROWS, SHAPES, operands
from .test_numbers import FORMATS
from .test_numbers import ROWS as TILE_ROWS

SUMS = 2.0**-22
"""Part of the sum of magnitudes by which fp32 sums along K may differ from exact ones."""


def near(got: Array, want: Array, size: Array) -> bool:
    if got.dtype.kind == "i":
        return bool((got == want).all())
    return bool((np.abs(got.astype(np.float64) - want) <= SUMS * np.sqrt(INNER) * size).all())


@agreement("TMATMUL", "TMATMUL_ACC", "TMATMUL_BIAS", "TGEMV", "TGEMV_ACC", "TGEMV_BIAS")
@pytest.mark.parametrize("vector", [0, 1], ids=["TMATMUL", "TGEMV"])
@pytest.mark.parametrize("form", [PLAIN, BIAS, ACCUMULATE])
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "int8"])
def test_products(build: Build, name: str, form: int, vector: int) -> None:
    stem, kind = ("TGEMV" if vector else "TMATMUL"), "int32" if name == "int8" else "fp32"
    rng = np.random.default_rng(10 + form)
    for m, k, n in SHAPES:
        a, b, bias = operands(rng, name, m, k, n)
        c = guarded((m, n), DTYPES[kind])
        function = getattr(build("cube_forms"), f"multiply_{name}")
        function(form, vector, pointer(c), pointer(a), pointer(b), pointer(bias), m, k, n)
        dst = Shaped(kind, m, n)
        if form == PLAIN:
            want = MEANINGS[stem](dst, a, b)
        elif form == BIAS:
            want = MEANINGS[f"{stem}_BIAS"](dst, a, b, bias)
        else:
            want = MEANINGS["TMATMUL_ACC"](
                dst, MEANINGS[f"{stem}_ACC"](dst, MEANINGS["TMATMUL"](dst, a, b), a, b), a, b
            )
        assert near(c, want, np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.abs(bias))


@agreement("TMATMUL")
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16"])
def test_products_of_extremes(build: Build, name: str) -> None:
    """Every product of two extreme values, alone and before zeros: exact; with denormals of bf16 exact or zero."""
    found = edges(name)
    tiny = float(np.finfo(np.float32).tiny)
    for zeros in (0, 1, 40):
        a = np.concatenate([found[:, None], np.zeros((len(found), zeros), found.dtype)], axis=1)
        b = np.concatenate([found[None, :], np.ones((zeros, len(found)), found.dtype)], axis=0)
        bias, c = np.zeros((1, len(found)), np.float32), guarded((len(found), len(found)), DTYPES["fp32"])
        function = getattr(build("cube_forms"), f"multiply_{name}")
        function(PLAIN, 0, pointer(c), pointer(a), pointer(b), pointer(bias), *a.shape, len(found))
        want = MEANINGS["TMATMUL"](Shaped("fp32", *c.shape), a, b)
        exact = (c == want) | (np.isnan(c) & np.isnan(want))
        if name == "bf16":
            small = [(np.abs(x.astype(np.float64)) < tiny) & (x != 0) for x in (found[:, None], found[None, :])]
            exact |= (c == 0) & (small[0] | small[1] | (np.abs(want) < tiny))
            exact |= np.isnan(c) & np.isinf(want) & (small[0] | small[1])  # infinity times a denormal
        assert exact.all(), [(a[i, 0], b[0, j], c[i, j], want[i, j]) for i, j in np.argwhere(~exact)[:3]]


@agreement("TMATMUL_MX", "TGEMV_MX")
@pytest.mark.parametrize("form", [PLAIN, BIAS, ACCUMULATE])
@pytest.mark.parametrize("kinds", ["e4m3_e5m2", "e4m3_e4m3", "e2m1_e1m2"])
def test_microscaled_products(build: Build, kinds: str, form: int) -> None:
    rng = np.random.default_rng(form)
    formats = [FORMATS[kind] for kind in kinds.split("_")]
    for m, k, n in [(1, 192, 64), (5, 64, 16), (33, 160, 40)]:
        codes = []
        for fmt, shape in zip(formats, ((m, k), (k, n)), strict=True):
            table = np.array(fmt.decoded)
            codes.append(
                rng.choice(np.flatnonzero(np.abs(np.nan_to_num(table, nan=np.inf)) <= 64), shape).astype(np.uint8)
            )
        a, b = (np.array(fmt.decoded)[part] for fmt, part in zip(formats, codes, strict=True))
        stored = [
            part if not fmt.nibbles else np.ascontiguousarray(part.reshape(-1)[::2] | part.reshape(-1)[1::2] << 4)
            for fmt, part in zip(formats, codes, strict=True)
        ]
        scale_a = rng.integers(118, 136, (ROWS, INNER // 32)).astype(np.uint8)
        scale_b = rng.integers(118, 136, (INNER // 32, COLS)).astype(np.uint8)
        bias, c = rng.standard_normal((1, COLS)).astype(np.float32), guarded((m, n), DTYPES["fp32"])
        getattr(build("cube_forms"), f"multiply_mx_{kinds}")(
            form, *map(pointer, (c, *stored, scale_a, scale_b, bias)), m, k, n
        )
        groups = -(-k // 32)
        scales = [s.view(ml_dtypes.float8_e8m0fnu) for s in (scale_a[:m, :groups], scale_b[:groups, :n])]
        dst, args = Shaped("fp32", m, n), (a, scales[0], b, scales[1])
        plain = MEANINGS["TMATMUL_MX"](dst, *args)
        if form == PLAIN:
            want = plain
        elif form == BIAS:
            want = MEANINGS["TGEMV_MX(acc, left, ls, right, rs, bias)"](dst, *args, bias[:, :n])
        else:
            twice = MEANINGS["TGEMV_MX(acc, acc, left, ls, right, rs)"](dst, plain, *args)
            want = MEANINGS["TMATMUL_MX(acc, acc, left, ls, right, rs)"](dst, twice, *args)
        left, right = (np.abs(x) * np.repeat(s.astype(np.float64), 32, axis)[: x.shape[0], : x.shape[1]]
                       for x, s, axis in ((a, scales[0], 1), (b, scales[1], 0)))  # fmt: skip
        assert near(c, want, 3 * (left @ right) + np.abs(bias[:, :n]))


@agreement("TQUANT", "TDEQUANT", "TADDDEQRELU", "TADDRELUCONV", "TSUBRELUCONV")
def test_quantisation(build: Build) -> None:
    rng, lib = np.random.default_rng(1), build("numbers")
    scale = np.array([[1.0], [0.37], [2.0], [3e-3]], np.float32)
    offset = np.array([[7.0], [128.0], [-3.5], [0.25]], np.float32)
    data = values(rng, (TILE_ROWS, 96), "fp32")
    for form in range(4):
        kind, out = ("uint8" if form >= 2 else "int8"), guarded((4, 96), np.dtype(np.uint8))
        lib.quantise(pointer(out), pointer(data), pointer(scale), pointer(offset), form, 4, 83)
        want = MEANINGS["TQUANT"](Shaped(kind, 4, 83), data[:, :83], scale, *([offset] if form >= 2 else []))
        assert np.array_equal(out[:, :83].view(want.dtype), want)
    for source in ("int8", "int16"):
        codes, out = values(rng, (4, 96), source), guarded((4, 96), DTYPES["fp32"])
        getattr(lib, f"dequantise_{source}")(*map(pointer, (out, codes, scale, offset)), 3, 95)
        assert same(out[:3, :95].copy(), MEANINGS["TDEQUANT"](Shaped("fp32", 3, 95), codes[:3, :95], scale, offset))
    a, b = (values(rng, (4, 96), "int32") for _ in range(2))
    for factor in (1e-5, -1e-7, 2.0):
        out = guarded((4, 96), DTYPES["fp16"])
        lib.add_dequantise(pointer(out), pointer(a), pointer(b), ctypes.c_float(factor), 4, 91)
        want = MEANINGS["TADDDEQRELU"](Shaped("fp16", 4, 91), a[:, :91], b[:, :91], factor)
        assert same(out[:, :91].copy(), want)
    for pair in ("fp32_fp16", "fp16_int8", "int16_int8"):
        source, target = pair.split("_")
        x, y = (values(rng, (4, 96), source) for _ in range(2))
        for subtract, name in enumerate(("TADDRELUCONV", "TSUBRELUCONV")):
            out = guarded((4, 96), DTYPES[target])
            getattr(lib, f"narrow_{pair}")(pointer(out), pointer(x), pointer(y), subtract, 4, 61)
            assert same(out[:, :61].copy(), MEANINGS[name](Shaped(target, 4, 61), x[:, :61], y[:, :61])), (pair, name)


@agreement("TQUANT")
@pytest.mark.parametrize("kind", ["fp8_ocp_1", "fp8_nv_1", "fp8_ocp_0", "fp8_nv_0", "fp4_ocp_1", "fp4_nv_1"])
def test_microscaling(build: Build, kind: str) -> None:
    fp8, nv, axis = kind.startswith("fp8"), "_nv_" in kind, int(kind[-1])
    rng = np.random.default_rng(2)
    data = (rng.standard_normal((64, 64)) * 2.0 ** rng.integers(-12, 12, (64, 64))).astype(
        np.float32 if fp8 else np.float16
    )
    if axis:
        data[0, :32], data[1, 3], data[2, 5], data[3, 7] = 0, np.nan, np.inf, -np.inf
    rows, cols = (61, 64) if axis else (64, 45)
    codes = guarded((64, 64) if fp8 else (64, 32), np.dtype(np.uint8))
    exponents = guarded((64, 32) if axis else (32, 64) if "ocp" in kind else (1, 128), np.dtype(np.uint8))
    peaks, factors = guarded((128,), np.dtype(np.float32)), guarded((128,), np.dtype(np.float32))
    getattr(build("numbers"), f"mx_{kind}")(*map(pointer, (codes, exponents, peaks, factors, data)), rows, cols)
    target = (Shaped("fp8_e4m3" if fp8 else "fp4_e2m1", rows, cols),)
    want, exps, largest, scaling = MEANINGS["TQUANT(dst, a, exp, max, scaling)"](target, data[:rows, :cols], nv, axis)
    plain = codes if fp8 else np.stack([codes & 15, codes >> 4], axis=-1).reshape(64, 64)
    got = np.array(FORMATS["e4m3" if fp8 else "e2m1"].decoded)[plain[:rows, :cols]]
    wide = want.astype(np.float64)
    assert ((got == wide) & (np.signbit(got) == np.signbit(wide)) | np.isnan(got) & np.isnan(wide)).all()
    if axis:
        assert np.array_equal(exponents[:rows, :2], exps)
    elif "ocp" in kind:
        assert np.array_equal(exponents[:2, :cols], exps)
    else:
        assert np.array_equal(exponents[0].reshape(64, 2)[:cols].T, exps)
    flat = largest.reshape(-1), scaling.reshape(-1)
    finite = exps.reshape(-1) != 255
    assert np.array_equal(peaks[: flat[0].size][finite], flat[0][finite])
    assert np.array_equal(factors[: flat[1].size][finite], flat[1][finite])


@pytest.mark.parametrize(("form", "as_form", "width"), [("fp8_wide", "fp8_ocp_0", 96), ("fp4_flat", "fp4_ocp_1", 32)])
def test_microscaling_as_kernels_for_devices_declare_it(build: Build, form: str, as_form: str, width: int) -> None:
    """A destination wider than the source with exponents of type e8m0, and four-bit codes row behind row: the codes
    and the exponents of the form that the test above judges."""
    data = np.random.default_rng(5).standard_normal((64, 64)).astype(np.float32 if width > 64 else np.float16)
    got = []
    for kind, across in ((as_form, min(width, 64)), (form, width)):
        codes, exponents = np.zeros((64, across), np.uint8), np.zeros((64, 64), np.uint8)
        peaks = np.zeros((2, 128), np.float32)
        getattr(build("numbers"), f"mx_{kind}")(*map(pointer, (codes, exponents, *peaks, data)), 64, 64)
        got.append((codes[:, : min(width, 64)], exponents))
    assert got[0][0].any()
    assert np.array_equal(got[0][0], got[1][0])
    assert np.array_equal(got[0][1], got[1][1])


@agreement("SET_QUANT_SCALAR", "SET_QUANT_VECTOR", "TPUSH", "TPOP", "TFREE")
def test_words_of_pushes(build: Build) -> None:
    """The registers are what a push under a quantisation mode reads."""
    sent = np.random.default_rng(3).integers(-4000, 4000, (16, 32), dtype=np.int32)
    code = words(np.random.default_rng(4), 32) | np.uint64(1 << 46)
    assert MEANINGS["SET_QUANT_VECTOR"](code) == MEANINGS["SET_QUANT_SCALAR"](0.125) == ()
    out = np.zeros((16, 32), np.int8)
    build("agreement").push_by_columns(pointer(out), pointer(sent), pointer(code))
    queue, slots = MEANINGS["TPUSH"]((), sent), MEANINGS["TALLOC"](0, 1)
    queue, popped = MEANINGS["TPOP"](queue)
    assert queue == ()
    assert MEANINGS["TFREE"](slots) == 0
    assert np.array_equal(out, MEANINGS["TMOV_FP"](Shaped("int8", 16, 32), popped, code.reshape(1, -1)))
    build("system").push_quantised(pointer(out), pointer(sent), ctypes.c_float(0.125))
    one = int(np.float32(0.125).view(np.uint32)) | 1 << 46
    assert np.array_equal(out, MEANINGS["TMOV"](Shaped("int8", 16, 32), popped, one, relu=True))
