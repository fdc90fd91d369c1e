"""What each PTO instruction computes, once per instruction, on numpy arrays.

A meaning takes the shape and dtype of its destination, then the operands in the order of the table's form: tiles as
arrays of their valid elements, scalars and indices as numbers, a round mode by its name. It gives the elements of the
destination. fp32 arithmetic is fp32; fp16 and bf16 compute in fp32 and round once; matrix products and row sums are
exact or in float64 and rounded once, because the order in which a device adds is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyptogen.lower.isa.kinds import BITWISE_NAMES
from pyptogen.lower.tensor import numerics
from pyptogen.lower.tensor.numerics import NUMPY_DTYPES, Array
from pyptogen.lower.tensor.numerics_selection import WHOLE


@dataclass(frozen=True, slots=True)
class Shaped:
    """The destination: ``rows`` x ``cols`` valid elements of ``dtype``."""

    dtype: str
    rows: int
    cols: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.cols

    @property
    def numpy(self) -> np.dtype[Any]:
        return NUMPY_DTYPES[self.dtype]


Meaning = Callable[..., Array]
"""``meaning(dst: Shaped, *operands) -> Array``; ValueError where the operands' shapes do not fit."""

SCRATCH: Mapping[str, int] = {
    "TROWSUM": -1,
    "TROWMAX": -1,
    "TROWMIN": -1,
    "TXOR": -1,
    "TXORS": -1,
    "TSEL": -1,
    "TSELS": 2,
}
"""Instructions with scratch, and its place among the operands behind the destination: overwritten with nobody knows
what, and not read."""

MIXED = frozenset({"TCVT", "TCMP", "TCMPS", "TSEL", "TSELS"})
"""Instructions whose operands may be of other dtypes than the destination."""


def _require(found: tuple[int, ...], wanted: tuple[int, ...], what: str) -> None:
    if found != wanted:
        raise ValueError(f"{what} is {' x '.join(map(str, found))}, not {' x '.join(map(str, wanted))}")


def _moved(dst: Shaped, source: Array) -> Array:
    """The same elements; an fp32 accumulator is rounded to what it moves to."""
    _require(source.shape, dst.shape, "the source")
    return source if source.dtype == dst.numpy else numerics.cast(source, dst.numpy, "rint", True)


def _part(dst: Shaped, source: Array, row: int, col: int) -> Array:
    if row < 0 or col < 0:
        raise ValueError(f"the part starts at row {row}, column {col}")
    return _moved(dst, source[row : row + dst.rows, col : col + dst.cols])


def _product(dst: Shaped, left: Array, right: Array) -> Array:
    """Products and sums in float64, where int8 is exact."""
    _require((left.shape[0], right.shape[1]), dst.shape, "the product")
    _require((left.shape[1],), (right.shape[0],), "the depth of the left operand")
    exact = left.astype(np.float64) @ right.astype(np.float64)
    return exact.astype(dst.numpy)


def _product_added(dst: Shaped, acc: Array, left: Array, right: Array) -> Array:
    _require(acc.shape, dst.shape, "the accumulator")
    _require((left.shape[0], right.shape[1]), dst.shape, "the product")
    _require((left.shape[1],), (right.shape[0],), "the depth of the left operand")
    exact = left.astype(np.float64) @ right.astype(np.float64)
    return (acc.astype(np.float64) + exact).astype(dst.numpy)


def _pairwise(kind: str) -> Meaning:
    def compute(dst: Shaped, a: Array, b: Array) -> Array:
        _require(a.shape, dst.shape, "the first operand")
        _require(b.shape, dst.shape, "the second operand")
        return numerics.binary(kind, a, b, dst.numpy)

    return compute


def _with_scalar(kind: str) -> Meaning:
    """One operand is a number, in the place where it stands."""

    def compute(dst: Shaped, a: Any, b: Any) -> Array:
        _require((a if isinstance(a, np.ndarray) else b).shape, dst.shape, "the operand")
        return numerics.binary(kind, a, b, dst.numpy)

    return compute


def _by_row(kind: str) -> Meaning:
    def compute(dst: Shaped, a: Array, column: Array) -> Array:
        _require(a.shape, dst.shape, "the first operand")
        _require(column.shape, (dst.rows, 1), "the column")
        return numerics.binary(kind, a, column, dst.numpy)

    return compute


def _by_column(kind: str) -> Meaning:
    def compute(dst: Shaped, a: Array, row: Array) -> Array:
        _require(a.shape, dst.shape, "the first operand")
        _require(row.shape, (1, dst.cols), "the row")
        return numerics.binary(kind, a, row, dst.numpy)

    return compute


def _one_by_one(kind: str) -> Meaning:
    def compute(dst: Shaped, a: Array) -> Array:
        _require(a.shape, dst.shape, "the operand")
        return numerics.unary(kind, a)

    return compute


def _over_row(kind: str) -> Meaning:
    def compute(dst: Shaped, a: Array) -> Array:
        _require((a.shape[0], 1), dst.shape, "the column of results")
        return numerics.reduce(kind, a, 1)

    return compute


def _filled(dst: Shaped, scalar: float) -> Array:
    return np.full(dst.shape, scalar, dst.numpy)


def _converted(dst: Shaped, a: Array, mode: str) -> Array:
    """From a float dtype to itself: to whole numbers."""
    _require(a.shape, dst.shape, "the operand")
    if a.dtype == dst.numpy and not np.issubdtype(a.dtype, np.integer):
        return numerics.whole(numerics.widen(a), mode).astype(a.dtype)
    return numerics.cast(a, dst.numpy, mode, True)


def _spread(dst: Shaped, column: Array) -> Array:
    _require(column.shape, (dst.rows, 1), "the column")
    return np.broadcast_to(column, dst.shape)


def _repeat(dst: Shaped, row: Array) -> Array:
    _require(row.shape, (1, dst.cols), "the row")
    return np.broadcast_to(row, dst.shape)


_COMPARED: Mapping[str, Callable[[Any, Any], Array]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def _predicate(dst: Shaped, a: Array, b: Any, mode: str) -> Array:
    """Bit c % 8 of byte c / 8 of a row is element c; the bits behind the last column are 0."""
    if isinstance(b, np.ndarray):
        _require(b.shape, a.shape, "the second operand")
    _require((a.shape[0], -(-a.shape[1] // 8)), (dst.rows, min(dst.cols, -(-a.shape[1] // 8))), "the predicate")
    held = _COMPARED[mode](numerics.widen(a), numerics.widen(b) if isinstance(b, np.ndarray) else b)
    packed = np.packbits(held, axis=1, bitorder="little")
    return np.pad(packed, ((0, 0), (0, dst.cols - packed.shape[1])))


def _selected(dst: Shaped, bits: Array, a: Array, b: Any) -> Array:
    _require(a.shape, dst.shape, "the first side")
    if isinstance(b, np.ndarray):
        _require(b.shape, dst.shape, "the second side")
    held = np.unpackbits(bits, axis=1, count=dst.cols, bitorder="little").astype(bool)
    return np.where(held, a, b if isinstance(b, np.ndarray) else np.asarray(b).astype(dst.numpy))


def _of_bits(kind: str) -> Meaning:
    """Bits of whole numbers; shifts by the width and more leave nothing (a signed right shift: the sign)."""

    def compute(dst: Shaped, a: Array, b: Any) -> Array:
        _require(a.shape, dst.shape, "the first operand")
        other = np.asarray(b).astype(a.dtype)
        return np.asarray(WHOLE[kind](a, other)).astype(dst.numpy)

    return compute


_STEMS = {"ADD": "add", "SUB": "sub", "MUL": "mul", "DIV": "div", "MAX": "maximum", "MIN": "minimum"}
_UNARY = {
    "TEXP": "exp", "TLOG": "log", "TSQRT": "sqrt", "TRSQRT": "rsqrt", "TRECIP": "reciprocal", "TABS": "abs",
    "TNEG": "neg", "TRELU": "relu",
}  # fmt: skip

MEANINGS: Mapping[str, Meaning] = {
    "TLOAD": _moved,
    "TSTORE": _moved,
    "TEXTRACT": _part,
    "TMOV": _moved,
    "TMATMUL": _product,
    "TMATMUL_ACC": _product_added,
    **{f"T{stem}": _pairwise(kind) for stem, kind in _STEMS.items()},
    **{f"T{stem}S": _with_scalar(kind) for stem, kind in _STEMS.items()},
    **{f"TROWEXPAND{stem}": _by_row(kind) for stem, kind in _STEMS.items()},
    **{f"TCOLEXPAND{stem}": _by_column(kind) for stem, kind in _STEMS.items()},
    **{name: _one_by_one(kind) for name, kind in _UNARY.items()},
    **{name: _of_bits(kind) for kind, name in BITWISE_NAMES.items()},
    **{f"{name}S": _of_bits(kind) for kind, name in BITWISE_NAMES.items()},
    "TNOT": lambda dst, a: np.invert(a),
    "TCMP": _predicate,
    "TCMPS": _predicate,
    "TSEL": _selected,
    "TSELS": _selected,
    "TEXPANDS": _filled,
    "TCVT": _converted,
    "TROWSUM": _over_row("sum"),
    "TROWMAX": _over_row("amax"),
    "TROWMIN": _over_row("amin"),
    "TROWEXPAND": _spread,
    "TCOLEXPAND": _repeat,
}
