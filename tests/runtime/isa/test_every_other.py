"""Elements that lie two apart in memory: loaded and stored without a look at those between them."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import guarded, is_guard, pointer
from .conftest import Build

MOST = 100


@pytest.mark.parametrize("name", ["int8", "int16", "fp32", "int64"])
def test_pairs_are_taken_apart_and_put_together(build: Build, name: str) -> None:
    library = build("every_other")
    dtype = np.dtype("float32" if name == "fp32" else name)
    rng = np.random.default_rng(3)
    for rows, cols in ((1, 1), (2, 8), (1, 16), (3, 17), (2, 32), (1, 33), (4, 100)):
        source = rng.integers(-100, 100, (4, 2 * MOST)).astype(dtype)
        apart, back = guarded((4, MOST), dtype), guarded((4, 2 * MOST), dtype)
        getattr(library, f"every_other_{name}")(pointer(apart), pointer(source), pointer(back), rows, cols)
        assert (apart[:rows, :cols] == source[:rows, : 2 * cols : 2]).all(), (rows, cols)
        assert (back[:rows, : 2 * cols : 2] == source[:rows, : 2 * cols : 2]).all(), (rows, cols)
        assert is_guard(apart[rows:]), (rows, cols)
        assert is_guard(apart[:rows, cols:]), (rows, cols)
        assert is_guard(back[:, 1::2]), (rows, cols)
        assert is_guard(back[:rows, 2 * cols :]), (rows, cols)
        assert is_guard(back[rows:]), (rows, cols)
