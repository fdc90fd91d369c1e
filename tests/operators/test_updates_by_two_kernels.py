"""Updates in place of arrays that do not lie row after row: parts of larger ones, and column after column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tensor import interpret as golden_of
from pyptogen.verify import example_inputs
from pyptogen.verify.cases import verify_case

TEXT = """\
pyptogen: 1
operator: updates
dims:
  t: {min: 1, max: 512}
  ld: {min: 48, max: 4096}
  blocks: {min: 1, max: 64}
  page: {min: 64, max: 4096}
  d: 48
inputs:
  x: {shape: [t, d], dtype: fp32, strides: [ld, 1]}
  cache: {shape: [blocks, 2, 16], dtype: fp32, strides: [2 * page, page, 1]}
  by_columns: fp32[t, d] @ dn
  slot: int32[t]
  rows: fp32[t, 16]
outputs:
  x: {inplace: true}
  cache: {inplace: true}
  by_columns: {inplace: true}
graph:
  x: x * 2 + by_columns
  cache: scatter_update(cache, slot, rows * 0.5, dim=1)
  by_columns: by_columns - 1
verify:
  generate: {slot: "skip(permutation(2 * blocks), -1, 0.3)"}
  cases: [{t: 9, ld: 60, blocks: 8, page: 70}]
"""


def compiled(tmp_path: Path, target: str) -> Any:
    path = tmp_path / "updates.yaml"
    path.write_text(TEXT)
    return pyptogen.compile(path, target=target, threads=2)


def given(rows: int, pitch: int, page: int) -> tuple[dict[str, Any], list[Any]]:
    """Arguments, and the larger arrays that the first two are parts of."""
    rng = np.random.default_rng(rows)
    wide = rng.normal(size=(rows, pitch)).astype(np.float32)
    pages = rng.normal(size=(rows, 2, page)).astype(np.float32)
    slot = rng.permutation(2 * rows)[:rows].astype(np.int32)
    slot[rng.uniform(size=rows) < 0.3] = -1
    turned = np.asfortranarray(rng.normal(size=(rows, 48)).astype(np.float32))
    arrays = {
        "x": wide[:, 3:51], "cache": pages[:, :, 5:21], "by_columns": turned, "slot": slot,
        "rows": rng.normal(size=(rows, 16)).astype(np.float32),
    }  # fmt: skip
    return arrays, [wide, pages]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("rows", [1, 37])
def test_parts_of_larger_arrays(target: str, rows: int, tmp_path: Path) -> None:
    operator = compiled(tmp_path, target)
    arrays, (wide, pages) = given(rows, 60, 70)
    want_wide, want_pages, want_transposed = wide.copy(), pages.copy(), arrays["by_columns"] - 1
    want_wide[:, 3:51] = wide[:, 3:51] * 2 + arrays["by_columns"]
    for row, slot in enumerate(arrays["slot"]):
        if slot >= 0:
            want_pages[slot // 2, slot % 2, 5:21] = arrays["rows"][row] * np.float32(0.5)
    by_instructions = interpret(lower(operator.program, target), arrays)
    golden = operator.golden(**arrays)._asdict()
    result = operator(**arrays)
    assert result.x is arrays["x"]
    np.testing.assert_allclose(wide, want_wide, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(pages, want_pages)
    np.testing.assert_array_equal(arrays["by_columns"], want_transposed)
    for name in ("x", "cache", "by_columns"):
        np.testing.assert_allclose(by_instructions[name], arrays[name], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(golden[name], arrays[name], rtol=1e-6, atol=1e-6)


ONE = """\
pyptogen: 1
operator: one_update
dims: {r: {min: 1, max: 512}, n: {min: 1, max: 512}, ld: {min: 16, max: 4096}, d: 16}
attrs: {on: {type: int32, default: 1}}
inputs:
  t: {shape: [n, d], dtype: fp32, strides: [ld, 1]}
  at: int32[r]
  v: fp32[r, d]
outputs:
  t: {inplace: true}
graph:
  GRAPH
verify:
  generate: {at: permutation(n)}
  cases: [{r: 20, n: 33, ld: 40}]
"""
ROUNDS = """\
s:
    loop: {over: r, tile: 8}
    carry:
      u: t
    next:
      u: scatter_update(u, at[r], v[r] * 2, dim=0)
  o:
    t: u"""
GRAPHS = {
    "rows in some calls": "s:\n    if: on != 0\n    t: scatter_update(t, at, v, dim=0)",
    "rows in no such call": "s:\n    if: on == 0\n    t: scatter_update(t, at, v, dim=0)",
    "all in some calls": "s:\n    if: on != 0\n    t: t * 2 + 1",
    "rows of rounds": ROUNDS,
    "rows, then all": "s:\n    a: scatter_update(t, at, v, dim=0)\n  o:\n    t: a * 2",
    "sums at indices": "t: index_add(t, 0, at, v)",
    "columns in another order": "t: concat(t[:, 8:], t[:, :8], axis=1)",
    "a running sum": "t: cumsum(t, axis=0)",
    "a product": "t: matmul(t, matmul(v.T, v))",
    "nothing": "t: t",
}
OF_ROWS = ("rows in some calls", "rows in no such call", "rows of rounds")
"""In `dn` a row is no run, and these are refused."""
LAID_OUT = [*((name, "strides") for name in GRAPHS), *((name, "dn") for name in GRAPHS if name not in OF_ROWS)]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("graph", "layout"), LAID_OUT)
def test_instructions_of_updates(graph: str, layout: str, target: str) -> None:
    text = ONE.replace("GRAPH", GRAPHS[graph])
    if layout == "dn":
        text = text.replace("{shape: [n, d], dtype: fp32, strides: [ld, 1]}", "fp32[n, d] @ dn")
        text = text.replace(" ld: {min: 16, max: 4096},", "").replace(", ld: 40", "")
    spec = load_source(Source("one.yaml", text))
    program = from_spec(spec)
    inputs = example_inputs(spec, {}, 3, program=program)
    want = golden_of(program, inputs)["t"]
    np.testing.assert_allclose(interpret(lower(program, target), inputs)["t"], want, rtol=1e-5, atol=1e-5)


def test_an_operator_that_computes_nothing_runs(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(ONE.replace("GRAPH", GRAPHS["nothing"]))
    arrays = pyptogen.compile(path).example_inputs(r=3, n=5, ld=20)
    before = arrays["t"].copy()
    np.testing.assert_array_equal(pyptogen.compile(path)(**arrays).t, before)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_its_cases_pass(target: str, tmp_path: Path) -> None:
    assert verify_case(compiled(tmp_path, target), {}).passed


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("x", lambda a: np.repeat(a, 2, axis=1)[:, ::2], "the elements of its rows lie apart"),
        ("by_columns", np.ascontiguousarray, "does not lie column after column"),
    ],
)
def test_an_array_that_lies_otherwise_is_refused(name: str, change: Any, words: str, tmp_path: Path) -> None:
    """A copy of it would be updated in its place."""
    arrays, _ = given(7, 60, 70)
    arrays[name] = change(arrays[name])
    with pytest.raises(DiagnosticError, match=f"PTG40[27].*{words}|PTG402"):
        compiled(tmp_path, "cpu")(**arrays)


def test_rows_at_unequal_distances_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "updates.yaml"
    path.write_text(TEXT.replace("[2 * page, page, 1]", "[3 * page, page, 1]"))
    with pytest.raises(DiagnosticError, match=r"PTG303.*do not lie at equal distances"):
        pyptogen.compile(path, target="cpu")


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_row_may_fuse_an_update_and_what_reads_it(target: str) -> None:
    """The two stay kernels of their own: what an update leaves is in GM alone."""
    text = ONE.replace("GRAPH", GRAPHS["rows, then all"]) + "tiling: [{fuse: [[s, o]]}]\n"
    spec = load_source(Source("one.yaml", text))
    program = from_spec(spec)
    made = lower(program, target)
    assert len(made.execution.plans[-1]) > 1
    inputs = example_inputs(spec, {}, 3, program=program)
    want = golden_of(program, inputs)["t"]
    np.testing.assert_allclose(interpret(made, inputs)["t"], want, rtol=1e-5, atol=1e-5)
