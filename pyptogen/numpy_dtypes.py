"""Element types of the language as numpy knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from pyptogen.hifloat8 import HIF8, hif8_values, to_hif8

Array = np.ndarray[Any, Any]

NUMPY_DTYPES: Mapping[str, np.dtype[Any]] = {
    "fp32": np.dtype(np.float32),
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int16": np.dtype(np.int16),
    "uint16": np.dtype(np.uint16),
    "int32": np.dtype(np.int32),
    "uint32": np.dtype(np.uint32),
    "int64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
    "fp8_e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "fp8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "fp8_e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "hif8": HIF8,
    "int4": np.dtype(ml_dtypes.int4),
    "fp4_e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
}
"""By the language's name. A 16-bit float travels to native code as its bits, numbers of four bits two in a byte,
hif8 as its codes."""

INT4 = NUMPY_DTYPES["int4"]
"""Numbers of four bits, which numpy counts neither as integers nor as floats."""
INT4_RANGE = ml_dtypes.iinfo(INT4)  # type: ignore[no-untyped-call]
"""-8 to 7."""

_NAMES = {dtype: name for name, dtype in NUMPY_DTYPES.items()}


def in_bytes(array: Array) -> Array:
    """Elements of four bits ``[…, n]`` two in a byte, the first in the low bits: ``uint8[…, n / 2]``; hif8 as its
    codes, ``uint8[…, n]``, on the same memory."""
    if array.dtype == HIF8:
        return array.view(np.uint8)
    codes = np.ascontiguousarray(array).view(np.uint8) & 15
    return np.asarray(codes[..., ::2] | codes[..., 1::2] << 4)


def out_of_bytes(array: Array, dtype: np.dtype[Any]) -> Array:
    """What `in_bytes` was given: the elements of a dtype that these bytes hold."""
    if dtype == HIF8:
        return array.view(HIF8)
    codes = np.stack([array & 15, array >> 4], axis=-1)
    return codes.reshape(*array.shape[:-1], 2 * array.shape[-1]).view(dtype)


def numbers(array: Array) -> Array:
    """Elements that numpy computes with: hif8 as fp32, everything else as it is."""
    return hif8_values(array) if array.dtype == HIF8 else array


def rounded_to(array: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers in a dtype, rounded to nearest; hif8 saturates."""
    return to_hif8(array) if dtype == HIF8 else array.astype(dtype)


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy dtype of a dtype of the language. Raises ``KeyError`` for one that numpy does not
    have here.
    """
    return NUMPY_DTYPES[name]


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The language's name of a numpy dtype, or numpy's own where the language has none."""
    return _NAMES.get(dtype, str(dtype))
