"""Axes of inputs that are numbers get dims; everything else stays."""

from __future__ import annotations

from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.dims import literal_sizes
from pyptogen.lower.tile.sizes.sizes import Selected
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
tiling: [{cols: 16}]
"""


def program(*sizes: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", HEAD % sizes)))


def shapes(given: Program) -> dict[str, str]:
    return {value.name: ", ".join(map(str, value.shape)) for value in given.inputs}


def test_a_number_gets_a_dim_and_another_axis_of_that_size_the_same() -> None:
    found, _ = literal_sizes.run(program("48", "48", "cols"))
    assert shapes(found) == {"x": "n, size_48", "w": "size_48, cols"}
    (dim,) = (dim for dim in found.dims if dim.name == "size_48")
    assert (dim.value, dim.min, dim.max, dim.multiple_of) == (48, 48, 48, 48)


def test_the_size_of_a_dim_is_that_dim() -> None:
    found, _ = literal_sizes.run(program("cols", "32", "32"))
    assert shapes(found) == {"x": "n, cols", "w": "cols, cols"}
    assert len(found.dims) == 2


def test_a_multiple_of_a_dim_gets_a_dim_with_the_tiles_of_that_one() -> None:
    given = program("2 * cols", "2 * cols", "cols")
    (row,) = (Selected(row, ()) for row in given.tiling)
    found, (cut,) = literal_sizes.run(given, [row])
    assert shapes(found) == {"x": "n, size_64", "w": "size_64, cols"}
    assert cut.row.sizes == {"": {"cols": 16, "size_64": 16}}


def test_a_sum_of_dims_gets_a_dim() -> None:
    assert shapes(literal_sizes.run(program("cols + 8", "cols + 8", "cols"))[0])["w"] == "size_40, cols"


def test_products_of_dims_and_what_a_reshape_takes_apart_stay() -> None:
    given = program("cols * cols", "cols * cols", "cols")
    assert literal_sizes.run(given)[0] is given
    text = HEAD.replace("matmul(x, w)", "sum(reshape(x, [n, 2, cols]) * w, axis=1)")
    given = from_spec(load_source(Source("demo.yaml", text % ("2 * cols", "1", "cols"))))
    assert literal_sizes.run(given)[0] is given
