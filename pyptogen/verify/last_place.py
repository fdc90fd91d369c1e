"""Units in the last place: how far apart the numbers of a float format lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyptogen.records import dataclass

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """Digits of a float format, with the hidden one, and the distance of its numbers near zero."""

    digits: int
    least: float


FLOATS: Mapping[str, Format] = {
    "fp32": Format(24, 2.0**-126),
    "fp16": Format(11, 2.0**-24),
    "bf16": Format(8, 2.0**-126),
    "fp8_e4m3": Format(4, 2.0**-9),
    "fp8_e5m2": Format(3, 2.0**-16),
    "fp8_e8m0": Format(1, 2.0**-127),
    "hif8": Format(2, 2.0**-22),
    "fp4_e2m1": Format(2, 0.5),
}
"""By dtype. Below the normal numbers of fp32 and bf16 a device may give zero. HiFloat8 has two to four digits."""


def last_place(values: Array, dtype: str) -> Array:
    """One unit in the last place of a float dtype at these numbers; 0 for other dtypes, and for what is not finite."""
    if dtype not in FLOATS:
        return np.zeros(values.shape)
    form = FLOATS[dtype]
    usual = np.isfinite(values) & (values != 0)
    exponent = np.frexp(np.where(usual, values, 1.0))[1]
    places = np.where(usual, np.maximum(np.ldexp(1.0, exponent - form.digits), form.least), form.least)
    return np.where(np.isfinite(values), places, 0.0)
