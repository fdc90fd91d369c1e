"""Test data: element types, awkward values, and pointers for ctypes."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype(np.float32),
    "fp16": np.dtype(np.float16),
    "bf16": BF16,
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int16": np.dtype(np.int16),
    "uint16": np.dtype(np.uint16),
    "int32": np.dtype(np.int32),
    "uint32": np.dtype(np.uint32),
    "int64": np.dtype(np.int64),
    "uint64": np.dtype(np.uint64),
}
FLOATS = ["fp32", "fp16", "bf16"]
GUARD = 0x5A


def pointer(array: Array) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def guarded(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array in which every byte is the guard byte."""
    count = int(np.prod(shape)) * dtype.itemsize
    return np.full(count, GUARD, np.uint8).view(dtype).reshape(shape)


def is_guard(array: Array) -> bool:
    return bool((np.ascontiguousarray(array).view(np.uint8) == GUARD).all())


def values(rng: np.random.Generator, shape: tuple[int, ...], name: str) -> Array:
    """Random values of every magnitude; for floats also NaN, infinities, zeros of both signs and denormals."""
    dtype = DTYPES[name]
    if name not in FLOATS:
        info = np.iinfo(dtype)
        array = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        special = np.array([info.min, info.max, 0, 1, 7], dtype)
    else:
        array = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -6e-8, 1.0, 65504.0]).astype(dtype)
    hits = rng.random(shape) < 0.1
    array[hits] = rng.choice(special, int(hits.sum()))
    return array


def same(got: Array, expected: Array) -> bool:
    """Equal bit for bit, except that every NaN equals every other and the sign of zero does not count."""
    if got.dtype.kind in "iu":
        return bool((got == expected).all())
    g, e = got.astype(np.float64), expected.astype(np.float64)
    return bool(((g == e) | (np.isnan(g) & np.isnan(e))).all())
