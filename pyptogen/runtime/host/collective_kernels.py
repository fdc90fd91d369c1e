"""What the workers do for copies and collectives: plain numpy on the shared memory.

Sums go from chip 0 upwards whatever the timing, so results do not vary; 16-bit and 8-bit floats are summed in
fp32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
"""By the name that ``op=`` takes."""


def copy(x: Any, y: Any) -> None:
    """y = x."""
    y[...] = x


def assemble(axis: int, y: Any, **parts: Any) -> None:
    """y = the parts ``x0``, ``x1``, … one after the other along ``axis``."""
    start = 0
    for number in range(len(parts)):
        part = parts[f"x{number}"]
        index = [slice(None)] * y.ndim
        index[axis] = slice(start, start + part.shape[axis])
        y[tuple(index)] = part
        start += part.shape[axis]


def cut_up(x: Any, **parts: Any) -> None:
    """``y0``, ``y1``, … = the elements of x one after the other, as many as fit each."""
    flat, start = x.reshape(-1), 0
    for number in range(len(parts)):
        part = parts[f"y{number}"]
        part[...] = flat[start : start + part.size]
        start += part.size


def reduce_into(op: str, count: int, **tensors: Any) -> None:
    """Every ``y0``, ``y1``, … = the ``count`` inputs ``x0``, ``x1``, … combined."""
    total = _combined(OPERATIONS[op], [tensors[f"x{number}"] for number in range(count)])
    number = 0
    while (y := tensors.get(f"y{number}")) is not None:
        y[...] = total
        number += 1


def reduce_slice(op: str, axis: int, rank: int, y: Any, **parts: Any) -> None:
    """y = slice ``rank`` along ``axis`` of the inputs ``x0``, ``x1``, … combined."""
    length = y.shape[axis]
    index = [slice(None)] * y.ndim
    index[axis] = slice(rank * length, (rank + 1) * length)
    y[...] = _combined(OPERATIONS[op], [parts[f"x{number}"][tuple(index)] for number in range(len(parts))])


def exchange(axis: int, rank: int, y: Any, **parts: Any) -> None:
    """y = slice ``rank`` along ``axis`` of each of ``x0``, ``x1``, …, one after the other."""
    length = y.shape[axis] // len(parts)
    for number in range(len(parts)):
        here, there = [slice(None)] * y.ndim, [slice(None)] * y.ndim
        here[axis] = slice(rank * length, (rank + 1) * length)
        there[axis] = slice(number * length, (number + 1) * length)
        y[tuple(there)] = parts[f"x{number}"][tuple(here)]


def _combined(operation: Callable[..., Any], parts: list[Any]) -> Any:
    dtype = parts[0].dtype
    # The short floats of ml_dtypes are of kind V.
    short = dtype.itemsize < 4 and dtype.kind in "fV"
    total = parts[0].astype(np.float32 if short else dtype)
    for part in parts[1:]:
        operation(total, part.astype(total.dtype, copy=False), out=total)
    return total.astype(dtype, copy=False)
