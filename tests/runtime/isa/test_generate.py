"""Sequences, triangles and random bits."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, guarded, is_guard, pointer, same
from .conftest import Build

TYPES = ["fp32", "fp16", "bf16", "int16", "uint16", "int32", "uint32"]


@pytest.mark.parametrize("form", range(4), ids=["up", "down", "up with scratch", "down with scratch"])
@pytest.mark.parametrize("name", TYPES)
def test_sequence(build: Build, name: str, form: int) -> None:
    dtype = DTYPES[name]
    starts = [0.0, -3.0, 100.5] if name in FLOATS else [0, 5, int(np.iinfo(dtype).max) - 7]
    for start in starts:
        for cols in (320, 1, 17, 64, 319, 0):
            out = guarded((320,), dtype)
            first = np.asarray([start], dtype)
            getattr(build("generate"), f"sequence_{name}")(form, pointer(out), pointer(first), cols)
            steps = np.arange(cols) * (-1 if form % 2 else 1)
            exact = first[0].astype(np.float64) + steps if name in FLOATS else int(first[0]) + steps
            assert same(out[:cols], exact.astype(dtype)), (start, cols)
            assert is_guard(out[cols:])


@pytest.mark.parametrize("upper", [0, 1], ids=["lower", "upper"])
@pytest.mark.parametrize("name", TYPES)
def test_triangle(build: Build, name: str, upper: int) -> None:
    dtype = DTYPES[name]
    for rows, cols in [(12, 96), (12, 17), (1, 1), (5, 95), (0, 4)]:
        for diagonal in (0, 3, -3, 200, -200, 2147483647, -2147483648):
            out = guarded((12, 96), dtype)
            getattr(build("generate"), f"triangle_{name}")(upper, pointer(out), diagonal, rows, cols)
            i, j = np.indices((rows, cols))
            expected = (j >= i + diagonal) if upper else (j <= i + diagonal)
            assert np.array_equal(out[:rows, :cols].astype(np.float32), expected.astype(np.float32))
            assert is_guard(out[rows:])
            assert is_guard(out[:rows, cols:])


def philox(counter: int, key: tuple[int, int], rounds: int) -> list[int]:
    """Philox 4x32 of Salmon et al. (2011) in Python integers."""
    mask = 0xFFFFFFFF
    words = [(counter >> (32 * i)) & mask for i in range(4)]
    left, right = key
    for _ in range(rounds):
        even, odd = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [(odd >> 32) ^ words[1] ^ left, odd & mask, (even >> 32) ^ words[3] ^ right, even & mask]
        left, right = (left + 0x9E3779B9) & mask, (right + 0xBB67AE85) & mask
    return words


def test_philox_known_answer() -> None:
    """The published test vector of Random123, so that the golden function itself is right."""
    assert philox(0, (0, 0), 10) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("rounds", [7, 10])
def test_random_bits(build: Build, rounds: int) -> None:
    """Chunks of 256 elements: element 64 w + i is word w of the chunk's counter plus i; chunks are 640 / 4 apart."""
    key = (0x12345678, 0xFEDCBA98)
    counter = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00  # carries through all words
    for rows, cols in [(4, 640), (2, 255), (3, 17), (1, 1), (0, 9)]:
        out = guarded((4, 640), np.dtype(np.uint32))
        words = np.array([(counter >> (32 * i)) & 0xFFFFFFFF for i in range(4)], np.uint32)
        build("generate").random_bits(
            rounds, pointer(out), pointer(np.array(key, np.uint32)), pointer(words), rows, cols
        )
        at = counter
        for r in range(rows):
            for start in range(0, cols, 256):
                block = [philox((at + i) % (1 << 128), key, rounds) for i in range(64)]
                chunk = [block[i][w] for w in range(4) for i in range(64)][: cols - start]
                assert out[r, start : start + len(chunk)].tolist() == chunk
                at = (at + 160) % (1 << 128)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
