"""Along rows and columns: reductions, positions of extremes, broadcasts.

Sums and products of floats are exact (fp64) and rounded through fp32, because the order in which a device adds is its
own; extremes propagate NaN; of equal elements the first position counts, and a NaN is the extreme.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.arithmetic import BINARY
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, is_float, require, stepwise

Kind = Callable[..., Array]


def _reduced(kind: Kind, a: Array, axis: int) -> Array:
    with np.errstate(all="ignore"):
        if is_float(a.dtype):
            return np.asarray(kind(a.astype(np.float64), axis=axis, keepdims=True)).astype(np.float32).astype(a.dtype)
        if kind in (np.sum, np.prod):
            return np.asarray(kind(a, axis=axis, keepdims=True, dtype=a.dtype))
        return np.asarray(kind(a, axis=axis, keepdims=True))


def over_row(kind: Kind) -> Meaning:
    """A column of results, one a row."""

    def compute(dst: Shaped, a: Array) -> Array:
        require((a.shape[0], 1), dst.shape, "the column of results")
        return _reduced(kind, a, 1)

    return compute


def over_column(kind: Kind) -> Meaning:
    """A row of results, one a column."""

    def compute(dst: Shaped, a: Array, *_binary: Any) -> Array:
        require((1, a.shape[1]), dst.shape, "the row of results")
        return _reduced(kind, a, 0)

    return compute


def _comparable(a: Array) -> Array:
    return a.astype(np.float64) if is_float(a.dtype) else a


def _position(kind: Kind, axis: int) -> Meaning:
    """Positions, or with two destinations extremes and positions."""

    def compute(dst: Any, a: Array) -> Any:
        index = dst[1] if isinstance(dst, tuple) else dst
        at = np.expand_dims(kind(_comparable(a), axis=axis), axis)
        found = at.astype(index.numpy)
        require(found.shape, index.shape, "the positions")
        return (np.take_along_axis(a, at, axis), found) if isinstance(dst, tuple) else found

    return compute


def broadcast_column(dst: Shaped, column: Array) -> Array:
    """TROWEXPAND."""
    require(column.shape, (dst.rows, 1), "the column")
    return np.broadcast_to(column, dst.shape)


def broadcast_row(dst: Shaped, row: Array) -> Array:
    """TCOLEXPAND."""
    require(row.shape, (1, dst.cols), "the row")
    return np.broadcast_to(row, dst.shape)


def _by_column_tile(stem: str) -> Meaning:
    def compute(dst: Shaped, a: Array, column: Array) -> Array:
        require(a.shape, dst.shape, "the first operand")
        require(column.shape, (dst.rows, 1), "the column")
        return stepwise(BINARY[stem], dst.numpy, a, column)

    return compute


def _by_row_tile(stem: str) -> Meaning:
    def compute(dst: Shaped, a: Array, row: Array) -> Array:
        require(a.shape, dst.shape, "the first operand")
        require(row.shape, (1, dst.cols), "the row")
        return stepwise(BINARY[stem], dst.numpy, a, row)

    return compute


def _exponential_of_difference(dst: Shaped, a: Array, other: Array) -> Array:
    """The difference is rounded to fp32, the exponential once more to the element type."""
    require(a.shape, dst.shape, "the first operand")
    with np.errstate(all="ignore"):
        difference = a.astype(np.float32) - other.astype(np.float32)
        return np.exp(difference.astype(np.float64)).astype(np.float32).astype(dst.numpy)


def _running(kind: Any) -> Meaning:
    """Step by step along the row, each rounded to the element type."""

    def compute(dst: Shaped, a: Array, before: Array) -> Array:
        require(a.shape, dst.shape, "the first operand")
        require(before.shape[:1], (dst.rows,), "what it goes on from")
        with np.errstate(all="ignore"):
            return np.asarray(kind.accumulate(np.hstack([before[:, -1:], a]), axis=1, dtype=dst.numpy))[:, 1:]

    return compute


def _pairs_summed(dst: Shaped, a: Array) -> Array:
    """Sums of neighbours in the left half; an odd last element stays alone; 0 in the right half."""
    require(a.shape, dst.shape, "the operand")
    result = np.zeros(dst.shape, dst.numpy)
    half = dst.cols // 2
    result[:, :half] = stepwise(np.add, dst.numpy, a[:, 0 : 2 * half : 2], a[:, 1 : 2 * half : 2])
    if dst.cols % 2:
        result[:, half] = a[:, -1]
    return result


_REDUCTIONS: Mapping[str, Kind] = {"SUM": np.sum, "MAX": np.max, "MIN": np.min, "PROD": np.prod}

MEANINGS: Mapping[str, Meaning] = {
    **{f"TROW{name}": over_row(kind) for name, kind in _REDUCTIONS.items()},
    **{f"TCOL{name}": over_column(kind) for name, kind in _REDUCTIONS.items()},
    "TROWARGMAX": _position(np.argmax, 1),
    "TROWARGMIN": _position(np.argmin, 1),
    "TCOLARGMAX": _position(np.argmax, 0),
    "TCOLARGMIN": _position(np.argmin, 0),
    "TROWEXPAND": broadcast_column,
    "TCOLEXPAND": broadcast_row,
    **{f"TROWEXPAND{stem}": _by_column_tile(stem) for stem in BINARY},
    **{f"TCOLEXPAND{stem}": _by_row_tile(stem) for stem in BINARY},
    "TROWEXPANDEXPDIF": _exponential_of_difference,
    "TCOLEXPANDEXPDIF": _exponential_of_difference,
    "TPAIRREDUCESUM": _pairs_summed,
    "TROWCUMSUM": _running(np.add),
    "TROWCUMPROD": _running(np.multiply),
}
