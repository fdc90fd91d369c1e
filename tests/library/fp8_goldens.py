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


def linear_mxfp8(a: Arrays) -> dict[str, Array]:
    x, w = (_in_groups(a[name], a[f"{name}_scale"]) for name in ("x", "w"))
    return {"y": bf16(x @ w.T + wide(a["bias"]))}


def _in_groups(elements: Array, scale: Array) -> Array:
    """Elements times 2^(code - 127) of their group of 32."""
    powers = np.exp2(scale.view(np.uint8).astype(np.float64) - 127)
    return wide(elements) * np.repeat(powers, 32, axis=1)
