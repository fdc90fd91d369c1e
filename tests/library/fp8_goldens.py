"""Goldens of the library's operators in fp8."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from runtime.isa.test_numbers import hif8_value

from library.goldens import Array, Arrays, bf16, wide

LARGEST = 448.0
"""Of e4m3."""


def linear_fp8(a: Arrays) -> dict[str, Array]:
    x = a["x"].astype(np.float32)
    scale = np.maximum(np.abs(x).max(axis=-1, keepdims=True), np.float32(1e-12)) / np.float32(LARGEST)
    levels = np.clip(x / scale, -LARGEST, LARGEST).astype(ml_dtypes.float8_e4m3fn)
    return {"y": bf16(wide(levels) @ wide(a["w"]) * wide(scale) * wide(a["w_scale"]))}


def linear_hif8(a: Arrays) -> dict[str, Array]:
    """Codes of the nearest value of the format, of two as near the one farther from zero."""
    known = np.array([hif8_value(code) for code in range(256)])
    known = np.sort(known[np.isfinite(known)])
    exact = wide(a["x"]) / 0.25  # the default of x_scale
    above = np.clip(np.searchsorted(known, exact), 1, len(known) - 1)
    low, high = known[above - 1], known[above]
    tie = np.abs(high) > np.abs(low)
    x = np.where((high - exact < exact - low) | ((high - exact == exact - low) & tie), high, low)
    w = np.array([hif8_value(code) for code in range(256)])[a["w"].view(np.uint8)]
    return {"y": bf16(x @ w * 0.25 * wide(a["w_scale"]))}


def linear_fp8_blocks(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"]) * np.repeat(wide(a["x_scale"]), 128, axis=1)
    w = wide(a["w"]) * np.repeat(np.repeat(wide(a["w_scale"]), 128, axis=0), 128, axis=1)
    return {"y": bf16(x @ w).reshape(len(x), 6, 128)}


def linear_mxfp8(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"]).reshape(len(a["x"]), -1, 32)
    peak = np.abs(x).max(axis=-1, keepdims=True)
    # The logarithm of a number of 8 digits is never rounded up to a whole one.
    exponent = np.floor(np.log2(peak, out=np.full(peak.shape, -127.0), where=peak > 0))
    scale = np.exp2(np.maximum(exponent - 8, -127))
    levels = np.clip(x / scale, -LARGEST, LARGEST).astype(ml_dtypes.float8_e4m3fn)
    left = (wide(levels) * scale).reshape(len(x), -1)
    powers = np.exp2(a["w_scale"].view(np.uint8).astype(np.float64) - 127)
    return {"y": bf16(left @ (wide(a["w"]) * np.repeat(powers, 32, axis=1)).T + wide(a["bias"]))}


def linear_mxfp4(a: Arrays) -> dict[str, Array]:
    """A byte has two neighbours of a row, the first in its low bits; the numbers by their codes, as the format lists
    them."""
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    x = wide(a["x"]).reshape(len(a["x"]), -1, 32)
    peak = np.abs(x).max(axis=-1, keepdims=True)
    exponent = np.floor(np.log2(peak, out=np.full(peak.shape, -127.0), where=peak > 0))
    scale = np.exp2(np.maximum(exponent - 2, -127))
    apart = np.abs(np.minimum(np.abs(x / scale), 6)[..., None] - table)
    odd = np.arange(8) % 2 * 1e-9  # of two numbers as near the one with an even code
    levels = table[np.argmin(apart + odd, axis=-1)] * np.sign(x)
    codes = np.stack([a["w"] % 16, a["w"] // 16], axis=-1).reshape(len(a["w"]), -1)
    w = table[codes % 8] * np.where(codes < 8, 1, -1)
    powers = np.exp2(a["w_scale"].view(np.uint8).astype(np.float64) - 127)
    left = (levels * scale).reshape(len(x), -1)
    return {"y": bf16(left @ (w * np.repeat(powers, 32, axis=1)).T + wide(a["bias"]))}
