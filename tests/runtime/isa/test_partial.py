"""Instructions on sources that are valid in a part of the destination."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .arrays import DTYPES, FLOATS, guarded, is_guard, pointer, same, values
from .conftest import Build

ROWS, COLS = 6, 160
# Valid extents of dst, src0 and src1.
EXTENTS = [
    (6, 160, 6, 160, 6, 160),
    (6, 160, 6, 160, 4, 160),
    (6, 159, 6, 77, 6, 159),
    (5, 100, 3, 33, 5, 100),
    (5, 100, 5, 20, 2, 100),
    (3, 17, 6, 160, 1, 1),
    (4, 40, 4, 40, 0, 40),
    (4, 40, 0, 0, 0, 0),
    (0, 8, 4, 40, 4, 40),
]
INDICES = {"fp32": "uint32", "fp16": "int16", "bf16": "int32", "uint8": "int32", "int16": "uint16", "int32": "int32"}
OPERATIONS = [np.add, np.multiply, np.maximum, np.minimum, np.greater, np.less]


@pytest.mark.parametrize("op", range(6), ids=["add", "mul", "max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("name", list(INDICES))
def test_partial(build: Build, name: str, op: int) -> None:
    rng = np.random.default_rng(op)
    dtype, index_type = DTYPES[name], DTYPES[INDICES[name]]
    for extents in EXTENTS:
        rows, cols = extents[:2]
        a, b = values(rng, (ROWS, COLS), name), values(rng, (ROWS, COLS), name)
        ties = rng.random((ROWS, COLS)) < 0.2
        a[ties] = b[ties]
        ai, bi = (rng.integers(0, 30000, (ROWS, COLS)).astype(index_type) for _ in range(2))
        out, out_index = guarded((ROWS, COLS), dtype), guarded((ROWS, COLS), index_type)
        getattr(build("partial"), f"partial_{name}")(
            op,
            *map(pointer, (out, out_index, a, b, ai, bi)),
            (ctypes.c_int * 6)(*extents),
        )
        r, c = np.indices((rows, cols))
        in0, in1 = (r < extents[2]) & (c < extents[3]), (r < extents[4]) & (c < extents[5])
        x, y = a[:rows, :cols], b[:rows, :cols]
        wide = np.dtype(np.float32) if name in FLOATS else dtype
        with np.errstate(all="ignore"):
            both = OPERATIONS[op](x.astype(wide), y.astype(wide)).astype(bool if op >= 4 else dtype)
        first = np.where(in0 & in1, both, in0) if op >= 4 else in0
        copied = np.where(first, x, np.where(in1, y, np.zeros((), dtype)))
        expected = copied if op >= 4 else np.where(in0 & in1, both, copied)
        assert same(out[:rows, :cols], expected.astype(dtype)), extents
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
        if op >= 4:
            chosen = np.where(first, ai[:rows, :cols], np.where(in1, bi[:rows, :cols], 0))
            assert np.array_equal(out_index[:rows, :cols], chosen), extents
            assert is_guard(out_index[rows:])
            assert is_guard(out_index[:rows, cols:])
        else:
            assert is_guard(out_index)
