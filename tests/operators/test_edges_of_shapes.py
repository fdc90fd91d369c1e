"""Sizes at the edge of the language: dims of one element, dims as numbers. Found by mutating the specs of the
library; references in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

ONE_COLUMN = """\
pyptogen: 1
operator: one_column
dims:
  rows: {min: 1, max: 4096}
  d: 1
inputs:
  x: fp32[rows, d]
  h: fp32[d, d]
outputs:
  top: fp32[rows]
  place: int32[rows, d]
  share: fp32[rows, d]
  product: fp32[rows, d]
graph:
  top: amax(x, axis=-1)
  place: argmax(x, keepdim=true)
  share: softmax(x)
  product: matmul(x, h)
tiling:
  - {}
"""

OVER_A_COLUMN = """\
pyptogen: 1
operator: over_a_column
dims:
  b: {min: 1, max: 64}
  n: 33
inputs:
  x: fp32[b, n, 5]
outputs:
  top: fp32[b, 1, 1]
  place: int32[b, 1]
  share: fp32[b, n, 1]
graph:
  most: amax(x, axis=-1, keepdim=true)
  top: amax(most, axis=1, keepdim=true)
  place: argmax(most, axis=1)
  share: most / sum(most, axis=1, keepdim=true)
tiling:
  - {}
"""

DIM_AS_NUMBER = """\
pyptogen: 1
operator: dim_as_number
dims:
  rows: {min: 1, max: 4096}
  d: 64
inputs:
  x: fp32[rows, d]
  n: int32[rows, d]
outputs:
  y: fp32[rows, d]
  whole: int32[rows, d]
graph:
  y: x * (rows * 2 + 1) + x / rows
  whole: n * rows
tiling:
  - {}
"""


def compiled(text: str, target: str, folder: Path) -> pyptogen.CompiledOperator:
    path = folder / "edge.yaml"
    path.write_text(text)
    return pyptogen.compile(path, target=target)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_rows_of_one_element(target: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x, h = rng.normal(size=(37, 1)).astype(np.float32), np.full((1, 1), 3, np.float32)
    got = compiled(ONE_COLUMN, target, tmp_path)(x=x, h=h)
    np.testing.assert_array_equal(got.top, x[:, 0])
    np.testing.assert_array_equal(got.place, np.zeros((37, 1), np.int32))
    np.testing.assert_array_equal(got.share, np.ones((37, 1), np.float32))
    np.testing.assert_array_equal(got.product, x * 3)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_reduction_over_the_rows_of_a_computed_column(target: str, tmp_path: Path) -> None:
    """Its tile has one element a row: an instruction that reduces rows would leave it as it is."""
    x = np.random.default_rng(5).uniform(0.5, 2, (7, 33, 5)).astype(np.float32)
    got = compiled(OVER_A_COLUMN, target, tmp_path)(x=x)
    most = x.max(-1, keepdims=True)
    np.testing.assert_array_equal(got.top, most.max(1, keepdims=True))
    np.testing.assert_array_equal(got.place, most.argmax(1))
    np.testing.assert_allclose(got.share, most / most.sum(1, keepdims=True, dtype=np.float64), rtol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("rows", [1, 77])
def test_a_run_time_dim_as_a_number(target: str, rows: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(rows)
    x, n = rng.normal(size=(rows, 64)).astype(np.float32), rng.integers(-9, 9, (rows, 64), np.int32)
    got = compiled(DIM_AS_NUMBER, target, tmp_path)(x=x, n=n)
    np.testing.assert_allclose(got.y, x.astype(np.float64) * (rows * 2 + 1) + x / rows, rtol=1e-6)
    np.testing.assert_array_equal(got.whole, n * rows)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_concat_along_a_cut_dim_goes_through_memory(target: str, tmp_path: Path) -> None:
    """Its parts are no columns of a tile that is cut: they are read from where the whole value lies."""
    spec = Path(__file__).parents[2] / "specs" / "rope.yaml"
    text = spec.read_text()
    start, end = text.index("tiling:\n"), text.index("verify:\n")
    operator = compiled(f"{text[:start]}tiling: [{{t: 32, d: 32}}]\n{text[end:]}", target, tmp_path)
    arrays = operator.example_inputs(t=37)
    for got, want in zip(operator(**arrays), operator.golden(**arrays), strict=True):
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=1e-2, atol=1e-3)


def test_a_quotient_of_a_run_time_dim_is_no_size(tmp_path: Path) -> None:
    text = ONE_COLUMN.replace("  d: 1\n", "  d: 1\n  parts: rows // 4 + 2\n")
    text = text.replace("  h: fp32[d, d]\n", "  h: fp32[d, d]\n  z: fp32[parts, d]\n")
    text = text.replace("  product: fp32[rows, d]\n", "  product: fp32[rows, d]\n  twice: fp32[parts, d]\n")
    text = text.replace("tiling:", "  twice: z * 2\ntiling:")
    with pytest.raises(DiagnosticError, match="PTG303: cannot lower the size `parts`, which is no polynomial"):
        compiled(text, "cpu", tmp_path)


def test_a_quotient_of_a_multiple_is_named_in_the_fix(tmp_path: Path) -> None:
    """Chunks of a run-time number of rows: nothing says that the quotient times 16 is the whole, until it is a dim.
    Whoever follows the fix has an operator."""
    text = (
        "pyptogen: 1\noperator: chunks\ndims: {s: {min: 16, max: 4096, multiple_of: 16}, h: 40}\n"
        "inputs: {x: 'fp32[s, h]'}\noutputs: {y: 'fp32[s // 16, h]'}\n"
        "graph: {y: 'mean(reshape(x, [s // 16, 16, h]), axis=1)'}\n"
    )
    for without_proof in ("", ", multiple_of: 16"):
        with pytest.raises(DiagnosticError, match="PTG205") as raised:
            compiled(text.replace(", multiple_of: 16", without_proof), "cpu", tmp_path)
        fix = "make the quotient a dim, `parts: {min: 1, max: 256}`, and `s: 16 * parts`"
        assert raised.value.diagnostics[0].fix == fix
    text = text.replace("s: {min: 16, max: 4096, multiple_of: 16}", "parts: {min: 1, max: 256}, s: 16 * parts")
    x = np.random.default_rng(3).normal(size=(96, 40)).astype(np.float32)
    got = compiled(text.replace("s // 16", "parts"), "cpu", tmp_path)(x=x)
    np.testing.assert_allclose(got.y, x.reshape(6, 16, 40).mean(1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("dims", "fix"),
    [
        (
            "s: {min: 16, max: 96, multiple_of: 8}",
            "make the quotient a dim, `parts: {min: 2, max: 12}`, and `s: 8 * parts`",
        ),
        ("s: {min: 16, max: 96}", "declare it as a dim with a range of its own"),
    ],
)
def test_a_quotient_alone_is_named_in_the_fix_of_a_multiple(dims: str, fix: str, tmp_path: Path) -> None:
    """A number of rows that is a quotient, and nothing else: of a dim that is no multiple it is another number."""
    text = (
        f"pyptogen: 1\noperator: heads\ndims: {{{dims}, h: 40}}\n"
        "inputs: {x: 'fp32[s, h]'}\noutputs: {y: 'fp32[s // 8, h]'}\ngraph: {y: 'x[: s // 8] * 2'}\n"
    )
    with pytest.raises(DiagnosticError, match="PTG303") as raised:
        compiled(text, "cpu", tmp_path)
    assert raised.value.diagnostics[0].fix == fix


def test_a_run_time_axis_that_an_iteration_reduces_is_reduced_before_the_loop(tmp_path: Path) -> None:
    """The compiler does it, and so may the author; in the iteration a tile would need all of it."""
    head = (
        "pyptogen: 1\noperator: rounds\ndims: {t: {min: 1, max: 99}, n: {min: 1, max: 99}, d: 16}\n"
        "inputs: {x: 'fp32[t, n, d]'}\noutputs: {y: 'fp32[t, d]'}\ngraph:\n"
    )
    loop = "  one: {loop: {over: t, tile: 16}, collect: {y: 'VALUE'}}\n"
    x = np.random.default_rng(3).normal(size=(37, 9, 16)).astype(np.float32)
    apart = f"{head}  all: {{s: 'sum(x, axis=1)'}}\n{loop.replace('VALUE', 's[t] * 1')}"
    for text in (head + loop.replace("VALUE", "sum(x[t], axis=1)"), apart):
        got = compiled(text, "cpu", tmp_path)(x=x)
        np.testing.assert_allclose(got.y, x.sum(1, dtype=np.float64), rtol=1e-5, atol=1e-5)


def test_columns_of_one_element_beside_one_element(tmp_path: Path) -> None:
    """In tiles of one column the scale of a column is one element beside a column of results."""
    text = (Path(__file__).parents[2] / "specs" / "linear_int8.yaml").read_text()
    assert "{t: 4}" in text
    operator = compiled(text.replace("{t: 4}", "{t: 16, n: 1}"), "a2a3", tmp_path)
    inputs = operator.example_inputs(t=5, seed=3)
    product = inputs["x"].astype(np.int64) @ inputs["w"].astype(np.int64)
    wanted = product * inputs["x_scale"].astype(np.float64) * inputs["w_scale"] + inputs["bias"]
    np.testing.assert_allclose(operator(**inputs).y.astype(np.float64), wanted, rtol=1e-2, atol=1e-2)


ROPE_OF_TWO = """\
pyptogen: 1
operator: rope_of_two
dims: {t: {min: 1, max: 512}, d: 2}
inputs:
  x: fp32[t, d]
  cos: fp32[t, d]
  sin: fp32[t, d]
outputs:
  y: fp32[t, d]
  z: fp32[t, d]
graph:
  half: {y: "rope(x * 2, cos * 1, sin)"}
  pairs: {z: "rope(x, cos, sin, interleaved=true)"}
tiling:
  - {}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_rope_of_two_columns(target: str, tmp_path: Path) -> None:
    """Halves of one column each, also of computed values."""
    rng = np.random.default_rng(2)
    x, cos, sin = rng.normal(size=(3, 33, 2)).astype(np.float32)
    got = compiled(ROPE_OF_TWO, target, tmp_path)(x=x, cos=cos, sin=sin)
    turned = np.stack([-x[:, 1], x[:, 0]], axis=1)
    np.testing.assert_allclose(got.y, x * 2 * cos + turned * 2 * sin, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got.z, x * cos + turned * sin, rtol=1e-5, atol=1e-6)


MULTIPLES = """\
pyptogen: 1
operator: multiples
dims:
  q: {min: 1, max: 16}
  half: 9
  d: half * 2
attrs:
  eps: {type: fp32, default: 0.5}
inputs:
  x: fp32[4 * q, d]
outputs:
  y: fp32[4 * q, half]
  z: fp32[q, d]
graph:
  low:
    if: eps < 1.0
    y: x[:, ::2] + eps
  high:
    if: eps >= 1.0
    y: x[:, 1::2] - eps
  rows:
    z: amax(reshape(x, [q, 4, d]), axis=1)
tiling:
  - {}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_an_axis_that_is_a_multiple_of_a_run_time_dim(target: str, tmp_path: Path) -> None:
    x = np.random.default_rng(5).normal(size=(12, 18)).astype(np.float32)
    operator = compiled(MULTIPLES, target, tmp_path)
    np.testing.assert_array_equal(operator(x=x).y, x[:, ::2] + np.float32(0.5))
    got = operator(x=x, eps=2.0)
    np.testing.assert_array_equal(got.y, x[:, 1::2] - np.float32(2))
    np.testing.assert_array_equal(got.z, x.reshape(3, 4, 18).max(axis=1))


WIDE_ROWS = """\
pyptogen: 1
operator: wide_rows
dims: {n: {min: 1, max: 4096}, classes: 32003}
inputs:
  label: int32[n]
outputs:
  y: fp32[n, classes]
  far: fp32[n, 32003]
graph:
  y: cast(one_hot(label, classes), fp32)
  far: cast(arange(32003) > label[:, None], fp32)
"""


def test_numbers_that_fill_a_row_longer_than_the_memory(tmp_path: Path) -> None:
    """The length of `arange` is a number, which loops cut as they cut a dim."""
    label = np.array([0, 32002, 17], np.int32)
    got = compiled(WIDE_ROWS, "a2a3", tmp_path)(label=label)
    np.testing.assert_array_equal(got.y, np.eye(32003, dtype=np.float32)[label])
    np.testing.assert_array_equal(got.far, (np.arange(32003) > label[:, None]).astype(np.float32))
