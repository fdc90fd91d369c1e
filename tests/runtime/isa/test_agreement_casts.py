"""TCVT and its meaning agree: every pair of types, mode and saturation, on random, awkward and nearly tied elements."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from pyptogen.numpy_dtypes import numbers
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.simulate.meaning import MEANINGS, Shaped

from .agreement.casts import COLS, DECODED, PAIRS, ROWS, decoded, exports, sources, storage, symbol
from .arrays import FLOATS, Array, guarded, pointer, values

MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
SATURATION = (None, True, False, None)
EXTENTS = ((32, 160), (5, 18), (1, 2), (0, 8))


@pytest.fixture(scope="session")
def library() -> ctypes.CDLL:
    toolchain = make_toolchain()
    return ctypes.CDLL(str(toolchain.shared_object("casts", sources(), list(exports()))))


def elements(rng: np.random.Generator, dtype: str) -> Array:
    """Codes of every value, or values of every magnitude, many of them halves and near the ends of integer types."""
    shape, own = storage(dtype)
    if dtype in DECODED:
        return rng.integers(0, 256, shape, dtype=np.uint8)
    data = values(rng, shape, dtype)
    if dtype in FLOATS:
        halves = rng.integers(-300, 300, shape) * 0.5
        edges = rng.choice([2.0**31, -(2.0**31), 32767.5, -32768.5, 127.5, 255.5, 2.0**63, 448.0, 464.0, 57344.0, 5.0,
                            1.625, 2.0**-10, 65519.0, 3.4e38, 2.0**15 * 1.4], shape)  # fmt: skip
        chance = rng.random(shape)
        with np.errstate(over="ignore"):
            data = np.where(chance < 0.3, halves, np.where(chance < 0.5, edges, data.astype(np.float64))).astype(own)
    elif own.itemsize > 2:
        small = rng.integers(0, 70000, shape).astype(own)
        data = np.where(rng.random(shape) < 0.4, small, data)
    return data


@pytest.mark.parametrize("pair", PAIRS, ids=symbol)
def test_tcvt_agrees_with_its_meaning(library: ctypes.CDLL, pair: tuple[str, str]) -> None:
    source, target = pair
    rng = np.random.default_rng(PAIRS.index(pair))
    function = getattr(library, symbol(pair))
    for mode, name in enumerate(MODES):
        for form, saturate in enumerate(SATURATION):
            rows, cols = EXTENTS[(mode + form) % len(EXTENTS)] if form else EXTENTS[0]
            whole = elements(rng, source)
            out = guarded(*storage(target))
            function(pointer(out), pointer(whole), rows, cols, mode, form)
            a = decoded(whole, source, rows, cols)
            given = {"source": source} if source in ("hif8", "fp4_e1m2") else {}
            want = numbers(MEANINGS["TCVT"](Shaped(target, rows, cols), a, name, saturate, **given))
            got = decoded(out, target, rows, cols)
            assert got.dtype == want.dtype
            g, w = (
                got.astype(object if got.dtype.kind in "iu" else np.float64),
                want.astype(object if want.dtype.kind in "iu" else np.float64),
            )
            same = g == w
            if got.dtype.kind not in "iu":
                same = same & (np.signbit(g) == np.signbit(w)) | np.isnan(g) & np.isnan(w)
            if not np.all(same):
                at = tuple(np.argwhere(~same.astype(bool))[0])
                raise AssertionError(f"{pair} {name} {saturate}: {a[at]!r} gives {got[at]!r}, meant {want[at]!r}")


def test_every_extent_stays_inside(library: ctypes.CDLL) -> None:
    out = guarded((ROWS, COLS), np.dtype(np.int8))
    library.cast_fp32_int8(pointer(out), pointer(np.ones((ROWS, COLS), np.float32)), 5, 17, 1, 1)
    assert (out[:5, :17] == 1).all()
    assert (out[5:] == 0x5A).all()
    assert (out[:5, 17:] == 0x5A).all()
