"""HiFloat8, a float of eight bits whose precision falls with the size of its exponent; numpy has no such dtype.

A code is a sign, a prefix that says how many bits the exponent has (11: four, 10: three, 01: two, 001: one, 0001:
none), the exponent as a sign and a magnitude whose leading one is left out, and a fraction in what is left. After 0000
stand the powers of two below. Source: "Ascend HiFloat8 Format for Deep Learning" (Luo et al., 2024).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

HIF8 = np.dtype([("hif8", np.uint8)])
"""Elements by their codes. A dtype with a field, so that nothing takes them for numbers."""

_PREFIXES = ((0b11, 5, 4), (0b10, 5, 3), (0b01, 5, 2), (0b001, 4, 1), (0b0001, 3, 0))
"""Each prefix, the bits behind it, and those of them that are the exponent's."""
_NAN, _INFINITY = 0x80, 0x6F


def _value(code: int) -> float:
    """The number of a code below 128."""
    if code == _INFINITY:
        return float("inf")
    for prefix, behind, exponent_bits in _PREFIXES:
        if code >> behind == prefix:
            fraction_bits = behind - exponent_bits
            field = code >> fraction_bits & (1 << exponent_bits) - 1
            magnitude = field & (1 << exponent_bits - 1) - 1 | 1 << exponent_bits - 1 if exponent_bits else 0
            exponent = -magnitude if exponent_bits and field >> exponent_bits - 1 else magnitude
            fraction = (code & (1 << fraction_bits) - 1) / (1 << fraction_bits)
            return float(2.0**exponent * (1 + fraction))
    return float(2.0 ** (code - 23)) if code else 0.0


_POSITIVE = np.array([_value(code) for code in range(128)])
_VALUES = np.concatenate([_POSITIVE, -_POSITIVE]).astype(np.float32)
_VALUES[_NAN] = np.nan

_BY_SIZE = np.argsort(_POSITIVE, kind="stable").astype(np.uint8)
"""Codes of the magnitudes in ascending order, infinity last."""
_LADDER = np.append(_POSITIVE[_BY_SIZE[:-1]], 1.5 * 2.0**15)
"""These magnitudes; infinity stands where the next number would be."""


def hif8_values(codes: Array) -> Array:
    """The numbers, fp32, of an array of codes: ``HIF8`` or uint8."""
    return np.asarray(_VALUES[np.ascontiguousarray(codes).view(np.uint8).reshape(codes.shape)])


def to_hif8(x: Array, saturate: bool = True) -> Array:
    """Numbers rounded once to HiFloat8: to nearest, ties away from zero, the only mode that A5 has. Beyond the largest
    number is that number, or infinity where nothing saturates. There is no -0. The result is ``HIF8``."""
    wide = np.asarray(x).astype(np.float64)
    magnitude = np.where(np.isnan(wide), 0, np.abs(wide))
    below = np.clip(np.searchsorted(_LADDER, magnitude, side="right") - 1, 0, len(_LADDER) - 2)
    at = below + (magnitude - _LADDER[below] >= _LADDER[below + 1] - magnitude)
    at = np.minimum(at, len(_LADDER) - 2) if saturate else at
    sign = np.where((wide < 0) & (at > 0), 0x80, 0).astype(np.uint8)
    return np.asarray(np.where(np.isnan(wide), np.uint8(_NAN), _BY_SIZE[at] | sign).view(HIF8))
