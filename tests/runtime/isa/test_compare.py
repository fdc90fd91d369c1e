"""Comparisons into packed predicates and selections by them; the bits are packed and unpacked by numpy."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, Array, guarded, is_guard, pointer, values
from .conftest import Build

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (1, 1), (3, 17), (6, 63), (2, 319), (5, 64), (0, 8), (3, 0)]
TYPES = ["fp32", "fp16", "bf16", "int8", "uint16", "int32", "uint64"]
MODES = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
MASK_BYTES = 64


def operands(rng: np.random.Generator, name: str) -> tuple[Array, Array]:
    """Two arrays with many ties, and for floats NaN, infinities and zeros of both signs."""
    dtype = DTYPES[name]
    if name in FLOATS:
        a, b = values(rng, (ROWS, COLS), name), values(rng, (ROWS, COLS), name)
    else:
        info = np.iinfo(dtype)
        a, b = (rng.integers(info.min, info.max, (ROWS, COLS), dtype=dtype, endpoint=True) for _ in range(2))
    ties = rng.random((ROWS, COLS)) < 0.3
    b[ties] = a[ties]
    return a, b


@pytest.mark.parametrize("words", [0, 1], ids=["bytes", "words"])
@pytest.mark.parametrize("form", [0, 1, 2], ids=["tiles", "scalar", "tile as scalar"])
@pytest.mark.parametrize("name", TYPES)
def test_compare(build: Build, name: str, form: int, words: int) -> None:
    rng = np.random.default_rng(form)
    function = getattr(build("compare"), f"compare_{name}")
    size = 4 if words else 1
    for mode, golden in enumerate(MODES):
        for rows, cols in EXTENTS:
            a, b = operands(rng, name)
            width = MASK_BYTES // size if mode % 2 else (cols + 8 * size - 1) // (8 * size)
            scalar = np.asarray(a[0, 0]).reshape(1)
            out = guarded((ROWS, MASK_BYTES), np.dtype(np.uint8))
            function(words, form, mode, pointer(out), pointer(a), pointer(b), pointer(scalar), rows, cols, width)
            other = {0: b[:rows, :cols], 1: scalar[0], 2: b[0, 0]}[form]
            expected = np.zeros((rows, 8 * MASK_BYTES), bool)
            with np.errstate(invalid="ignore"):
                expected[:, :cols] = golden(a[:rows, :cols], other)
            packed = np.packbits(expected, axis=1, bitorder="little")[:, : width * size]
            assert np.array_equal(out[:rows, : width * size], packed), (mode, rows, cols)
            assert is_guard(out[rows:])
            assert is_guard(out[:rows, width * size :])


@pytest.mark.parametrize("words", [0, 1], ids=["bytes", "words"])
@pytest.mark.parametrize("form", [0, 1], ids=["tiles", "scalar"])
@pytest.mark.parametrize("name", TYPES)
def test_select(build: Build, name: str, form: int, words: int) -> None:
    """Elements are moved bit by bit: NaN payloads and signs of zero survive."""
    rng = np.random.default_rng(form)
    dtype = DTYPES[name]
    raw = np.dtype(f"uint{8 * dtype.itemsize}")
    for rows, cols in EXTENTS:
        a, b = (rng.integers(0, np.iinfo(raw).max, (ROWS, COLS), dtype=raw, endpoint=True) for _ in range(2))
        bits = rng.integers(0, 256, (ROWS, MASK_BYTES), dtype=np.uint8)
        scalar = np.asarray([2.5], dtype) if name in FLOATS else np.asarray([77], dtype)
        out = guarded((ROWS, COLS), raw)
        function = getattr(build("compare"), f"select_{name}")
        function(words, form, pointer(out), pointer(bits), pointer(a), pointer(b), pointer(scalar), rows, cols)
        chosen = np.unpackbits(bits, axis=1, bitorder="little")[:rows, :cols].astype(bool)
        other = b[:rows, :cols] if form == 0 else scalar.view(raw)[0]
        assert np.array_equal(out[:rows, :cols], np.where(chosen, a[:rows, :cols], other)), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
