"""What fp16 and bf16 tiles have in 16-bit lanes where the processor can, against numpy: special values, tails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .arrays import DTYPES, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 6, 320
EXTENTS = [(6, 320), (1, 1), (3, 17), (5, 63), (2, 319), (4, 64)]
OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "TADD": lambda a, b: a + b,
    "TSUB": lambda a, b: a - b,
    "TMUL": lambda a, b: a * b,
    "TMAX": np.maximum,
    "TMIN": np.minimum,
    "TMAXS": lambda a, b: np.maximum(a, b[0, 0]),
    "TMINS": lambda a, b: np.minimum(a, b[0, 0]),
    "TROWMAX": lambda a, b: a.max(axis=1),
    "TROWMIN": lambda a, b: a.min(axis=1),
    "TCOLMAX": lambda a, b: a.max(axis=0),
    "TCOLMIN": lambda a, b: a.min(axis=0),
}


def operands(rng: np.random.Generator, name: str, special: bool) -> tuple[Array, Array]:
    """Values of every kind, or numbers alone: an extreme of a line with a NaN shows nothing else."""
    a, b = (values(rng, (ROWS, COLS), name) for _ in range(2))
    if not special:
        a[np.isnan(a.astype(np.float32))] = -0.0
    return a, b


@pytest.mark.parametrize("special", [False, True], ids=["numbers", "NaN too"])
@pytest.mark.parametrize("name", ["fp16", "bf16"])
@pytest.mark.parametrize("op", list(OPERATIONS))
def test_halves(build: Build, name: str, op: str, special: bool) -> None:
    rng = np.random.default_rng(len(op))
    for rows, cols in EXTENTS:
        a, b = operands(rng, name, special)
        out = guarded((ROWS, COLS), DTYPES[name])
        function = getattr(build("halves"), f"run_{name}")
        function(list(OPERATIONS).index(op), pointer(out), pointer(a), pointer(b), rows, cols)
        with np.errstate(all="ignore"):
            wide = (x[:rows, :cols].astype(np.float32) for x in (a, b))
            want = OPERATIONS[op](*wide).astype(DTYPES[name])
        if want.ndim == 2:
            assert same(out[:rows, :cols], want), (rows, cols)
            assert is_guard(out[rows:]), (rows, cols)
            assert is_guard(out[:rows, cols:]), (rows, cols)
        else:
            assert same(out.reshape(-1)[: want.size], want), (rows, cols)
            assert is_guard(out.reshape(-1)[want.size :]), (rows, cols)
