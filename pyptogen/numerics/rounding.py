"""Rounding: to whole numbers in every round mode, and once to a float format of any precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyptogen.records import dataclass

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """A float format: digits with the hidden one, lowest exponent, largest value, what lies beyond it (None: that
    depends on the round mode, as in IEEE 754), and what a NaN becomes."""

    digits: int
    lowest: int
    largest: float
    beyond: float | None = None
    nan: float = np.nan


_WHOLE = frozenset({"int8", "uint8", "int16", "uint16"})
NEAREST: Mapping[str, frozenset[str]] = {
    "fp32": _WHOLE | {"int32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1"},
    "fp16": _WHOLE | {"int32", "fp32", "bf16"},
    "bf16": _WHOLE | {"fp32", "fp16"},
}
"""From which types numpy itself rounds once, to nearest even, to a float format: not from int32 to bf16, which goes by
way of fp32."""
GRIDS: Mapping[str, Grid] = {
    "fp32": Grid(24, -126, float(np.finfo(np.float32).max)),
    "fp16": Grid(11, -14, 65504.0),
    "bf16": Grid(8, -126, 255 * 2.0**120),
    "fp8_e4m3": Grid(4, -6, 448.0, np.nan),
    "fp8_e5m2": Grid(3, -14, 57344.0, np.inf),
    "fp4_e2m1": Grid(2, 0, 6.0, 6.0, 6.0),
    "fp4_e1m2": Grid(3, 0, 1.75, 1.75, 1.75),
}


def whole(x: Array, mode: str) -> Array:
    """Whole numbers in a round mode: ``none`` and ``rint`` to nearest even, ``round`` ties away from zero, ``odd`` an
    inexact number to its odd neighbour, and the directed ones."""
    if mode in ("none", "rint"):
        return np.asarray(np.rint(x))
    down = np.floor(x)
    if mode == "round":
        toward = np.trunc(x)
        return np.asarray(toward + np.copysign(np.abs(x - toward) >= 0.5, x))
    if mode == "odd":
        odd = np.where(np.abs(np.fmod(down, 2)) == 1, down, down + 1)
        return np.asarray(np.where(down == x, x, odd))
    return np.asarray({"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}[mode](x))


def on_grid(x: Array, grid: Grid, mode: str, saturate: bool) -> Array:
    """Exact numbers rounded once to a float format; its values in float64 or more."""
    # Only integers of 64 bits need more digits; extended precision takes several times as long.
    wide = x.astype(np.longdouble if x.dtype.kind in "iu" and x.dtype.itemsize == 8 else np.float64)
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.where(np.isfinite(wide), wide, 0))[1] - 1
        place = np.ldexp(wide.dtype.type(1), np.maximum(exponent, grid.lowest) - grid.digits + 1)
        rounded = np.copysign(whole(wide / place, mode) * place, wide)
        over = np.abs(rounded) > grid.largest
        if grid.beyond is None:
            inward = {"trunc": np.ones_like(over), "odd": np.ones_like(over), "floor": wide > 0, "ceil": wide < 0}
            stops = inward.get(mode, np.zeros_like(over)) & np.isfinite(wide)
            limit = np.where(stops, grid.largest, np.inf)
        else:
            limit = np.full(wide.shape, grid.largest if saturate else grid.beyond)
        rounded = np.where(over, np.copysign(limit, wide), rounded)
    return np.asarray(np.where(np.isnan(wide), grid.nan, rounded))


def nearest(x: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers of a type of `NEAREST` rounded to nearest even; every NaN is the one of a format's own."""
    result = x.astype(dtype)
    if x.dtype.kind not in "iu":
        result[np.isnan(x)] = np.nan
    return result
