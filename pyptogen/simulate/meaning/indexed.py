"""Elements by index, by pattern and by match; sorting; histograms; the operands of convolutions.

Index operands hold flat positions in the whole (static) rows of the other tile, whose width is ``pitch`` where it
matters. What a template argument says comes as a keyword after the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.records import dataclass
from pyptogen.simulate.meaning.bits import COMPARE
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, require

PATTERNS: Mapping[str, tuple[int, int]] = {
    "P1111": (1, 0), "P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2),
    "P1000": (4, 3),
}  # fmt: skip
"""Period and first position of mask patterns (bits count from the right)."""


def _gathered(dst: Shaped, a: Array, index: Array) -> Array:
    """0 for a position outside; ``a`` is the whole tile."""
    require(index.shape, dst.shape, "the index tile")
    at = index.astype(np.int64)
    inside = (at >= 0) & (at < a.size)
    return np.asarray(np.where(inside, a.reshape(-1)[np.where(inside, at, 0)], np.zeros((), a.dtype)))


def _gathered_by_pattern(dst: Shaped, a: Array, pattern: str = "P1111", rows: bool = False) -> Array:
    """The selected columns of every row, one after the other without gaps; or the selected rows."""
    period, first = PATTERNS[pattern]
    if rows:
        return a[first::period]
    found = a[:, first::period]
    return found.reshape(dst.shape if found.size == dst.rows * dst.cols else (1, -1))


def _matches(
    _dst: Shaped, a: Array, key: Array, offset: int = 0, cmp: str = "gt", pitch: int | None = None
) -> tuple[list[Array], Array]:
    """For each row the positions that compare with its key (converted to a's type), and their number."""
    width = pitch or a.shape[1]
    found = [np.flatnonzero(COMPARE[cmp](a[r], a.dtype.type(key.reshape(-1)[r]))) for r in range(a.shape[0])]
    return [f + offset + r * width for r, f in enumerate(found)], np.array([len(f) for f in found])


def _gathered_blocks(dst: Shaped, old: Array, a: Array, offset: Array) -> Array:
    """32 bytes of the whole tile a for each byte offset; a block that would leave it is not written."""
    raw = np.ascontiguousarray(a).view(np.uint8).reshape(-1)
    width = 32 // dst.numpy.itemsize
    result = old.copy()
    for r in range(dst.rows):
        for c in range(0, dst.cols, width):
            at = int(offset[r, c // width])
            if at + 32 <= raw.size:
                block = raw[at : at + 32].copy().view(dst.numpy)
                result[r, c : c + width] = block[: min(width, dst.cols - c)]
    return np.asarray(result)


def _scattered(dst: Shaped, a: Array, index: Array, pitch: int | None = None, whole: Array | None = None) -> Array:
    """Zeros in the valid region, then the sources in row-major order, the last of several wins. ``whole``: the old
    elements of the whole tile, of which positions outside of the valid region are written, too."""
    width = pitch or dst.cols
    result = np.zeros((dst.rows, width), dst.numpy) if whole is None else whole.copy()
    result[: dst.rows, : dst.cols] = 0
    flat = result.reshape(-1)
    for r, c in np.ndindex(index.shape):
        at = int(index[r, c])
        if 0 <= at < flat.size:
            flat[at] = a[r, c]
    return result


def _scattered_by_pattern(dst: Shaped, a: Array, pattern: str = "P1111", rows: bool = False) -> Array:
    period, first = PATTERNS[pattern]
    result = np.zeros(dst.shape, dst.numpy)
    result[
        (slice(first, None, period) if rows else slice(None), slice(None) if rows else slice(first, None, period))
    ] = a
    return result


def place_of(index: int, capacity: int, outside: str, bits: int = 32) -> int | None:
    """Where an index leads in a table: ``drop`` (nowhere), ``clamp`` (the last), ``wrap`` (unsigned, modulo)."""
    if outside == "wrap":
        return (index % (1 << bits)) % capacity
    if 0 <= index < capacity:
        return index
    return capacity - 1 if outside == "clamp" else None


def _gathered_from_memory(
    dst: Shaped, table: Array, index: Array, coalesce: str = "row", outside: str = "drop"
) -> Array:
    """Rows by one index each, or elements by flat positions; 0 where an index leads nowhere."""
    result = np.zeros(dst.shape, dst.numpy)
    capacity = table.shape[0] if coalesce == "row" else table.size
    for r, c in np.ndindex(dst.shape):
        at = place_of(int(index.reshape(-1)[r] if coalesce == "row" else index[r, c]), capacity, outside)
        if at is not None:
            result[r, c] = table[at, c] if coalesce == "row" else table.reshape(-1)[at]
    return result


COMBINE: Mapping[str, Callable[[Array, Array], Array]] = {
    "none": lambda old, new: new, "add": np.add, "max": np.maximum, "min": np.minimum
}  # fmt: skip


def _scattered_to_memory(
    table: Array, a: Array, index: Array, coalesce: str = "row", outside: str = "drop", combine: str = "none"
) -> Array:
    """The table afterwards, in row-major order of the source."""
    result = table.copy()
    capacity = table.shape[0] if coalesce == "row" else table.size
    for r, c in np.ndindex(a.shape):
        at = place_of(int(index.reshape(-1)[r] if coalesce == "row" else index[r, c]), capacity, outside)
        if at is not None:
            place = at * table.shape[1] + c if coalesce == "row" else at
            flat = result.reshape(-1)
            flat[place] = COMBINE[combine](flat[place], a[r, c])
    return np.asarray(result)


def sort_keys(values: Array) -> Array:
    """Keys of the order of sorting: NaN above infinity, -0 equal to 0."""
    if values.dtype.kind in "iu":
        return values.astype(np.float64)
    wide = values.astype(np.float64)
    return np.where(np.isnan(wide), np.inf, np.where(np.isinf(wide), np.sign(wide) * 1.7e308, wide))


def pairs_of(values: Array, index: Array) -> Array:
    """(value, index) pairs of eight bytes as elements of the values' type."""
    size = values.dtype.itemsize
    raw = np.zeros((values.size, 8), np.uint8)
    raw[:, :size] = np.ascontiguousarray(values).reshape(-1, 1).view(np.uint8)
    raw[:, 4:] = np.ascontiguousarray(index.astype(np.uint32)).reshape(-1, 1).view(np.uint8)
    return raw.reshape(-1).view(values.dtype)


def _sorted_32(dst: Shaped, a: Array, index: Array) -> Array:
    """Blocks of 32 in each row, descending; equal values in their order. One row of indices serves all rows."""
    result = np.empty((a.shape[0], a.shape[1] * (8 // a.dtype.itemsize)), a.dtype)
    require(result.shape, dst.shape, "the pairs")
    for r in range(a.shape[0]):
        row = index[r if index.shape[0] > 1 else 0]
        order = np.concatenate(
            [
                first + np.argsort(-sort_keys(a[r, first : first + 32]), kind="stable")
                for first in range(0, a.shape[1], 32)
            ]
            or [np.zeros(0, np.int64)]
        )
        result[r] = pairs_of(a[r, order], row[order])
    return result


def _merged(_dst: Shaped, *lists: Array, exhausted: bool = False) -> tuple[Array, tuple[int, ...]]:
    """Sorted lists of pairs in one, of equal values those of the earlier list first; ``exhausted`` stops as soon as one
    list is used up. Also how many pairs each list gave."""
    pair = 8 // lists[0].dtype.itemsize
    rows = [x.reshape(-1, pair) for x in lists]
    keys = [sort_keys(x[:, 0]) for x in rows]
    taken, out = [0] * len(rows), []
    while any(t < len(x) for t, x in zip(taken, rows, strict=True)):
        open_lists = [i for i, x in enumerate(rows) if taken[i] < len(x)]
        best = max(open_lists, key=lambda i: (keys[i][taken[i]], -i))
        out.append(rows[best][taken[best]])
        taken[best] += 1
        if exhausted and taken[best] == len(rows[best]):
            break
    return np.array(out, lists[0].dtype).reshape(1, -1), tuple(taken)


def _merged_blocks(dst: Shaped, a: Array, block: int) -> Array:
    """Every four blocks of ``block`` elements of a sorted row of pairs in one sorted block."""
    flat = a.reshape(-1)
    parts = [flat[i : i + block] for i in range(0, flat.size, block)]
    groups = [_merged(dst, *parts[i : i + 4])[0].reshape(-1) for i in range(0, len(parts), 4)]
    return np.concatenate(groups).reshape(1, -1)


def _greatest(dst: Shaped, a: Array) -> Array:
    """Places of the elements of a row in falling order, NaN above all; equal ones in their order."""
    return np.argsort(-sort_keys(a[0]), kind="stable")[None, : dst.cols].astype(np.int32)


def _least(dst: Shaped, a: Array) -> Array:
    """The same in rising order: NaN comes last."""
    return np.argsort(sort_keys(a[0]), kind="stable")[None, : dst.cols].astype(np.int32)


def _histogram(dst: Shaped, a: Array, prefix: Array, byte: int = 0) -> Array:
    """Running sums over the 256 values of a byte, of the elements whose higher bytes are ``prefix`` (one a row)."""
    result = np.empty((a.shape[0], 256), dst.numpy)
    for r in range(a.shape[0]):
        values = a[r].astype(np.int64)
        chosen = values[values >> (8 * (byte + 1)) == int(prefix.reshape(-1)[r])]
        result[r] = np.cumsum(np.bincount((chosen >> (8 * byte)) & 255, minlength=256))
    return result


@dataclass(frozen=True, slots=True)
class Convolution:
    """How a filter moves over feature maps: (height, width) each, padding (top, bottom, left, right)."""

    filter: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)


def _columns(dst: Shaped, maps: Array, m: int, k: int, conv: Convolution, pad: float = 0) -> Array:
    """The A operand from (m, k) on: ``maps`` are N x C1 x H x W x C0; M runs over (N, output row, output column), K
    over (C1, filter row, filter column, C0)."""
    top, bottom, left, right = conv.padding
    n, c1, h, w, c0 = maps.shape
    wide = np.full((n, c1, h + top + bottom, w + left + right, c0), pad, maps.dtype)
    wide[:, :, top : top + h, left : left + w] = maps
    out = [
        (size - step * (taps - 1) - 1) // stride + 1
        for size, step, taps, stride in zip(wide.shape[2:4], conv.dilation, conv.filter, conv.stride, strict=True)
    ]
    taps = [
        wide[
            :, :,
            y * conv.dilation[0] : y * conv.dilation[0] + out[0] * conv.stride[0] : conv.stride[0],
            x * conv.dilation[1] : x * conv.dilation[1] + out[1] * conv.stride[1] : conv.stride[1],
        ][:, :, : out[0], : out[1]]
        for y in range(conv.filter[0])
        for x in range(conv.filter[1])
    ]  # fmt: skip
    windows = np.stack(taps, axis=2).transpose(0, 3, 4, 1, 2, 5)  # n, y, x, c1, tap, c0
    matrix = windows.reshape(n * out[0] * out[1], -1)
    result = np.full(dst.shape, pad, dst.numpy)
    found = matrix[m : m + dst.rows, k : k + dst.cols]
    result[: found.shape[0], : found.shape[1]] = found
    return result


def _register(*_operands: object) -> tuple[()]:
    """Sets registers; no element changes."""
    return ()


MEANINGS: Mapping[str, Meaning] = {
    "TGATHER": _gathered,
    "TGATHER(dst, a)": _gathered_by_pattern,
    "TGATHER(dst, a, key, counts, tmp, offset)": _matches,
    "TGATHERB": _gathered_blocks,
    "TSCATTER": _scattered,
    "TSCATTER(dst, a)": _scattered_by_pattern,
    "MGATHER": _gathered_from_memory,
    "MSCATTER": _scattered_to_memory,
    "TSORT32": _sorted_32,
    "TMRGSORT": _merged,
    "TMRGSORT(pairs, a, block)": _merged_blocks,
    "THISTOGRAM": _histogram,
    "TTOPK": _greatest,
    "TBOTTOMK": _least,
    "TIMG2COL": _columns,
    "SETFMATRIX": _register,
    "SET_IMG2COL_RPT": _register,
    "SET_IMG2COL_PADDING": _register,
}
