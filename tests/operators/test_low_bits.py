"""Casts between whole numbers of one size that keep their bits, against numpy's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret

TEXT = """\
pyptogen: 1
operator: bits
targets: [cpu, a2a3]
dims: {t: {min: 1, max: 64}, d: 128}
inputs: {a: 'int8[t, d]', b: 'uint8[t, d]'}
outputs: {magnitude: 'uint8[t, d]', balance: 'int8[t, d]'}
graph:
  magnitude: cast(a, uint8, saturate=false)
  balance: cast(b, int8, saturate=false)
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_sign_more_or_less(target: str, tmp_path: Path) -> None:
    path = tmp_path / "bits.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target)
    b = np.arange(256, dtype=np.uint8).reshape(2, 128)
    for found in (
        operator(a=b.view(np.int8), b=b)._asdict(),
        operator.golden(a=b.view(np.int8), b=b)._asdict(),
        interpret(lower(operator.program, target), {"a": b.view(np.int8), "b": b}),
    ):
        np.testing.assert_array_equal(found["magnitude"], b)
        np.testing.assert_array_equal(found["balance"], b.view(np.int8))
