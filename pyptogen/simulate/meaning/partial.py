"""Sources that are valid in a part of the destination, and values from nothing: sequences, triangles, random bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.arithmetic import BINARY
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, is_float, scalar_of, stepwise


def _widened(dst: Shaped, a: Array) -> tuple[Array, Array]:
    """A source over the destination's extent, zeros beyond its own, and where it is valid."""
    rows, cols = min(dst.rows, a.shape[0]), min(dst.cols, a.shape[1])
    whole, valid = np.zeros(dst.shape, a.dtype), np.zeros(dst.shape, bool)
    whole[:rows, :cols], valid[:rows, :cols] = a[:rows, :cols], True
    return whole, valid


def _partly(stem: str) -> Meaning:
    """The operation where both are valid, a copy where one is, 0 where none is."""

    def compute(dst: Shaped, a: Array, b: Array) -> Array:
        (x, in_a), (y, in_b) = _widened(dst, a), _widened(dst, b)
        both = stepwise(BINARY[stem], dst.numpy, x, y)
        return np.asarray(np.where(in_a & in_b, both, np.where(in_a, x, y)))

    return compute


def _partly_positioned(better: Callable[[Array, Array], Array]) -> Meaning:
    """The first source only where it is strictly better; beside a NaN and in ties the second."""

    def compute(dst: tuple[Shaped, Shaped], a: Array, b: Array, ai: Array, bi: Array) -> tuple[Array, Array]:
        values, places = dst
        (x, in_a), (y, in_b) = _widened(values, a), _widened(values, b)
        (i, _), (j, _) = _widened(places, ai), _widened(places, bi)
        wide = np.float64 if is_float(values.numpy) else values.numpy
        first = np.where(in_a & in_b, better(x.astype(wide), y.astype(wide)), in_a)
        return np.where(first, x, y), np.where(first, i, j)

    return compute


def _sequence(dst: Shaped, start: Any, descending: bool = False) -> Array:
    """``start + k`` or ``start - k``; integers wrap, narrow floats are rounded once."""
    steps = np.arange(dst.cols, dtype=np.int64)
    if is_float(dst.numpy):
        first = np.float32(scalar_of(start, dst.numpy))
        values = np.subtract(first, steps, dtype=np.float32) if descending else np.add(first, steps, dtype=np.float32)
        return np.asarray(values.astype(dst.numpy).reshape(1, -1))
    return (np.asarray(int(start) + (-steps if descending else steps)).astype(dst.numpy)).reshape(1, -1)


def _triangle(dst: Shaped, diagonal: int, upper: bool = False) -> Array:
    row, col = np.indices(dst.shape)
    return (col >= row + diagonal if upper else col <= row + diagonal).astype(np.float32).astype(dst.numpy)


_MASK = (1 << 32) - 1


def philox(counter: int, key: tuple[int, int], rounds: int = 10) -> tuple[int, int, int, int]:
    """Philox 4x32 (Salmon, Moraes, Dror, Shaw 2011) of a 128-bit counter: four words, the lowest first."""
    w0, w1, w2, w3 = ((counter >> shift) & _MASK for shift in (0, 32, 64, 96))
    left, right = key
    for _ in range(rounds):
        even, odd = w0 * 0xD2511F53, w2 * 0xCD9E8D57
        w0, w1, w2, w3 = (odd >> 32) ^ w1 ^ left, odd & _MASK, (even >> 32) ^ w3 ^ right, even & _MASK
        left, right = (left + 0x9E3779B9) & _MASK, (right + 0xBB67AE85) & _MASK
    return w0, w1, w2, w3


_CHUNK = 256


def _random(dst: Shaped, key: tuple[int, int], counter: int, rounds: int = 10, columns: int | None = None) -> Array:
    """Rows in chunks of 256 elements: element 64 w + i of a chunk is word w of the counter plus i; each chunk advances
    the counter by a quarter of the tile's ``columns`` (its capacity; the valid ones where not given)."""
    out = np.empty(dst.shape, np.uint32)
    step = (columns or dst.cols) // 4
    for r in range(dst.rows):
        for first in range(0, dst.cols, _CHUNK):
            words = [philox((counter + i) % (1 << 128), key, rounds) for i in range(_CHUNK // 4)]
            chunk = [words[i][w] for w in range(4) for i in range(_CHUNK // 4)]
            out[r, first : first + _CHUNK] = chunk[: dst.cols - first]
            counter = (counter + step) % (1 << 128)
    return out.astype(dst.numpy)


MEANINGS: Mapping[str, Meaning] = {
    **{f"TPART{stem}": _partly(stem) for stem in ("ADD", "MUL", "MAX", "MIN")},
    "TPARTARGMAX": _partly_positioned(np.greater),
    "TPARTARGMIN": _partly_positioned(np.less),
    "TCI": _sequence,
    "TTRI": _triangle,
    "TRANDOM": _random,
}
