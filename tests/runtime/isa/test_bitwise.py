"""Bitwise instructions and shifts against numpy: every integer type, counts beyond the width, tails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from .arrays import Array, guarded, is_guard, pointer
from .conftest import Build
from .reading import read

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (1, 1), (3, 17), (6, 63), (2, 319), (0, 8), (3, 0)]
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def shifted(a: Array, count: Array, left: bool) -> Array:
    """In Python integers: counts are unsigned, and from the width on nothing but the sign of a right shift is left."""
    bits = 8 * a.dtype.itemsize
    unsigned = count.astype(f"uint{bits}")
    out = np.zeros(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        value, by = int(a[index]), min(int(unsigned[index]), bits)
        moved = (value << by) if left else (value >> by)
        wrapped = moved & ((1 << bits) - 1)
        signed = a.dtype.kind == "i" and wrapped >= 1 << (bits - 1)
        out[index] = wrapped - (1 << bits) if signed else wrapped
    return out


OPERATIONS: list[tuple[str, Callable[[Array, Array], Array]]] = [
    ("AND", lambda a, b: a & b),
    ("OR", lambda a, b: a | b),
    ("XOR", lambda a, b: a ^ b),
    ("NOT", lambda a, b: ~a),
    ("SHL", lambda a, b: shifted(a, b, True)),
    ("SHR", lambda a, b: shifted(a, b, False)),
]
CASES = [(op, name, golden, False) for op, (name, golden) in enumerate(OPERATIONS)] + [
    (6 + op, name + "S", golden, True)
    for op, (name, golden) in enumerate([case for case in OPERATIONS if case[0] != "NOT"])
]


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize(("op", "golden", "scalar"), [c[:1] + c[2:] for c in CASES], ids=[c[1] for c in CASES])
def test_bitwise(build: Build, op: int, golden: Callable[[Array, Array], Array], scalar: bool, type_name: str) -> None:
    rng = np.random.default_rng(op)
    dtype = np.dtype(type_name)
    info = np.iinfo(dtype)
    function = getattr(build("bitwise"), f"bitwise_{type_name}")
    counts = [3, 0, 8 * dtype.itemsize - 1, 8 * dtype.itemsize, info.max, info.min]
    for number, (rows, cols) in enumerate(EXTENTS):
        a = rng.integers(info.min, info.max, (ROWS, COLS), dtype=dtype, endpoint=True)
        b = rng.integers(info.min, info.max, (ROWS, COLS), dtype=dtype, endpoint=True)
        small = rng.random((ROWS, COLS)) < 0.7
        b[small] = rng.integers(0, 8 * dtype.itemsize + 2, int(small.sum())).astype(dtype)
        value = np.array([counts[number % len(counts)]], dtype)
        out = guarded((ROWS, COLS), dtype)
        function(op, pointer(out), pointer(a), pointer(b), pointer(value), rows, cols)
        other = np.broadcast_to(value, (rows, cols)) if scalar else b[:rows, :cols]
        assert np.array_equal(out[:rows, :cols], golden(a[:rows, :cols], other)), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])


@pytest.mark.parametrize(("name", "bits"), [("fp16", np.uint16), ("bf16", np.uint16), ("fp32", np.uint32)])
def test_bits_of_floats(build: Build, name: str, bits: type[np.unsignedinteger[Any]]) -> None:
    """TAND takes floats for integers of their width: A2/A3 those of 16 bits, A5 also fp32."""
    rng = np.random.default_rng(2)
    for rows, cols in EXTENTS:
        a, b = (rng.integers(0, np.iinfo(bits).max, (ROWS, COLS), dtype=bits, endpoint=True) for _ in range(2))
        out = guarded((ROWS, COLS), a.dtype)
        getattr(build("bitwise"), f"and_{name}")(pointer(out), pointer(a), pointer(b), rows, cols)
        assert np.array_equal(out[:rows, :cols], a[:rows, :cols] & b[:rows, :cols]), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])


def test_floats_are_refused_by_name() -> None:
    done = read(
        "#include <pto/pto-inst.hpp>\n"
        "void kernel(pto::Tile<pto::TileType::Vec, float, 8, 64>& tile) { pto::TOR(tile, tile, tile); }\n",
        "-DPTO_PORTABLE",
    )
    assert done.returncode != 0
    assert "TOR: dst must have integer elements" in done.stderr
    assert done.stderr.count("error:") == 1, done.stderr
