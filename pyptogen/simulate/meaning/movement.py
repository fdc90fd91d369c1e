"""Moves: whole tiles, parts, under quantisation words, into padding, transposed, side by side.

What the destination's type says beside its shape (a pad value, a mode) comes as a keyword after the operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyptogen.numerics import operations as numerics
from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.fixpipe import requantised
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, require


def moved(dst: Shaped, source: Array, word: int | None = None, relu: bool = False) -> Array:
    """The same elements. An accumulator is rounded to what it moves to, or goes under a quantisation word; negative
    elements and NaN become 0 under relu."""
    require(source.shape, dst.shape, "the source")
    if word is not None:
        return requantised(dst, source, np.uint64(word), relu)
    if relu:
        source = np.where(source > 0, source, np.zeros((), source.dtype))
    return source if source.dtype == dst.numpy else numerics.cast(source, dst.numpy, "rint", True)


def part(dst: Shaped, source: Array, row: int, col: int) -> Array:
    """The destination's extent of the source from (row, col) on."""
    if row < 0 or col < 0:
        raise ValueError(f"the part starts at row {row}, column {col}")
    return moved(dst, source[row : row + dst.rows, col : col + dst.cols])


def _put(dst: Shaped, old: Array, source: Array, row: int, col: int) -> Array:
    """The old elements with the source from (row, col) on."""
    rows, cols = source.shape
    require(old[row : row + rows, col : col + cols].shape, source.shape, "the place in the destination")
    result = old.copy()
    result[row : row + rows, col : col + cols] = moved(Shaped(dst.dtype, rows, cols), source)
    return np.asarray(result)


def _under_words(dst: Shaped, acc: Array, words: Array, relu: bool = False) -> Array:
    require(acc.shape, dst.shape, "the accumulator")
    return requantised(dst, acc, words.reshape(1, -1)[:, : dst.cols], relu)


def _part_under_words(dst: Shaped, acc: Array, words: Array, row: int, col: int, relu: bool = False) -> Array:
    """A word belongs to a column of the accumulator, wherever that moves to (a2a3)."""
    return _under_words(dst, acc[row : row + dst.rows, col : col + dst.cols], words.reshape(1, -1)[:, col:], relu)


def _put_under_words(
    dst: Shaped, old: Array, acc: Array, words: Array, row: int, col: int, relu: bool = False
) -> Array:
    rows, cols = acc.shape
    result = old.copy()
    result[row : row + rows, col : col + cols] = _under_words(Shaped(dst.dtype, rows, cols), acc, words, relu)
    return np.asarray(result)


def _reshaped(dst: Shaped, a: Array) -> Array:
    """The same bytes, row by row."""
    raw = np.ascontiguousarray(a).view(np.uint8).reshape(-1)
    size = dst.rows * dst.cols * dst.numpy.itemsize
    require((raw.size,), (size,), "the tile in bytes")
    return raw.view(dst.numpy).reshape(dst.shape)


def _nothing(*_operands: Any, **_settings: Any) -> tuple[()]:
    """No element changes."""
    return ()


def _padded(dst: Shaped, a: Array, pad: float | int = 0) -> Array:
    """``dst`` is the whole tile, not its valid region."""
    if a.shape[0] > dst.rows or a.shape[1] > dst.cols:
        raise ValueError(f"{a.shape[0]} x {a.shape[1]} do not fit a tile of {dst.rows} x {dst.cols}")
    result = np.full(dst.shape, pad, dst.numpy)
    result[: a.shape[0], : a.shape[1]] = a
    return result


def _transposed(dst: Shaped, a: Array) -> Array:
    require(a.shape, (dst.cols, dst.rows), "the source")
    return np.asarray(a.T)


def _side_by_side(dst: Shaped, a: Array, b: Array) -> Array:
    require((dst.rows, a.shape[1] + b.shape[1]), dst.shape, "both sources side by side")
    return np.concatenate([a[: dst.rows], b[: dst.rows]], axis=1)


def counted_columns(
    dst: Shaped, old: Array, a: Array, b: Array, a_counts: Array, b_counts: Array
) -> tuple[Array, Array]:
    """TCONCAT with index tiles: row by row as many columns of each as its count says, in units of the index type's
    size; the rest of the row stays. Also the sums of the counts, at most the destination's columns, in those units."""
    unit = a_counts.dtype.itemsize
    result = old.copy()
    total = np.empty((dst.rows, 1), a_counts.dtype)
    for r in range(dst.rows):
        first, second = int(a_counts[r, 0]), int(b_counts[r, 0])
        n_a = min(first // unit, dst.cols)
        n_b = min(second // unit, dst.cols - n_a)
        result[r, :n_a], result[r, n_a : n_a + n_b] = a[r, :n_a], b[r, :n_b]
        total[r, 0] = min(first + second, dst.cols * unit)
    return result, total


def _counted_without_sum(dst: Shaped, old: Array, a: Array, b: Array, a_counts: Array, b_counts: Array) -> Array:
    return counted_columns(dst, old, a, b, a_counts, b_counts)[0]


def _interleaved(dst: tuple[Shaped, Shaped], b: Array, a: Array) -> tuple[Array, Array]:
    """Destinations are (dst1, dst0)."""
    both = np.stack([a, b], axis=2).reshape(a.shape[0], 2 * a.shape[1])
    cols = dst[0].cols
    return both[:, cols : 2 * cols], both[:, :cols]


def _deinterleaved(dst: tuple[Shaped, Shaped], *sources: Array) -> tuple[Array, Array]:
    """Destinations are (dst1, dst0), sources (b, a), or a alone."""
    both = np.concatenate(sources[::-1], axis=1)
    cols = dst[0].cols
    return both[:, 1::2][:, :cols], both[:, ::2][:, :cols]


MEANINGS: Mapping[str, Meaning] = {
    "TLOAD": moved,
    "TSTORE": moved,
    "TMOV": moved,
    "TEXTRACT": part,
    "TINSERT": _put,
    "TMOV_FP": _under_words,
    "TSTORE_FP": _under_words,
    "TEXTRACT_FP": _part_under_words,
    "TINSERT_FP": _put_under_words,
    "TRESHAPE": _reshaped,
    "TSUBVIEW": part,
    "TPREFETCH": _nothing,
    "TPREFETCH_ASYNC": _nothing,
    "TFILLPAD": _padded,
    "TFILLPAD_INPLACE": _padded,
    "TFILLPAD_EXPAND": _padded,
    "TTRANS": _transposed,
    "TCONCAT": _side_by_side,
    "TCONCAT(dst, a, b, ai, bi)": _counted_without_sum,
    "TCONCAT(dst, a, b, idx, ai, bi)": counted_columns,
    "TINTERLEAVE": _interleaved,
    "TDEINTERLEAVE": _deinterleaved,
}
