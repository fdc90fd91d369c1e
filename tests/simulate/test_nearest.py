"""Where numpy rounds numbers once to nearest even, it gives what rounding to a format's grid gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyptogen.numerics.rounding import GRIDS, NEAREST, nearest, on_grid
from pyptogen.numpy_dtypes import NUMPY_DTYPES

PAIRS = [(source, to) for to, sources in NEAREST.items() for source in sorted(sources)]


def numbers(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """All of a type of 16 bits or fewer; of a longer one random bits, some of them beside or on a tie of bf16, some of
    them small."""
    if dtype == NUMPY_DTYPES["fp4_e2m1"]:
        return np.arange(16, dtype=np.uint8).view(dtype)
    if dtype.itemsize < 4:
        return np.arange(1 << 8 * dtype.itemsize, dtype=f"uint{8 * dtype.itemsize}").view(dtype)
    bits = np.random.default_rng(3).integers(0, 1 << 32, (3, 1 << 16), dtype=np.uint32)
    bits[1] = (bits[1] & 0xFFFF8000) + bits[1] % 3 - 1
    bits[2] >>= np.arange(1 << 16, dtype=np.uint32) % 32
    return bits.reshape(-1).view(dtype)


@pytest.mark.parametrize(("source", "to"), PAIRS)
def test_one_rounding(source: str, to: str) -> None:
    x, dtype = numbers(NUMPY_DTYPES[source]), NUMPY_DTYPES[to]
    with np.errstate(all="ignore"):
        wanted = on_grid(x, GRIDS[to], "rint", False).astype(np.float64).astype(dtype)
        assert nearest(x, dtype).tobytes() == wanted.tobytes()
