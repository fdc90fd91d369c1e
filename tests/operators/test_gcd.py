"""Greatest common divisors, compiled for every target and in the checked machine, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor.fit.integers import STEPS
from pyptogen.simulate.graph import interpret

TEXT = """\
pyptogen: 1
operator: gcds
dims:
  t: {min: 1, max: 4096}
  d: 37
inputs:
  a: int16[t, d]
  b: int16[t, 1]
  c: int32[t, d]
  e: int32[d]
  g: int8[t, d]
outputs:
  x: int16[t, d]
  y: int32[t, d]
  z: int8[t, d]
graph:
  small: {x: "gcd(a, b)"}
  large: {y: "gcd(c, e)"}
  number: {z: "gcd(g, 36)"}
tiling:
  - {}
"""


def fibonacci(below: int) -> tuple[int, int]:
    a, b = 1, 2
    while a + b < below:
        a, b = b, a + b
    return a, b


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_gcd(target: str, tmp_path: Path) -> None:
    path = tmp_path / "gcds.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    for rows in (1, 77):
        arrays = operator.example_inputs(seed=rows, t=rows)
        arrays["g"].flat[:3] = 0, -128, 127
        arrays["a"].flat[0], arrays["b"].flat[0] = fibonacci(1 << 15)
        arrays["c"].flat[:2], arrays["e"].flat[:2] = (fibonacci(1 << 31)[0], 0), (fibonacci(1 << 31)[1], -12)
        want = {"x": np.gcd(arrays["a"], arrays["b"]), "y": np.gcd(arrays["c"], arrays["e"])}
        want["z"] = np.gcd(arrays["g"], np.int8(36))
        for got in (operator(**arrays)._asdict(), interpret(lower(operator.program, target), arrays)):
            for name, expected in want.items():
                np.testing.assert_array_equal(got[name], expected, err_msg=name)


@pytest.mark.parametrize(("dtype", "bits"), [("int8", 7), ("uint8", 8), ("int16", 15), ("uint16", 16), ("int32", 31)])
def test_rounds_suffice(dtype: str, bits: int) -> None:
    """Neighbouring Fibonacci numbers take the most iterations of all pairs below a bound (Lame)."""
    a, b = fibonacci(1 << bits)
    rounds = 0
    while b:
        a, b, rounds = b, a % b, rounds + 1
    assert rounds <= STEPS[dtype]
