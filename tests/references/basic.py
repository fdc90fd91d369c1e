"""softmax, rms_norm and matmul by definition, in float64, rounded once at the end."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from references.rounding import F32, int8_matmul, to_bf16


def softmax(x: F32) -> F32:
    """`exp(x - max) / sum(exp(x - max))` over the last axis; a row of -inf alone has no softmax: NaN."""
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(wide - wide.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)).astype(np.float32)


def rms_norm(x: F32, gamma: F32, eps: float) -> F32:
    """`x / sqrt(mean(x**2) + eps) * gamma` over the last axis."""
    wide = x.astype(np.float64)
    mean_square = (wide * wide).mean(axis=-1, keepdims=True)
    return (wide / np.sqrt(mean_square + eps) * gamma.astype(np.float64)).astype(np.float32)


def matmul(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`a @ b`: fp32 gives fp32, bf16 gives bf16 (one rounding of the exact sum), int8 gives int32."""
    if a.dtype == np.int8:
        return int8_matmul(a, b)
    wide = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    return wide if a.dtype == np.float32 else to_bf16(wide).astype(ml_dtypes.bfloat16)


def matmul_bound(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """How far an fp32 sum of the K products may be from the exact one, in any order: (K + 1) u |a| @ |b|."""
    unit = 2.0**-24
    return (a.shape[1] + 1) * unit * (np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)))
