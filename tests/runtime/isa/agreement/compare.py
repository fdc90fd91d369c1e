"""Whether a result is within the bound that its row states."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from pyptogen.lower.isa.instruction import Bound

from ..arrays import Array

UNIT = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}
TINY = {"float32": 1e-37, "float16": 1e-7, "bfloat16": 1e-37}


def is_float(array: Array) -> bool:
    return array.dtype.kind not in "iub"


def lattice(array: Array) -> Array:
    """Floats as integers, so that neighbours differ by one."""
    raw = array.view(np.int32 if array.dtype.itemsize == 4 else np.int16).astype(np.int64)
    lowest = -(1 << (8 * array.dtype.itemsize - 1))
    return np.where(raw < 0, lowest - raw, raw)


def differs(got: Array, want: Array, bound: Bound, magnitude: Array | None = None) -> Array:
    """Where the two are further apart than allowed. ``magnitude``: the sums of magnitudes for summed bounds.

    A NaN is a NaN. The sign of a zero counts under an exact bound.
    """
    got, want = np.ascontiguousarray(got), np.ascontiguousarray(want)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert got.dtype == want.dtype, (got.dtype, want.dtype)
    if not is_float(want):
        return np.asarray(got != want)
    g, w = got.astype(np.float64), want.astype(np.float64)
    both_nan = np.isnan(g) & np.isnan(w)
    with np.errstate(all="ignore"):
        equal = (g == w) & (np.signbit(g) == np.signbit(w)) | both_nan
        if bound.kind == "equal":
            return np.asarray(~((g == w) | both_nan))
        if bound.kind == "exact":
            return np.asarray(~equal)
        if bound.kind == "ulps":
            units = np.ceil(bound.size) if want.dtype == np.float32 else 1
            near = (np.abs(lattice(got) - lattice(want)) <= units) & ~np.isnan(g) & ~np.isnan(w)
            return np.asarray(~(equal | near))
        own = np.abs(w) * 2 * UNIT[want.dtype.name] + TINY[want.dtype.name]
        scale = np.abs(w) if bound.kind == "relative" else np.asarray(magnitude)
        near = np.abs(g - w) <= scale * bound.size + own
        edge = np.isinf(g) | np.isinf(w)
        limit = float(ml_dtypes.finfo(want.dtype).max)
        overflow = edge & (
            np.maximum(np.abs(np.where(np.isinf(g), limit, g)), np.abs(np.where(np.isinf(w), limit, w))) > limit * 0.99
        )
        return np.asarray(~((g == w) | both_nan | near & ~edge | overflow & (np.signbit(g) == np.signbit(w))))
