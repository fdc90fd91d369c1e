"""Element types of the language as numpy knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

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
}
"""By the language's name. A 16-bit float travels to native code as its bits."""

_NAMES = {dtype: name for name, dtype in NUMPY_DTYPES.items()}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy dtype of a dtype of the language. Raises ``KeyError`` for one that numpy does not
    have here.
    """
    return NUMPY_DTYPES[name]


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The language's name of a numpy dtype, or numpy's own where the language has none."""
    return _NAMES.get(dtype, str(dtype))
