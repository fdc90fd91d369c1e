"""Moves agree with their meanings: loads, stores, parts, insertions, padding, transposition, side by side, and what the
fixpipe does on the way."""

from __future__ import annotations

import numpy as np
import pytest

from pyptogen.simulate.meaning import MEANINGS, Shaped

from .agreement.registry import agreement
from .arrays import DTYPES, Array, guarded, is_guard, pointer, values
from .conftest import Build
from .test_movement import PLAIN, elements, ints, longs

NAMES = {np.dtype(np.float32): "fp32", np.dtype(np.float16): "fp16", np.dtype(np.int8): "int8"}


def same(got: Array, want: Array) -> bool:
    """Bit for bit, except that a NaN is a NaN where types changed."""
    if got.dtype.kind in "iu":
        return bool((got == want).all())
    nan = np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    raw = f"u{got.dtype.itemsize}"
    return bool((nan | (np.ascontiguousarray(got).view(raw) == np.ascontiguousarray(want).view(raw))).all())


@agreement("TLOAD", "TSTORE")
@pytest.mark.parametrize("extent", [(64, 64), (17, 33), (1, 1), (0, 8)])
@pytest.mark.parametrize("name", list(PLAIN))
def test_loads_and_stores(build: Build, name: str, extent: tuple[int, int]) -> None:
    rows, cols = extent
    dtype = PLAIN[name]
    memory = elements(np.random.default_rng(1), (64, 70), dtype)
    tile, out = guarded((64, 64), dtype), guarded((64, 70), dtype)
    across = name.endswith("_dn")
    stride = (0, 0, 0, 1, 70) if across else (0, 0, 0, 70, 1)
    getattr(build("movement"), name)(
        pointer(tile), pointer(out), pointer(memory), longs((1, 1, 1, rows, cols)), longs(stride), rows, cols
    )
    source = memory.T[:rows, :cols] if across else memory[:rows, :cols]
    loaded = MEANINGS["TLOAD"](Shaped(NAMES[dtype], rows, cols), source)
    stored = MEANINGS["TSTORE"](Shaped(NAMES[dtype], rows, cols), loaded)
    assert same(tile[:rows, :cols], loaded)
    assert same((out.T if across else out)[:rows, :cols], stored)


PARTS = {
    "left_nz": ("fp16", np.float16), "right_zn": ("fp16", np.float16), "vec_vec": ("fp16", np.float16),
    "vec_acc": ("fp16", np.float32), "vec_acc_dn": ("fp16", np.float32), "nz_vec": ("fp16", np.float16),
}  # fmt: skip


@agreement("TEXTRACT", "TSUBVIEW")
@pytest.mark.parametrize("name", list(PARTS))
def test_parts(build: Build, name: str) -> None:
    target, source_type = PARTS[name]
    for row, col, rows, cols in [(16, 0, 48, 80), (0, 16, 48, 80), (16, 32, 17, 33), (63, 95, 1, 1)]:
        source = elements(np.random.default_rng(2), (64, 96), np.dtype(source_type))
        to = guarded((48, 80), DTYPES[target])
        rows, cols = min(rows, 64 - row), min(cols, 96 - col)
        getattr(build("movement"), name)(pointer(to), pointer(source), ints(64, 96, rows, cols, row, col), 0)
        with np.errstate(over="ignore"):
            want = MEANINGS["TEXTRACT"](Shaped(target, rows, cols), source, row, col)
        assert same(to[:rows, :cols], want), (row, col)
        if source.dtype == to.dtype:
            assert same(want, MEANINGS["TSUBVIEW"](Shaped(target, rows, cols), source, row, col))


@agreement("TINSERT")
@pytest.mark.parametrize(("name", "source_type"), [("mat_from_acc", np.float32), ("wide_from_vec", np.float16)])
def test_insertions(build: Build, name: str, source_type: type) -> None:
    for m, n, row, col in [(48, 80, 16, 16), (7, 19, 5, 33), (1, 80, 63, 0), (0, 5, 1, 1)]:
        source = elements(np.random.default_rng(3), (48, 80), np.dtype(source_type))
        old = elements(np.random.default_rng(4), (64, 96), np.dtype(np.float16))
        to = old.copy()
        getattr(build("movement"), name)(pointer(to), pointer(source), ints(m, n, 64, 96, row, col), 1)
        with np.errstate(over="ignore"):
            want = MEANINGS["TINSERT"](Shaped("fp16", 64, 96), old, source[:m, :n], row, col)
        assert same(to, want)


@agreement("TMOV", "TRESHAPE", "TASSIGN", "TGET_SCALE_ADDR")
def test_other_shapes_of_the_same_bytes(build: Build) -> None:
    source, to = np.arange(128, dtype=np.int32), np.zeros(256, np.int32)
    build("memory").reshaped(pointer(to), pointer(source))
    want = MEANINGS["TRESHAPE"](Shaped("int32", 4, 32), source.reshape(8, 16))
    assert np.array_equal(to[:128].reshape(4, 32), want)
    moved = MEANINGS["TMOV"](Shaped("int32", 8, 16), source.reshape(8, 16)).copy()
    moved[:, 3] += moved[:, 0]
    moved.reshape(-1)[5] = -1
    assert np.array_equal(to[128:].reshape(8, 16), moved)
    whole = np.random.default_rng(5).standard_normal(512).astype(np.float32)
    for offset in (0, 32, 1024, 1792):
        seen = np.zeros((4, 32), np.uint16)
        scales = build("agreement").placed(pointer(whole), pointer(seen), offset)
        assert np.array_equal(seen, MEANINGS["TASSIGN"](Shaped("uint16", 4, 32), whole.view(np.uint8), offset))
        assert scales == MEANINGS["TGET_SCALE_ADDR"](0x1000)


@agreement("TPREFETCH", "TPREFETCH_ASYNC")
def test_prefetches_change_nothing(build: Build) -> None:
    tile, memory = (np.random.default_rng(6 + i).standard_normal((16, 32)).astype(np.float32) for i in range(2))
    before = tile.copy(), memory.copy()
    build("agreement").prefetched(pointer(tile), pointer(memory))
    assert MEANINGS["TPREFETCH"](before) == MEANINGS["TPREFETCH_ASYNC"](before) == ()
    assert np.array_equal(tile, before[0])
    assert np.array_equal(memory, before[1])


def words(rng: np.random.Generator, count: int) -> Array:
    """Quantisation words with factors of many sizes and low bits, shifts, signed offsets, and both kinds of results."""
    factor = (rng.choice([0.25, 0.5, 1.0, 0.37, 1.7, -0.8], count) * 2.0 ** rng.integers(-4, 3, count)).astype(
        np.float32
    )
    fields = [rng.integers(0, 1 << width, count, dtype=np.uint64) for width in (4, 9, 1)]
    result = factor.view(np.uint32).astype(np.uint64)
    for field, place in zip(fields, (32, 37, 46), strict=True):
        result |= field << np.uint64(place)
    return np.asarray(result)


FORMS = ("TMOV_FP", "TEXTRACT_FP", "TINSERT_FP", "TSTORE_FP", "TMOV", "TSTORE", "TEXTRACT", "TINSERT")
LEAVES = ("fp32_int8", "fp32_uint8", "fp32_fp16", "fp32_bf16", "int32_int8", "int32_uint8", "int32_fp16", "int32_int16")


@agreement("TMOV_FP", "TEXTRACT_FP", "TINSERT_FP", "TSTORE_FP")
@pytest.mark.parametrize("relu", [False, True], ids=["as is", "relu"])
@pytest.mark.parametrize("form", range(8), ids=FORMS)
@pytest.mark.parametrize("pair", LEAVES)
def test_accumulators_leave_under_words(build: Build, pair: str, form: int, relu: bool) -> None:
    source_name, target = pair.split("_")
    rng = np.random.default_rng(form)
    for rows, cols, row, col in [(16, 32, 0, 0), (7, 19, 3, 5), (1, 1, 15, 31), (0, 4, 0, 0)]:
        rows, cols = min(rows, 16 - row), min(cols, 32 - col)
        acc = values(rng, (16, 32), source_name)
        old = values(rng, (16, 32), target)
        code = words(rng, 32)
        to = old.copy()
        getattr(build("agreement"), f"leave_{pair}")(
            form, int(relu), pointer(to), pointer(acc), pointer(code), rows, cols, row, col
        )
        part = acc[row : row + rows, col : col + cols] if form in (1, 6) else acc[:rows, :cols]
        per_column = code.reshape(1, -1)[:, :cols]
        quantised = (
            MEANINGS["TMOV_FP"](Shaped(target, rows, cols), part, per_column, relu=relu)
            if form < 4
            else MEANINGS["TMOV"](Shaped(target, rows, cols), part, int(code[0]), relu=relu)
        )
        want = old.copy()
        at = np.s_[row : row + rows, col : col + cols] if form in (2, 7) else np.s_[:rows, :cols]
        want[at] = quantised
        if form == 1:
            want[:rows, :cols] = MEANINGS["TEXTRACT_FP"](
                Shaped(target, rows, cols), acc, code.reshape(1, -1), row, col, relu=relu
            )
        elif form == 2:
            want = MEANINGS["TINSERT_FP"](Shaped(target, 16, 32), old, part, per_column, row, col, relu=relu)
        assert same(to, want), (pair, FORMS[form], rows, cols)


@agreement("TFILLPAD", "TFILLPAD_INPLACE", "TFILLPAD_EXPAND")
@pytest.mark.parametrize("form", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "dtype", "fill"), [("max_fp32", "fp32", np.inf), ("min_int8", "int8", -128), ("custom_fp16", "fp16", -1.5)]
)
def test_padding(build: Build, name: str, dtype: str, fill: float, form: int) -> None:
    for rows, cols in [(8, 32), (7, 31), (1, 1), (0, 5), (3, 0)]:
        source = values(np.random.default_rng(7), (8, 32), dtype)
        to = guarded((16, 64) if form == 2 else (8, 32), DTYPES[dtype])
        getattr(build("rearrange"), f"pad_{name}")(pointer(to), pointer(source), rows, cols, form)
        key = ("TFILLPAD", "TFILLPAD_INPLACE", "TFILLPAD_EXPAND")[form]
        assert same(to, MEANINGS[key](Shaped(dtype, *to.shape), source[:rows, :cols], pad=fill))


@agreement("TTRANS")
@pytest.mark.parametrize("name", ["fp32", "int8", "bf16"])
def test_transposition(build: Build, name: str) -> None:
    for rows, cols in [(64, 96), (63, 95), (1, 96), (0, 4)]:
        source, to = values(np.random.default_rng(8), (64, 96), name), guarded((96, 64), DTYPES[name])
        getattr(build("rearrange"), f"transpose_{name}")(pointer(to), pointer(source), rows, cols)
        want = MEANINGS["TTRANS"](Shaped(name, cols, rows), source[:rows, :cols])
        assert same(np.ascontiguousarray(to[:cols, :rows]), np.ascontiguousarray(want))


@agreement("TCONCAT", "TINTERLEAVE", "TDEINTERLEAVE")
def test_side_by_side(build: Build) -> None:
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal((8, 16)).astype(np.float32) for _ in range(2))
    counts = [(4 * rng.integers(0, 17, (8, 8))).astype(np.int32) for _ in range(2)]
    for form in range(3):
        to, total = guarded((8, 24), DTYPES["fp32"]), guarded((8, 8), DTYPES["int32"])
        old = to.copy()
        build("rearrange").concat(*(pointer(x) for x in (to, total, a, b, *counts)), 6, form)
        operands = (old[:6], a[:6, :13], b[:6, :11], counts[0][:6, :1], counts[1][:6, :1])
        if form == 0:
            want = MEANINGS["TCONCAT"](Shaped("fp32", 6, 24), a[:6, :13], b[:6, :11])
        elif form == 1:
            want = MEANINGS["TCONCAT(dst, a, b, ai, bi)"](Shaped("fp32", 6, 24), old[:6], a[:6], b[:6], *operands[3:])
        else:
            want, sums = MEANINGS["TCONCAT(dst, a, b, idx, ai, bi)"](
                Shaped("fp32", 6, 24), old[:6], a[:6], b[:6], *operands[3:]
            )
            assert np.array_equal(total[:6, :1], sums)
        assert same(to[:6], want), form
    x, y = (rng.integers(-9999, 9999, (4, 32)).astype(np.int16) for _ in range(2))
    high, low, odd, even = (guarded((4, 32), DTYPES["int16"]) for _ in range(4))
    build("rearrange").interleave(*(pointer(v) for v in (high, low, odd, even, y, x)))
    pair = (Shaped("int16", 3, 20), Shaped("int16", 3, 20))
    upper, lower = MEANINGS["TINTERLEAVE"](pair, y[:3, :20], x[:3, :20])
    assert np.array_equal(high[:3, :20], upper)
    assert np.array_equal(low[:3, :20], lower)
    for got, want in zip((odd, even), MEANINGS["TDEINTERLEAVE"](pair, upper, lower), strict=True):
        assert np.array_equal(got[:3, :20], want)
    half = (Shaped("int16", 3, 10), Shaped("int16", 3, 10))
    odd, even = (guarded((4, 32), DTYPES["int16"]) for _ in range(2))
    build("agreement").deinterleaved(pointer(odd), pointer(even), pointer(x))
    for got, want in zip((odd, even), MEANINGS["TDEINTERLEAVE"](half, x[:3, :20]), strict=True):
        assert np.array_equal(got[:3, :10], want)
        assert is_guard(got[3:])
