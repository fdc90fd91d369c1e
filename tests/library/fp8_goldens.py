"""Goldens of the library's operators in fp8."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from library.goldens import Array, Arrays, bf16, wide

LARGEST = 448.0
"""Of e4m3."""


def linear_fp8(a: Arrays) -> dict[str, Array]:
    x = a["x"].astype(np.float32)
    scale = np.maximum(np.abs(x).max(axis=-1, keepdims=True), np.float32(1e-12)) / np.float32(LARGEST)
    levels = np.clip(x / scale, -LARGEST, LARGEST).astype(ml_dtypes.float8_e4m3fn)
    return {"y": bf16(wide(levels) @ wide(a["w"]) * wide(scale) * wide(a["w_scale"]))}


def linear_fp8_blocks(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"]) * np.repeat(wide(a["x_scale"]), 128, axis=1)
    w = wide(a["w"]) * np.repeat(np.repeat(wide(a["w_scale"]), 128, axis=0), 128, axis=1)
    return {"y": bf16(x @ w).reshape(len(x), 6, 128)}
