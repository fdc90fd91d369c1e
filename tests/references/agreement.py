"""How far a result may be from its reference: the operators' own tolerances, and where it is not met."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def outside(got: Array, want: Array, atol: float, rtol: float = 0.0) -> npt.NDArray[np.bool_]:
    """Where `|got - want| > atol + rtol |want|`; equal values, infinities and two NaN are inside."""
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    assert got.dtype == want.dtype, f"dtype {got.dtype}, expected {want.dtype}"
    wide = np.int16 if got.dtype == np.int8 else np.int64 if got.dtype.kind == "i" else np.float64
    g, w = got.astype(wide), want.astype(wide)
    if wide is not np.float64 and rtol == 0:
        return np.asarray(np.abs(g - w) > atol)
    with np.errstate(invalid="ignore"):
        close = np.abs(g - w) <= atol + rtol * np.abs(w)
    return np.asarray(~(close | (g == w) | (np.isnan(g) & np.isnan(w))))


def assert_close(name: str, got: Array, want: Array, *, atol: float, rtol: float = 0.0, outliers: float = 0.0) -> None:
    """Fail unless at most `floor(outliers * size)` elements are outside; say how many, and the worst."""
    bad = outside(got, want, atol, rtol)
    allowed = math.floor(outliers * bad.size)
    if int(bad.sum()) <= allowed:
        return
    difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
    ranked = np.where(bad, np.nan_to_num(difference, nan=np.inf), -1)
    worst = np.unravel_index(int(np.argmax(ranked)), got.shape)
    place = tuple(int(i) for i in worst)
    raise AssertionError(
        f"{name}: {int(bad.sum())} of {bad.size} elements outside atol {atol}, rtol {rtol} "
        f"({allowed} allowed); worst at {place}: {got[place]} instead of {want[place]}"
    )


def assert_same_bytes(name: str, got: Array, want: Array) -> None:
    """Fail unless both hold exactly the same bits."""
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    left, right = np.ascontiguousarray(got).view(np.uint8), np.ascontiguousarray(want).view(np.uint8)
    different = int((left != right).sum())
    assert different == 0, f"{name}: {different} of {left.size} bytes differ"


def assert_prolog_close(got: Any, want: Any) -> None:
    """The published tolerances of the indexer prolog; NaN and Inf fail."""
    for name in ("q_scale", "k_scale_cache", "weights"):
        assert np.isfinite(getattr(got, name).astype(np.float32)).all(), f"{name} holds NaN or Inf"
        assert_close(name, getattr(got, name), getattr(want, name), atol=2.5e-5, outliers=0.005)
    assert_close("q", got.q, want.q, atol=1)
    assert_close("k_cache", got.k_cache, want.k_cache, atol=1)
