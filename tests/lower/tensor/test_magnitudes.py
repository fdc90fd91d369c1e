"""How large the numbers of a program can be."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.lower.tensor.magnitudes import LEAST, MOST, Magnitude, Magnitudes
from pyptogen.simulate.tensor import interpret

SPEC = """\
pyptogen: 1
operator: sizes
dims: {r: {min: 1, max: 64}, c: 32}
inputs:
  x: fp32[r, c]
  h: fp16[r, c]
  i: uint8[r, c]
outputs:
  y: DTYPE[SHAPE]
graph:
  f: cast(h, fp32)
  n: cast(i, fp32)
  y: GRAPH
"""
GREATEST = 65504.0


def magnitude(graph: str, shape: str = "r, c", dtype: str = "fp32") -> Magnitude:
    program = program_of(SPEC.replace("DTYPE", dtype).replace("SHAPE", shape).replace("GRAPH", graph))
    return Magnitudes(program).of(program.outputs[0][1])


@pytest.mark.parametrize(
    ("graph", "wanted"),
    [
        ("x + 0 * f", Magnitude(LEAST, MOST)),
        ("f + 0 * n", Magnitude(LEAST, GREATEST)),
        ("abs(f)", Magnitude(2.0**-24, GREATEST, negative=False)),
        ("-n", Magnitude(1, 256)),
        ("relu(f)", Magnitude(2.0**-24, GREATEST, negative=False)),
        ("sqrt(n)", Magnitude(1, 16, negative=False)),
        ("sqrt(x)", Magnitude(2.0**-74.5, 2.0**64, negative=False)),
        ("rsqrt(n)", Magnitude(1 / 16, 1, zero=False, negative=False)),
        ("exp(f)", Magnitude(LEAST, MOST, negative=False)),
        ("f * f", Magnitude(2.0**-48, GREATEST**2, negative=False)),
        ("f * n", Magnitude(2.0**-24, GREATEST * 256)),
        ("n * 2", Magnitude(2, 512, negative=False)),
        ("n * -2", Magnitude(2, 512)),
        ("n + n", Magnitude(1, 512, negative=False)),
        ("n + 4", Magnitude(4, 260, zero=False, negative=False)),
        ("f + 4", Magnitude(LEAST, GREATEST + 4)),
        ("maximum(f, 0.5)", Magnitude(0.5, GREATEST, zero=False, negative=False)),
        ("maximum(f, -n)", Magnitude(2.0**-24, GREATEST)),
        ("minimum(n, 0.5)", Magnitude(0.5, 256, negative=False)),
        ("x * 1e-30 * 1e-30", Magnitude(LEAST, MOST * 1e-60)),
        ("f / n", Magnitude(LEAST, MOST)),
    ],
)
def test_of_single_elements(graph: str, wanted: Magnitude) -> None:
    found = magnitude(graph)
    assert (found.zero, found.negative) == (wanted.zero, wanted.negative)
    assert [found.least, found.most] == pytest.approx([wanted.least, wanted.most], rel=1e-9)


@pytest.mark.parametrize(
    ("graph", "wanted"),
    [
        ("sum(f, keepdim=true)", Magnitude(LEAST, 32 * GREATEST)),
        ("sum(n, keepdim=true)", Magnitude(1, 32 * 256, negative=False)),
        ("sum(n + 4, keepdim=true)", Magnitude(4, 32 * 260, zero=False, negative=False)),
        ("amax(n, keepdim=true)", Magnitude(1, 256, negative=False)),
        ("sum(exp(f - amax(f, keepdim=true)), keepdim=true)", Magnitude(1, 32, zero=False, negative=False)),
        ("sum(exp(f - amax(x, keepdim=true)), keepdim=true)", Magnitude(LEAST, MOST, negative=False)),
        ("sum(exp(amax(f, keepdim=true) - f), keepdim=true)", Magnitude(LEAST, MOST, negative=False)),
    ],
)
def test_of_reductions(graph: str, wanted: Magnitude) -> None:
    assert magnitude(graph, "r, 1") == wanted


def test_along_another_axis_the_greatest_is_elsewhere() -> None:
    found = magnitude("sum(exp(f - amax(f, axis=0, keepdim=true)), axis=1, keepdim=true)", "r, 1")
    assert found.least == LEAST
    assert found.zero


def test_in_a_narrower_dtype_numbers_vanish() -> None:
    found = magnitude("cast(x, fp16)", dtype="fp16")
    assert found == Magnitude(2.0**-24, GREATEST)
    assert magnitude("cast(n + 4, fp16)", dtype="fp16").positive
    assert magnitude("cast(rsqrt(n) * 1e-9, fp16)", dtype="fp16").zero


def test_numbers_are_within() -> None:
    """Whatever the inputs, no finite number is outside of what is said."""
    graph = "maximum(sqrt(f * f + n) * rsqrt(n + 1), 0.01) + sum(n, keepdim=true)"
    program = program_of(SPEC.replace("DTYPE", "fp32").replace("SHAPE", "r, c").replace("GRAPH", graph))
    said = Magnitudes(program)
    rng = np.random.default_rng(3)
    for power in (-24, -3, 4, 15):
        h = (rng.uniform(-1, 1, (8, 32)) * 2.0**power).astype(np.float16)
        given = {"x": np.zeros((8, 32), np.float32), "h": h, "i": rng.integers(0, 256, (8, 32)).astype(np.uint8)}
        (y,) = interpret(program, given).values()
        found = said.of(program.outputs[0][1])
        assert np.all((np.abs(y) >= found.least) & (np.abs(y) <= found.most))
