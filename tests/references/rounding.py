"""Rounding steps that are part of the contracts, done on bits or by numpy's own conversions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]


def to_bf16(values: npt.ArrayLike) -> F32:
    """Round fp32 values to the nearest bf16 (ties to even) and return them as fp32.

    The sum cannot carry out of a finite number's sign; a NaN is kept a NaN by setting its quiet bit.
    """
    wide = np.ascontiguousarray(values, dtype=np.float32)
    bits = wide.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isnan(wide), bits | np.uint32(0x00400000), rounded)
    return rounded.view(np.float32)


def int8_matmul(a: npt.NDArray[np.int8], b: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    """`a @ b` exactly, as int32.

    A product is at most 2**14 in size, so 1024 of them add up exactly in fp32: BLAS does it in slices of K.
    """
    total = np.zeros((a.shape[0], b.shape[1]), np.int64)
    for k in range(0, a.shape[1], 1024):
        part = a[:, k : k + 1024].astype(np.float32) @ b[k : k + 1024].astype(np.float32)
        total += part.astype(np.int64)
    assert total.size == 0 or np.abs(total).max() < 2**31
    return total.astype(np.int32)


def to_fp32(values: npt.NDArray[Any]) -> F32:
    """Widen bf16, fp16 or integer data to fp32."""
    return np.asarray(values).astype(np.float32)
