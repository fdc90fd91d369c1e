"""Index inputs are bounded before a kernel sees them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

SPEC = Path(__file__).parents[3] / "specs" / "indexer_prolog.yaml"


@pytest.fixture(scope="module")
def operator():
    return pyptogen.compile(SPEC, target="cpu")


@pytest.mark.parametrize(("slot", "told"), [(4 * 128, "holds 512"), (-2, "holds -2")])
def test_an_index_outside_the_cache_is_refused_and_nothing_written(operator, slot, told):
    arrays = operator.example_inputs(t=2, blocks=4, seed=1)
    arrays["k_index"] = np.array([3, slot], np.int64)
    before = arrays["k_cache"].copy()
    with pytest.raises(DiagnosticError) as caught:
        operator(**arrays)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG408"
    assert told in diagnostic.message
    assert "0 to 511" in diagnostic.expected
    np.testing.assert_array_equal(arrays["k_cache"], before)


def test_the_last_row_and_the_skip_mark_are_fine(operator):
    arrays = operator.example_inputs(t=2, blocks=4, seed=1)
    arrays["k_index"] = np.array([511, -1], np.int64)
    operator(**arrays)


SPECS = {
    "gather": ("y: fp32[3, d]", "y: gather(x, 0, i)", "i: int32[3, d]", (3, 8)),
    "index_select": ("y: fp32[t, 3]", "y: index_select(x, 1, i)", "i: int64[3]", (3,)),
    "scatter": ("y: fp32[t, d]", "y: scatter(x, 0, i, z)", "i: int32[3, d]\n  z: fp32[3, d]", (3, 8)),
    "index_add": ("y: fp32[t, d]", "y: index_add(x, 0, i, z)", "i: int32[3]\n  z: fp32[3, d]", (3,)),
    "embedding": (
        "y: fp32[2, 2, d]",
        "y: reshape(index_select(x, 0, reshape(i, [4])), [2, 2, d])",
        "i: int32[2, 2]",
        (2, 2),
    ),
}


@pytest.mark.parametrize("wrong", [-1, "size"])
@pytest.mark.parametrize("name", SPECS)
def test_an_index_outside_an_axis_is_refused(tmp_path: Path, name: str, wrong: int | str) -> None:
    outputs, graph, inputs, shape = SPECS[name]
    path = tmp_path / "picked.yaml"
    path.write_text(
        "pyptogen: 1\noperator: picked\ndims: {t: {min: 1, max: 64}, d: 8}\n"
        f"inputs:\n  x: fp32[t, d]\n  {inputs}\noutputs:\n  {outputs}\ngraph:\n  {graph}\n"
    )
    made = pyptogen.compile(path, target="cpu")
    size = 8 if name == "index_select" else 5
    arrays = {"x": np.ones((5, 8), np.float32), "i": np.zeros(shape, np.int64 if name == "index_select" else np.int32)}
    if "z" in inputs:
        arrays["z"] = np.ones((3, 8), np.float32)
    made(**arrays)
    arrays["i"].reshape(-1)[-1] = size - 1
    made(**arrays)
    arrays["i"].reshape(-1)[-1] = size if wrong == "size" else wrong
    with pytest.raises(DiagnosticError) as caught:
        made(**arrays)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG408"
    assert f"0 to {size - 1}" in diagnostic.expected


PARTS = {
    "slice": ("i[1:n]", "int32[n]", "n - 1", (6,), (slice(1, None),)),
    "of rows": ("i[1, :n - 1]", "int32[m, n]", "n - 1", (4, 6), (1, slice(None, -1))),
    "of columns": ("transpose(i)[n - 1, :]", "int32[m, n]", "m", (4, 6), (slice(None), -1)),
    "of another shape": ("reshape(i, [m * n])[n:2 * n]", "int32[m, n]", "n", (4, 6), (1,)),
}
"""An index, the input that it is a part of, how many it names; the input's shape, and the part in numpy."""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("name", PARTS)
def test_of_a_part_of_an_input_only_that_is_bounded(tmp_path: Path, name: str, target: str) -> None:
    """Outside of the part anything may stand, in it each place is looked at; also where a call comes again."""
    expression, kind, rows, shape, part = PARTS[name]
    path = tmp_path / "parts.yaml"
    path.write_text(
        "pyptogen: 1\noperator: parts\ndims: {t: {min: 1, max: 64}, m: {min: 3, max: 64}, n: {min: 3, max: 64}, d: 8}\n"
        f"inputs:\n  x: fp32[t, d]\n  i: {kind}\n  like: fp32[m]\noutputs:\n  y: fp32[{rows}, d]\n"
        f"graph:\n  y: index_select(x, 0, {expression})\n"
    )
    made = pyptogen.compile(path, target=target)
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    index = np.full(shape, 10**6, np.int32)
    places = np.arange(index[part].size, dtype=np.int32) % 5
    index[part] = places
    arrays = {"x": x, "i": index, "like": np.zeros(4, np.float32)}
    out = {"y": np.zeros((places.size, 8), np.float32)}
    np.testing.assert_array_equal(made(**arrays, out=out).y, x[places])
    index[part] = places[::-1]
    np.testing.assert_array_equal(made(**arrays, out=out).y, x[places[::-1]])
    for wrong in (5, -1):
        index[part] = [*places[1:], wrong]
        with pytest.raises(DiagnosticError, match=f"`i` holds {wrong}, which is no position along axis 0 of `x`"):
            made(**arrays, out=out)


@pytest.mark.parametrize("wrong", [-2, 4 * 5])
def test_an_index_outside_an_output_that_begins_with_a_number_is_refused(tmp_path: Path, wrong: int) -> None:
    path = tmp_path / "slots.yaml"
    path.write_text(
        "pyptogen: 1\noperator: slots\ndims: {t: {min: 1, max: 64}, n: {min: 1, max: 64}, d: 8}\n"
        "inputs:\n  x: fp32[t, d]\n  i: int64[t]\n  like: fp32[n]\n"
        "outputs:\n  y: {shape: [n, 4, d], dtype: fp32, init: 0}\ngraph:\n  y: scatter_update(y, i, x, dim=1)\n"
    )
    made = pyptogen.compile(path, target="cpu")
    arrays = {"x": np.ones((3, 8), np.float32), "i": np.array([0, -1, 19]), "like": np.zeros(5, np.float32)}
    assert made(**arrays).y.sum() == 16
    arrays["i"][2] = wrong
    with pytest.raises(DiagnosticError) as caught:
        made(**arrays)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.expected) == ("PTG408", "-1 (skip), or 0 to 19")
    assert f"`i` holds {wrong}, which is no row of `y`" in diagnostic.message


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_an_index_whose_marks_of_absence_are_lifted_is_bounded(tmp_path: Path, target: str) -> None:
    path = tmp_path / "lifted.yaml"
    path.write_text(
        "pyptogen: 1\noperator: lifted\ndims: {t: {min: 1, max: 64}, n: {min: 2, max: 64}, d: 8}\n"
        "inputs:\n  x: fp32[t, d]\n  i: int32[n, 2]\noutputs:\n  y: fp32[n, d]\n"
        "graph:\n  lifted: maximum(i, 2)\n  y: index_select(x, 0, lifted[:, 1])\n"
    )
    made = pyptogen.compile(path, target=target)
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    index = np.array([[99, -1], [99, 4], [99, 0]], np.int32)
    np.testing.assert_array_equal(made(x=x, i=index).y, x[[2, 4, 2]])
    with pytest.raises(DiagnosticError, match="`i` holds 2, which"):
        made(x=x[:2].copy(), i=index[::2].copy())
    index[2, 1] = 5
    with pytest.raises(DiagnosticError, match="`i` holds 5, which"):
        made(x=x, i=index)
