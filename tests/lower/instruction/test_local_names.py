"""Locals of generated kernels keep clear of the names of a spec."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

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


GIVEN_LIKE_MADE = """\
pyptogen: 1
operator: names
dims: {rows: {min: 1, max: 64}, x: 64, k: 128}
attrs: {rows0_buffer: {type: fp32, default: 0.5}}
inputs:
  k0: fp16[rows, k]
  x_tile: fp16[k, x]
  rows0: fp32[x]
outputs:
  sum_row: fp32[rows, x]
  k0_tile: fp32[rows, 1]
graph:
  names_cpu:
    x_tile_tile: matmul(k0, x_tile, dtype=fp32)
    rows0_valid: x_tile_tile + rows0
  names_a2a3:
    sum: sum(rows0_valid, axis=-1, keepdim=true)
    k0_tile: sum * rows0_buffer
    sum_row: (rows0_valid - sum) * k0_tile
tiling:
  - {rows: 16}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_names_of_a_spec_that_kernels_make_for_themselves(target: str, tmp_path: Path) -> None:
    """Loop variables, extents of tiles, numbers of buffers, tiles of tensors, columns seen as rows, entries."""
    path = tmp_path / "names.yaml"
    path.write_text(GIVEN_LIKE_MADE)
    rng = np.random.default_rng(5)
    a = rng.integers(-2, 3, (21, 128)).astype(np.float16)
    b = rng.integers(-2, 3, (128, 64)).astype(np.float16)
    c = rng.integers(-2, 3, 64).astype(np.float32)
    got = pyptogen.compile(path, target=target)(k0=a, x_tile=b, rows0=c, rows0_buffer=0.25)
    product = a.astype(np.float32) @ b.astype(np.float32) + c
    total = product.sum(axis=-1, keepdims=True)
    np.testing.assert_array_equal(got.k0_tile, total * 0.25)
    np.testing.assert_allclose(got.sum_row, (product - total) * (total * 0.25), rtol=1e-6)


BESIDE_C = """\
pyptogen: 1
operator: turn
dims: {{rows: {{min: 1, max: 64}}, cols: 256}}
inputs: {{x: "fp32[rows, cols]"}}
outputs: {{y: "fp32[cols, rows]", z: "fp32[rows, cols]"}}
graph:
  turned:
    y: x.T
  bands:
    z: x * 2
kernels:
  turned:
    level: source
    file: turn.cpp
    entry: {entry}
    core: aiv
    reads: [x]
    writes: [y]
"""


def _beside_c(tmp_path: Path, entry: str) -> Path:
    path = tmp_path / "turn.yaml"
    path.write_text(BESIDE_C.format(entry=entry))
    (tmp_path / "turn.cpp").write_text(f"// {entry}\n")
    return path


def test_a_stage_gives_way_to_an_entry_of_its_name(tmp_path: Path) -> None:
    program = from_spec(load_spec(_beside_c(tmp_path, "bands")))
    lowered = generate(program, "a2a3")
    assert [kernel.name for kernel in lowered.kernels] == ["bands", "bands_2"]
    assert "void bands_2(" in lowered.kernels[1].text


@pytest.mark.parametrize("entry", ["select", "turn_a2a3", "union"])
def test_entries_that_no_function_of_c_can_have(entry: str, tmp_path: Path) -> None:
    path = _beside_c(tmp_path, entry)
    with pytest.raises(DiagnosticError, match="cannot name the entry of a kernel") as error:
        generate(from_spec(load_spec(path)), "a2a3")
    assert error.value.diagnostics[0].code == "PTG213"
    assert f"call it `{entry}_kernel`" in (error.value.diagnostics[0].fix or "")
