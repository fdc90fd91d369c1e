"""Outputs in pieces whose elements are of one kind: rows, or as many short rows as make a piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pyptogen.numpy_dtypes import INT4, numbers

Array = np.ndarray[Any, Any]

FEWEST = 64
"""Elements of a neighbourhood: the greatest of so many errors says how large errors are; a single one may be 0 by
accident."""
_LONG = 4 * FEWEST
_PART = 1 << 20
"""Elements taken at a time: a large output costs no large memory."""
_LEAST_WEIGHT = 1e-2
"""Of a neighbourhood whose numbers are next to nothing, relative to the root mean square of the whole output."""


class Neighbourhoods:
    """An output as ``[count, size]``: its last axes, as few as have ``FEWEST`` elements together, or of shorter rows as
    many as have. What the last one lacks is 0.

    ``level`` ``[count]`` is the root mean square of each, ``weight`` ``[count]`` the same but never less than a
    hundredth of that of the whole output: what a difference is measured by.
    """

    def __init__(self, array: Array) -> None:
        row, axis = 1, array.ndim
        while axis and row < FEWEST:
            axis -= 1
            row *= array.shape[axis]
        if row > _LONG and axis + 1 < array.ndim:  # many short rows
            row //= array.shape[axis]
            axis += 1
        rows = array.size // max(row, 1)
        together = max(1, min(rows, -(-FEWEST // max(row, 1))))
        self.size, self.count = max(row * together, 1), -(-rows // together)
        self.elements = array.size
        square = np.zeros(self.count)
        for at, (part,) in self.parts(array):
            square[at] = np.mean(np.square(np.where(np.isfinite(part), part, 0.0)), axis=1)
        self.level = np.sqrt(square)
        self.whole = float(np.sqrt(np.mean(square))) if self.count else 0.0
        # Where there is nothing but zeros, differences are what they are.
        self.weight = np.maximum(self.level, _LEAST_WEIGHT * self.whole) if self.whole else np.ones(self.count)

    def parts(self, *arrays: Array) -> Iterator[tuple[slice, list[Array]]]:
        """Arrays of the output's shape in float64, a number of neighbourhoods at a time, ``[some, size]``."""
        flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
        some = max(1, _PART // self.size)
        for start in range(0, self.count, some):
            stop = min(start + some, self.count)
            parts = [as_float64(array[start * self.size : stop * self.size]) for array in flat]
            lacking = (stop - start) * self.size - parts[0].size
            if lacking:
                parts = [np.pad(part, (0, lacking)) for part in parts]
            yield slice(start, stop), [part.reshape(-1, self.size) for part in parts]


def as_float64(array: Array) -> Array:
    """Elements of any dtype of the language as float64."""
    return (array.astype(np.int8) if array.dtype == INT4 else numbers(array)).astype(np.float64)
