"""Locals of generated kernels keep clear of the names of a spec."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

SPEC = """\
pyptogen: 1
operator: keep_rows
dims:
  t: {{min: 1, max: 64}}
  n: {{min: 1, max: 64}}
inputs:
  {row}: fp32[t, 16]
  cache: fp32[n, 16]
  {slot}: int64[t]
outputs:
  cache: {{inplace: true}}
graph:
  twice: {row} * 2
  cache: scatter_update(cache, {slot}, twice, dim=0)
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_scatter_whose_tensors_are_called_row_and_slot(target: str, tmp_path: Path) -> None:
    path = tmp_path / "keep_rows.yaml"
    path.write_text(SPEC.format(row="row", slot="slot"))
    row = np.arange(48, dtype=np.float32).reshape(3, 16)
    cache = np.zeros((4, 16), np.float32)
    got = pyptogen.compile(path, target=target)(row=row, slot=np.array([2, -1, 0]), cache=cache).cache
    np.testing.assert_array_equal(got[[0, 1, 2, 3]], [row[2] * 2, np.zeros(16), row[0] * 2, np.zeros(16)])


@pytest.mark.parametrize("name", ["xor", "nullptr", "requires"])
def test_words_of_c_cannot_name_tensors(name: str, tmp_path: Path) -> None:
    path = tmp_path / "keep_rows.yaml"
    path.write_text(SPEC.format(row=name, slot="slot"))
    with pytest.raises(DiagnosticError, match="PTG213"):
        pyptogen.load(path)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_windows_tiles_and_arguments_of_one_name(target: str, tmp_path: Path) -> None:
    """`state` is updated in place and read again, so its tile is `state_out`, as the window would be."""
    path = tmp_path / "forget.yaml"
    path.write_text(
        "pyptogen: 1\noperator: forget\ndims: {t: {min: 1, max: 64}}\n"
        "inputs:\n  state: fp32[t, 16]\n  state_in: fp32[t, 16]\noutputs:\n  state: {inplace: true}\n  y: fp32[t, 1]\n"
        "graph:\n  step:\n    state: state * 2 + state_in\n    y: sum(state, axis=-1, keepdim=true)\n"
    )
    state = np.arange(48, dtype=np.float32).reshape(3, 16)
    want = state * 2 + 1
    got = pyptogen.compile(path, target=target)(state=state, state_in=np.ones_like(state))
    np.testing.assert_array_equal(got.state, want)
    np.testing.assert_array_equal(got.y, want.sum(axis=1, keepdims=True))
