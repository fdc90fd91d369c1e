"""Slices that an index names, copied by a kernel of their own: short ones are rows of a tile on devices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk
from pyptogen.lower.tile.ops import GatherRows, ReadIndex
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: selected
dims: {n: {min: 1, max: 4096}, rows: {min: 1, max: 512}}
inputs:
  x:     DTYPE[SHAPE]
  index: int32[n]
outputs:
  y: DTYPE[RESULT]
graph:
  y: index_select(x, AXIS, INDEX)
"""
FORMS: dict[str, tuple[str, str, int, str]] = {
    "rows": ("rows, 96", "n, 96", 0, "fp32"),
    "rows of a few bytes": ("rows, 3", "n, 3", 0, "int8"),
    "numbers": ("rows", "n", 0, "fp32"),
    "planes": ("rows, 3, 40", "n, 3, 40", 0, "bf16"),
    "rows of planes": ("5, rows, 24", "5, n, 24", 1, "fp16"),
    "columns": ("6, rows", "6, n", 1, "fp32"),
    "long rows": ("rows, 9000", "n, 9000", 0, "fp32"),
}
"""Shapes of operand and result, axis, dtype."""


def spec(folder: Path, form: str, index: str = "index") -> Path:
    shape, result, axis, dtype = FORMS[form]
    path = folder / "selected.yaml"
    text = SPEC.replace("SHAPE", shape).replace("RESULT", result).replace("AXIS", str(axis))
    path.write_text(text.replace("DTYPE", dtype).replace("INDEX", index))
    return path


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
@pytest.mark.parametrize("form", FORMS)
def test_slices(tmp_path: Path, form: str, target: str) -> None:
    """One index, a tile of them, one more, several for each block; the same slice twice."""
    shape, _, axis, dtype = FORMS[form]
    operator = pyptogen.compile(spec(tmp_path, form), target=target)
    rng = np.random.default_rng(len(form))
    for n, rows in ((1, 1), (8, 3), (9, 50), (431, 50)):
        extents = [rows if part == "rows" else int(part) for part in shape.split(", ")]
        x = rng.integers(-100, 100, extents).astype(NUMPY_DTYPES[dtype])
        index = rng.integers(0, rows, n).astype(np.int32)
        np.testing.assert_array_equal(operator(x=x, index=index).y, np.take(x, index, axis))


def test_an_index_that_is_computed(tmp_path: Path) -> None:
    operator = pyptogen.compile(spec(tmp_path, "rows", "index * 2"), target="a2a3")
    x = np.arange(7 * 96, dtype=np.float32).reshape(7, 96)
    index = np.array([0, 3, 2, 1, 0, 1, 2, 3, 3, 1], np.int32)
    np.testing.assert_array_equal(operator(x=x, index=index).y, x[index * 2])


@pytest.mark.parametrize(("form", "at_once"), [("rows", 8), ("long rows", 4)])
def test_short_slices_are_rows_of_a_tile(tmp_path: Path, form: str, at_once: int) -> None:
    """So that a block reads its indices beside each other, and stores once for all of them."""
    (kernel,) = lower(from_spec(load_spec(spec(tmp_path, form))), "a2a3").tiles
    rows = [op.gm.rows.size for op in walk(kernel.body) if isinstance(op, GatherRows)]
    alone = [op for op in walk(kernel.body) if isinstance(op, ReadIndex)]
    assert (rows, alone) == ([at_once], [])
