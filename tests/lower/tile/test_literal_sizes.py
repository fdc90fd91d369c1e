"""Axes of inputs that are numbers get dims; everything else stays."""

from __future__ import annotations

from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.dims import literal_sizes
from pyptogen.schema import Source, load_source

HEAD = """\
pyptogen: 1
operator: demo
dims:
  n: {min: 1, max: 64}
  cols: 32
inputs:
  x: fp32[n, %s]
  w: fp32[%s, %s]
outputs:
  y: fp32[n, cols]
graph:
  y: matmul(x, w)
"""


def program(*sizes: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", HEAD % sizes)))


def shapes(given: Program) -> dict[str, str]:
    return {value.name: ", ".join(map(str, value.shape)) for value in given.inputs}


def test_a_number_gets_a_dim_and_another_axis_of_that_size_the_same() -> None:
    found = literal_sizes.run(program("48", "48", "cols"))
    assert shapes(found) == {"x": "n, size_48", "w": "size_48, cols"}
    (dim,) = (dim for dim in found.dims if dim.name == "size_48")
    assert (dim.value, dim.min, dim.max, dim.multiple_of) == (48, 48, 48, 48)


def test_the_size_of_a_dim_is_that_dim() -> None:
    found = literal_sizes.run(program("cols", "32", "32"))
    assert shapes(found) == {"x": "n, cols", "w": "cols, cols"}
    assert len(found.dims) == 2


def test_named_sizes_and_parts_of_sizes_stay() -> None:
    given = program("2 * cols", "2 * cols", "cols")
    assert literal_sizes.run(given) is given
