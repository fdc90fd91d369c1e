"""Bits: logic, shifts, comparisons into packed predicates, selection by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, is_float, require, scalar_of


def _logic(function: Callable[[Array, Array], Array]) -> Meaning:
    def compute(dst: Shaped, a: Array, b: Any) -> Array:
        require(a.shape, dst.shape, "the operand")
        other = b if isinstance(b, np.ndarray) else scalar_of(b, dst.numpy)
        if not is_float(a.dtype):
            return np.asarray(function(a, other))
        words = f"uint{8 * a.dtype.itemsize}"
        return np.asarray(function(a.view(words), np.asarray(other, a.dtype).view(words)).view(a.dtype))

    return compute


def _not(dst: Shaped, a: Array) -> Array:
    require(a.shape, dst.shape, "the operand")
    return np.asarray(~a)


def shift_left(a: Array, count: Array) -> Array:
    """Counts are unsigned; from the width of the type on nothing is left."""
    unsigned = np.dtype(f"uint{8 * a.dtype.itemsize}")
    a, by = np.broadcast_arrays(a, np.asarray(count).astype(unsigned))
    width = 8 * a.dtype.itemsize
    moved = a.astype(unsigned) << np.where(by < width, by, 0).astype(unsigned)
    return np.asarray(np.where(by < width, moved, unsigned.type(0)).astype(a.dtype))


def shift_right(a: Array, count: Array) -> Array:
    """Counts are unsigned; from the width of the type on the sign is left."""
    unsigned = np.dtype(f"uint{8 * a.dtype.itemsize}")
    a, by = np.broadcast_arrays(a, np.asarray(count).astype(unsigned))
    width = 8 * a.dtype.itemsize
    moved = a >> np.where(by < width, by, 0).astype(a.dtype)
    sign = np.where(a < 0, a.dtype.type(-1 if a.dtype.kind == "i" else 0), a.dtype.type(0))
    return np.asarray(np.where(by < width, moved, sign))


COMPARE: Mapping[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def packed(flags: Array, dst: Shaped) -> Array:
    """Booleans as bits, the first in the lowest place, in elements of the predicate tile; behind the last one 0."""
    size = dst.numpy.itemsize
    wide = np.zeros((dst.rows, 8 * size * dst.cols), bool)
    wide[:, : flags.shape[1]] = flags
    raw = np.packbits(wide, axis=1, bitorder="little")
    return np.ascontiguousarray(raw).view(dst.numpy).reshape(dst.shape)


def unpacked(bits: Array, cols: int) -> Array:
    """The first ``cols`` bits of each row of a predicate tile as booleans."""
    raw = np.ascontiguousarray(bits).view(np.uint8).reshape(bits.shape[0], bits.shape[1] * bits.dtype.itemsize)
    if raw.shape[1] * 8 < cols:
        raise ValueError(f"the predicate has {raw.shape[1] * 8} bits a row, not {cols}")
    return np.unpackbits(raw, axis=1, bitorder="little")[:, :cols].astype(bool)


def _compared(dst: Shaped, a: Array, b: Any, mode: str) -> Array:
    """IEEE comparisons: beside a NaN only ``ne`` holds."""
    if isinstance(b, np.ndarray) and b.ndim:
        require(b.shape, a.shape, "the second operand")
    else:
        b = scalar_of(b, a.dtype)
    if is_float(a.dtype):
        a, b = a.astype(np.float64), np.asarray(b).astype(np.float64)
    return packed(COMPARE[mode](a, b), dst)


def _compared_with_one(dst: Shaped, a: Array, b: Any, mode: str) -> Array:
    """A second tile stands for its first element."""
    return _compared(dst, a, b[0, 0] if isinstance(b, np.ndarray) and b.size else b, mode)


def _selected(dst: Shaped, bits: Array, a: Array, b: Any) -> Array:
    require(a.shape, dst.shape, "the first operand")
    other = b if isinstance(b, np.ndarray) else scalar_of(b, dst.numpy)
    return np.asarray(np.where(unpacked(bits, dst.cols), a, other))


_LOGIC: Mapping[str, Callable[[Array, Array], Array]] = {
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
    "SHL": shift_left,
    "SHR": shift_right,
}

MEANINGS: Mapping[str, Meaning] = {
    **{f"T{stem}": _logic(function) for stem, function in _LOGIC.items()},
    **{f"T{stem}S": _logic(function) for stem, function in _LOGIC.items()},
    "TNOT": _not,
    "TCMP": _compared,
    "TCMPS": _compared_with_one,
    "TSEL": _selected,
    "TSELS": _selected,
}
