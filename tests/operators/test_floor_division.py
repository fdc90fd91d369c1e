"""Quotients rounded down, of whole numbers of both signs, by numbers, attrs and dims: Python's `//` is what they are
compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from operators.test_edges_of_shapes import compiled

SPEC = """\
pyptogen: 1
operator: quotients
dims: {rows: {min: 1, max: 4096}, cols: 40}
attrs:
  n: {type: int32, default: 3}
inputs:
  p: int32[rows, cols]
  h: int16[rows, cols]
  q: int64[rows, cols]
outputs:
  by_three: int32[rows, cols]
  by_less: int32[rows, cols]
  by_attr: int32[rows, cols]
  by_dim: int32[rows, cols]
  by_each: int32[rows, cols]
  of_dim: int32[rows, cols]
  short: int16[rows, cols]
  long: int64[rows, cols]
graph:
  by_three: p // 3
  by_less: p // -7
  by_attr: p // n
  by_dim: p // rows
  by_each: p // (p * 0 + 5)
  of_dim: p + rows // 3
  short: h // 3
  long: q // 3
"""
INT32 = np.iinfo(np.int32)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_quotients_are_rounded_down(target: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    operator = compiled(SPEC, target, tmp_path)
    for rows, n in ((1, 3), (37, -4)):
        p = rng.integers(INT32.min, INT32.max, (rows, 40), np.int32, endpoint=True)
        p.flat[:40] = [INT32.min, INT32.max, *range(-19, 19)]
        h, q = (p % 65536 - 32768).astype(np.int16), p.astype(np.int64) * 2**31 + p
        got = operator(p=p, h=h, q=q, n=n)
        wide = p.astype(object)
        divisors = {"by_three": 3, "by_less": -7, "by_attr": n, "by_dim": rows, "by_each": 5}
        wanted = {name: wide // divisor for name, divisor in divisors.items()}
        wanted |= {"of_dim": p + np.int32(rows // 3), "short": h.astype(object) // 3, "long": q.astype(object) // 3}
        for name, values in wanted.items():
            np.testing.assert_array_equal(getattr(got, name).astype(object), values, err_msg=name)
