"""What a meaning is given beside its operands, and what it asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.records import dataclass

VALUE_DTYPES: Mapping[str, np.dtype[Any]] = {
    **NUMPY_DTYPES,
    "uint64": np.dtype(np.uint64),
    "fp8_e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "fp4_e1m2": np.dtype(np.float32),
}
"""The numpy dtype that holds values of each PTO type; e1m2, which numpy has not, is values on its grid."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """A destination: ``rows`` x ``cols`` valid elements of ``dtype``."""

    dtype: str
    rows: int
    cols: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.cols

    @property
    def numpy(self) -> np.dtype[Any]:
        return VALUE_DTYPES[self.dtype]


Meaning = Callable[..., Any]
"""``meaning(dst, *operands)`` gives the destination's elements; ``dst`` is a Shaped, or with several destinations a
tuple of them, and the result then a tuple, too. ValueError where the operands' shapes do not fit."""


def require(found: tuple[int, ...], wanted: tuple[int, ...], what: str) -> None:
    """Raises ValueError unless a shape is what it has to be."""
    if found != wanted:
        raise ValueError(f"{what} is {' x '.join(map(str, found))}, not {' x '.join(map(str, wanted))}")


def is_float(dtype: np.dtype[Any]) -> bool:
    """Also of bf16 and the types of eight bits, which numpy calls void."""
    return dtype.kind not in "iub"


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What an element type computes in: narrow floats in fp32, everything else in itself."""
    return np.dtype(np.float32) if is_float(dtype) and dtype.itemsize < 4 else dtype


def scalar_of(value: Any, dtype: np.dtype[Any]) -> Any:
    """A scalar operand as the instruction gets it: in the element type."""
    if is_float(dtype):
        return np.asarray(value).astype(dtype)[()]
    return np.asarray(int(value) & (1 << 8 * dtype.itemsize) - 1, np.uint64).astype(dtype)[()]


def stepwise(function: Callable[..., Array], dtype: np.dtype[Any], *operands: Any) -> Array:
    """One step of arithmetic: computed in `compute_dtype`, rounded once to the element type; integers wrap."""
    wide = compute_dtype(dtype)
    with np.errstate(all="ignore"):
        return np.asarray(function(*(np.asarray(x).astype(wide) for x in operands))).astype(dtype)
