"""TCVT: conversion between element types with a round mode.

Integers from floats: rounded, NaN is 0; types of 32 and 64 bits saturate; narrower ones saturate, or with saturation
off become int32 first (saturated) and keep the low bits of that. Integers from integers saturate or keep low bits.
Narrower floats are rounded once: to nearest even overflows to infinity in fp16 and bf16, modes toward zero stop at the
largest finite value. fp8 and fp4: beyond the largest value that value (saturation on, and always in fp4), else NaN
(e4m3) or infinity (e5m2, hif8). hif8 rounds to nearest, ties away from zero, in every mode, and has no -0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyptogen.hifloat8 import to_hif8
from pyptogen.lower.isa.table import NARROWING
from pyptogen.numerics.operations import Array
from pyptogen.numerics.rounding import GRIDS, NEAREST, nearest, on_grid, whole
from pyptogen.numpy_dtypes import INT4, NUMPY_DTYPES, numbers
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, is_float, require


def _limited(exact: Array, limits: Any, dtype: np.dtype[Any]) -> Array:
    """Whole numbers in float64 as integers, saturated; NaN is 0."""
    low, high = np.float64(int(limits.min)), np.float64(int(limits.max))
    top, bottom = exact >= high, exact <= low
    inner = np.where(top | bottom | np.isnan(exact), 0, exact)
    result = inner.astype(np.uint64 if dtype == np.uint64 else np.int64).astype(dtype)
    result[top], result[bottom] = limits.max, limits.min
    return result


def _to_integer(x: Array, dtype: np.dtype[Any], mode: str, saturate: bool) -> Array:
    exact = whole(x.astype(np.float64), mode)
    if saturate or dtype.itemsize >= 4:
        return _limited(exact, np.iinfo(dtype), dtype)
    return _limited(exact, np.iinfo(np.int32), np.dtype(np.int32)).astype(dtype)


def _between_integers(x: Array, dtype: np.dtype[Any], saturate: bool) -> Array:
    if not saturate:
        return x.astype(dtype)
    own, limits = np.iinfo(x.dtype), np.iinfo(dtype)
    low, high = max(int(own.min), int(limits.min)), min(int(own.max), int(limits.max))
    return np.clip(x, x.dtype.type(low), x.dtype.type(high)).astype(dtype)


def name_of(dtype: np.dtype[Any]) -> str | None:
    """The element type of an array, where numpy has it."""
    return next((name for name, own in NUMPY_DTYPES.items() if own == dtype), None)


def converted(dst: Shaped, a: Array, mode: str, saturation: bool | None = None, source: str | None = None) -> Array:
    """One TCVT; without ``saturation`` the default of the pair. fp32, fp16 or bf16 to its own type: to whole numbers.

    ``source`` names a type that numpy has not (e1m2).
    """
    require(a.shape, dst.shape, "the operand")
    source = source or name_of(a.dtype)
    saturate = (source, dst.dtype) not in NARROWING if saturation is None else saturation
    a = a.astype(np.int8) if a.dtype == INT4 else numbers(a)
    from_float = is_float(a.dtype)
    with np.errstate(all="ignore"):
        if dst.dtype == "int4":
            inner = _to_integer(a, np.dtype(np.int32), mode, saturate=True).astype(np.int64) if from_float else a
            low = np.clip(inner, -8, 7) if saturate else ((inner & 15) ^ 8) - 8
            return np.asarray(low.astype(np.int8).astype(dst.numpy))
        if dst.dtype == "hif8":
            return to_hif8(a, saturate)
        if from_float and source == dst.dtype:
            return whole(a.astype(np.float64), mode).astype(a.dtype)
        if mode in ("none", "rint") and source in NEAREST.get(dst.dtype, ()):
            return nearest(a, dst.numpy)
        if dst.dtype in GRIDS:
            exact = a.astype(np.float64) if from_float or a.dtype.itemsize < 8 else a
            return on_grid(exact, GRIDS[dst.dtype], mode, saturate).astype(np.float64).astype(dst.numpy)
        if from_float:
            return _to_integer(a, dst.numpy, mode, saturate)
    return _between_integers(a, dst.numpy, saturate)


MEANINGS: Mapping[str, Meaning] = {"TCVT": converted}
