"""Exponentials of differences with a broadcast operand."""

from __future__ import annotations

import numpy as np
import pytest

from .arrays import DTYPES, guarded, is_guard, pointer, values
from .conftest import Build

ROWS, COLS = 16, 160


@pytest.mark.parametrize("form", [0, 1, 2], ids=["column", "column first", "row"])
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16"])
def test_exponential_of_difference(build: Build, name: str, form: int) -> None:
    rng = np.random.default_rng(form)
    dtype = DTYPES[name]
    unit = {"fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}[name]
    for rows, cols in [(16, 160), (3, 17), (1, 1), (5, 127), (0, 4)]:
        a, part = values(rng, (ROWS, COLS), name), values(rng, (COLS,), name)
        out = guarded((ROWS, COLS), dtype)
        getattr(build("expand_exp"), f"expand_exp_{name}")(form, pointer(out), pointer(a), pointer(part), rows, cols)
        x, y = a[:rows, :cols].astype(np.float32), part.astype(np.float32)
        y = y[None, :cols] if form == 2 else y[:rows, None]
        with np.errstate(all="ignore"):
            difference = y - x if form == 1 else x - y
            exact = np.exp(difference.astype(np.float64))
            rounded = exact.astype(dtype).astype(np.float64)
            got = out[:rows, :cols].astype(np.float64)
            close = np.abs(got - exact) <= np.abs(exact) * unit + (2.0**-24 if name == "fp16" else 2.0**-133)
        assert (close | (got == rounded) | (np.isnan(got) & np.isnan(rounded))).all(), (rows, cols)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
