"""Tensors of torch and arrays of numpy on the same memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from pyptogen.layout.packing import PackedWeight
from pyptogen.numpy_dtypes import numpy_dtype

_BY_NAME: Mapping[str, torch.dtype] = {
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "int16": torch.int16,
    "uint16": torch.uint16,
    "int32": torch.int32,
    "uint32": torch.uint32,
    "int64": torch.int64,
    "bool": torch.bool,
    "fp8_e4m3": torch.float8_e4m3fn,
    "fp8_e5m2": torch.float8_e5m2,
    "fp8_e8m0": torch.float8_e8m0fnu,
}
_TORCH = {numpy_dtype(name): dtype for name, dtype in _BY_NAME.items()}
_NAMES = {dtype: name for name, dtype in _BY_NAME.items()}
_BITS: Mapping[int, np.dtype[Any]] = {1: np.dtype(np.uint8), 2: np.dtype(np.int16)}
"""By which numpy and torch both know elements that numpy has not itself."""


def torch_dtype(dtype: np.dtype[Any]) -> torch.dtype:
    """How torch calls what memory has."""
    return _TORCH[dtype]


def language_dtype(dtype: torch.dtype) -> str:
    """How the language calls a dtype of torch; torch's own name where it has none."""
    return _NAMES.get(dtype, str(dtype))


def as_tensor(value: Any) -> torch.Tensor:
    """A result of an operator as a tensor, on the same memory; a packed weight is unpacked."""
    array = value.unpack() if isinstance(value, PackedWeight) else value
    if array.dtype.isbuiltin == 1:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(_BITS[array.dtype.itemsize])).view(torch_dtype(array.dtype))
