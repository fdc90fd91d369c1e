"""Products and sums whose operand lies where an index says, against a loop in numpy: nothing is copied for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret

TARGETS = ("cpu", "a2a3")
Arrays = dict[str, Any]

EXPERTS = """\
pyptogen: 1
operator: experts
dims: {blocks: {min: 1, max: 64}, groups: 5, r: {min: 1, max: 64}, k: 96, n: 160}
inputs:
  x: bf16[blocks, r, k]
  w: WEIGHT
  group: int32[INDEX]
outputs:
  y: fp32[blocks, r, n]
graph:
  y: matmul(x, SLICE, dtype=fp32)
tiling:
  - TILES
"""
PLAIN = ("bf16[groups, k, n]", "blocks", "index_select(w, 0, group)")
FORMS = {
    "plain": PLAIN,
    "packed": ("bf16[groups, k, n] @ nz", "blocks", "index_select(w, 0, group)"),
    "transposed": ("bf16[groups, n, k]", "blocks", "transpose(index_select(w, 0, group), -2, -1)"),
    "middle": ("bf16[k, groups, n]", "blocks", "permute(index_select(w, 1, group), [1, 0, 2])"),
    "computed": ("bf16[groups, k, n]", "blocks", "index_select(w, 0, minimum(group, groups - 1))"),
    "part": ("bf16[groups, k, n]", "blocks, 3", "index_select(w, 0, reshape(group[:, 1:2], [blocks]))"),
}
ROWS = """\
pyptogen: 1
operator: bag
dims: {t: {min: 1, max: 512}, bag: {min: 1, max: 64}, v: {min: 1, max: 4096}, h: 72}
inputs:
  table:  DTYPE[v, h]
  token:  int32[t, bag]
  weight: fp32[t, bag]
outputs:
  y: fp32[t, h]
graph:
  add:
    loop: {over: bag, tile: 1}
    carry: {total: "full([t, h], 0, fp32)"}
    body: {row: "index_select(table, 0, reshape(token[:, bag], [t]))"}
    next: {total: "total + cast(row, fp32) * weight[:, bag]"}
  out:
    y: total * 1
tiling:
  - TILES
"""


def written(tmp_path: Path, text: str, **words: str) -> Path:
    for word, instead in words.items():
        text = text.replace(word, instead)
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    return path


def lowered(path: Path, target: str) -> Lowered:
    return lower(from_spec(load_spec(path)), target)


def at_all_levels(path: Path, target: str, arrays: Arrays, want: Any, **near: float) -> None:
    """Tiles, tiles at addresses and instructions, on several blocks."""
    made = lowered(path, target)
    for got in (
        interpret(made, arrays, level="tile", blocks=3),
        interpret(made, arrays, level="block", blocks=2),
        run_instructions(made, arrays),
    ):
        np.testing.assert_allclose(got["y"], want, **near)


def expert_arrays(form: str, blocks: int, r: int) -> tuple[Arrays, Any]:
    """Inputs with repeated indices, the first and the last one among them, and the products."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(blocks, r, 96)).astype(ml_dtypes.bfloat16)
    w = rng.normal(size=(5, 96, 160)).astype(ml_dtypes.bfloat16)
    group = np.resize(np.array([4, 0, 4, 2, 1], np.int32), blocks)
    want = np.stack([x[b].astype(np.float64) @ w[group[b]].astype(np.float64) for b in range(blocks)])
    if form == "transposed":
        w = np.ascontiguousarray(w.transpose(0, 2, 1))
    if form == "middle":
        w = np.ascontiguousarray(w.transpose(1, 0, 2))
    given = group
    if form == "computed":
        given = np.where(group == 4, 1000, group).astype(np.int32)
    if form == "part":
        given = np.full((blocks, 3), -7, np.int32)
        given[:, 1] = group
    return {"x": x, "w": w, "group": given}, want


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("tiles", ["{r: 16}", "{r: 16, k: 64, n: 128}"])
@pytest.mark.parametrize("form", FORMS)
def test_products(tmp_path: Path, form: str, tiles: str, target: str) -> None:
    weight, index, part = FORMS[form]
    path = written(tmp_path, EXPERTS, WEIGHT=weight, INDEX=index, SLICE=part, TILES=tiles)
    between = [t for kernel in lowered(path, target).tiles for t in kernel.tensors if t.workspace]
    assert all(t.dtype == "int32" for t in between), "a weight is copied"
    for blocks, r in ((1, 1), (7, 37)):
        arrays, want = expert_arrays(form, blocks, r)
        given = dict(arrays)
        if form == "packed":
            given["w"] = pyptogen.pack(given["w"], layout="nz", target=target)
        got = pyptogen.compile(path, target=target, checked=True)(**given).y
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)
    at_all_levels(path, target, arrays, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_weighted_sums(tmp_path: Path, dtype: str, target: str) -> None:
    path = written(tmp_path, ROWS, DTYPE=dtype, TILES="{fuse: [[add, out]], t: 16}")
    between = [t for kernel in lowered(path, target).tiles for t in kernel.tensors if t.workspace]
    assert all(t.dtype == "int32" for t in between), "a row is copied"
    rng = np.random.default_rng(3)
    made = pyptogen.compile(path, target=target, checked=True)
    for t, bag, v in ((1, 1, 1), (37, 5, 100)):
        table = rng.normal(size=(v, 72)).astype(ml_dtypes.bfloat16 if dtype == "bf16" else np.float32)
        token = rng.integers(0, v, (t, bag)).astype(np.int32)
        token[0, 0], token[-1, -1] = v - 1, 0
        weight = rng.normal(size=(t, bag)).astype(np.float32)
        want = np.zeros((t, 72))
        for i in range(t):
            for j in range(bag):
                want[i] += table[token[i, j]].astype(np.float64) * weight[i, j]
        arrays = {"table": table, "token": token, "weight": weight}
        np.testing.assert_allclose(made(**arrays).y, want, rtol=1e-5, atol=1e-5)
    at_all_levels(path, target, arrays, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("wrong", [-1, 5])
def test_wrong_index_of_an_input(tmp_path: Path, wrong: int) -> None:
    """The call is checked before a kernel reads with it."""
    weight, index, part = PLAIN
    path = written(tmp_path, EXPERTS, WEIGHT=weight, INDEX=index, SLICE=part, TILES="{r: 16}")
    arrays, _ = expert_arrays("plain", 3, 2)
    arrays["group"][1] = wrong
    with pytest.raises(DiagnosticError, match=f"`group` holds {wrong}"):
        pyptogen.compile(path)(**arrays)


def test_wrong_index_in_iterations(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS, DTYPE="fp32", TILES="{fuse: [[add, out]], t: 16}")
    table, weight = np.ones((3, 72), np.float32), np.ones((2, 2), np.float32)
    with pytest.raises(DiagnosticError, match="`token` holds 3"):
        pyptogen.compile(path)(table=table, token=np.array([[0, 1], [2, 3]], np.int32), weight=weight)


def test_what_makes_no_tile_is_copied(tmp_path: Path) -> None:
    """Rows of a left operand by index: the copy is made ahead of the product, as before."""
    text = EXPERTS.replace("matmul(x, SLICE, dtype=fp32)", "matmul(x, reshape(SLICE, [blocks, k, n]), dtype=fp32)")
    path = written(
        tmp_path, text, WEIGHT="bf16[groups, n]", INDEX="blocks * k", SLICE="index_select(w, 0, group)", TILES="{r: 16}"
    )
    rng = np.random.default_rng(5)
    x = rng.normal(size=(3, 2, 96)).astype(ml_dtypes.bfloat16)
    w = rng.normal(size=(5, 160)).astype(ml_dtypes.bfloat16)
    group = rng.integers(0, 5, 3 * 96).astype(np.int32)
    want = x.astype(np.float64) @ w[group].reshape(3, 96, 160).astype(np.float64)
    for target in TARGETS:
        got = pyptogen.compile(path, target=target)(x=x, w=w, group=group).y
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)


PAGES = """\
pyptogen: 1
operator: pages
dims: {batch: {max: 64}, pages: {min: 1, max: 64}, blocks: {min: 1, max: 4096}, heads: 2, g: 16, size: 32, d: 64}
inputs:
  q:     bf16[batch, heads, g, d]
  k:     bf16[blocks, size, heads, d]
  v:     bf16[blocks, heads, size, d]
  table: int32[batch, pages]
outputs:
  y: fp32[batch, heads, g, d]
functions:
  page(cache, number): {return: "index_select(cache, 0, reshape(number, [batch]))"}
graph:
  attend:
    loop: {over: pages, tile: 1}
    carry:
      m: full([batch, heads, g, 1], -1.0e30, fp32)
      l: full([batch, heads, g, 1], 0, fp32)
      acc: full([batch, heads, g, d], 0, fp32)
    body:
      keys: permute(page(k, table[:, pages]), [0, 2, 1, 3])
      s: matmul(q, transpose(keys, -2, -1), dtype=fp32)
      m_new: maximum(m, amax(s, axis=-1, keepdim=true))
      p: exp(s - m_new)
      a: exp(m - m_new)
    next:
      m: m_new
      l: l * a + sum(p, axis=-1, keepdim=true)
      acc: acc * a + matmul(cast(p, bf16), page(v, table[:, pages]), dtype=fp32)
  out:
    y: acc / l
tiling:
  - TILES
"""


@pytest.mark.parametrize("target", TARGETS)
def test_pages_of_a_cache(tmp_path: Path, target: str) -> None:
    """Where cores are separate, the cube core reads an index for the next iteration's keys, and for this one's
    values."""
    path = written(tmp_path, PAGES, TILES="{batch: 1, heads: 1, fifo: 2, fuse: [[attend, out]]}")
    assert not any(t.workspace for kernel in lowered(path, target).tiles for t in kernel.tensors)
    made = pyptogen.compile(path, target=target, checked=True)
    rng = np.random.default_rng(11)
    for batch, pages, blocks in ((1, 1, 1), (3, 5, 9)):
        q = rng.normal(size=(batch, 2, 16, 64)).astype(ml_dtypes.bfloat16)
        k = rng.normal(size=(blocks, 32, 2, 64)).astype(ml_dtypes.bfloat16)
        v = rng.normal(size=(blocks, 2, 32, 64)).astype(ml_dtypes.bfloat16)
        table = rng.integers(0, blocks, (batch, pages)).astype(np.int32)
        want = np.zeros((batch, 2, 16, 64))
        for b in range(batch):
            for h in range(2):
                keys = np.concatenate([k[n, :, h] for n in table[b]]).astype(np.float64)
                values = np.concatenate([v[n, h] for n in table[b]]).astype(np.float64)
                scores = q[b, h].astype(np.float64) @ keys.T
                p = np.exp(scores - scores.max(axis=-1, keepdims=True))
                want[b, h] = p / p.sum(axis=-1, keepdims=True) @ values
        arrays = {"q": q, "k": k, "v": v, "table": table}
        np.testing.assert_allclose(made(**arrays).y, want, rtol=2**-6, atol=4e-3)
    at_all_levels(path, target, arrays, want, rtol=2**-6, atol=4e-3)


BESIDE = """\
pyptogen: 1
operator: beside
dims: {t: {min: 1, max: 512}, bag: {min: 1, max: 64}, rows: {min: 1, max: 4096}, k: 64, h: 64}
inputs:
  x:     bf16[t, k]
  w:     bf16[bag, k, h]
  table: fp32[rows, h]
  token: int32[t, bag]
outputs:
  y: fp32[t, h]
graph:
  add:
    loop: {over: bag, tile: 1}
    carry: {total: "full([t, h], 0, fp32)"}
    body: {row: "index_select(table, 0, reshape(token[:, bag], [t]))"}
    next: {total: "total + matmul(x, reshape(w[bag], [k, h]), dtype=fp32) * row"}
  out:
    y: total * 1
tiling:
  - {t: 32, fifo: 2, fuse: [[add, out]]}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_rows_beside_a_product(tmp_path: Path, target: str) -> None:
    """Two vector cores of a block each find the rows of their half."""
    path = written(tmp_path, BESIDE)
    made = lowered(path, target)
    assert any(kernel.subblock for kernel in made.instructions) == (target == "a2a3")
    rng = np.random.default_rng(2)
    compiled = pyptogen.compile(path, target=target, checked=True)
    for t, bag in ((1, 2), (37, 3)):
        x, w = (rng.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((t, 64), (bag, 64, 64)))
        table = rng.normal(size=(11, 64)).astype(np.float32)
        token = rng.integers(0, 11, (t, bag)).astype(np.int32)
        want = sum(
            (x.astype(np.float64) @ w[j].astype(np.float64)) * table[token[:, j]].astype(np.float64) for j in range(bag)
        )
        arrays = {"x": x, "w": w, "table": table, "token": token}
        np.testing.assert_allclose(compiled(**arrays).y, want, rtol=1e-4, atol=1e-3)
    at_all_levels(path, target, arrays, want, rtol=1e-4, atol=1e-3)


UPDATED = """\
pyptogen: 1
operator: updated
dims: {t: {min: 1, max: 64}, groups: 5, r: 16, k: 64, n: 64}
inputs:
  x:     bf16[t, r, k]
  w:     bf16[groups, k, n]
  group: int32[t]
  slot:  int64[1]
  fresh: bf16[1, k, n]
outputs:
  y: fp32[t, r, n]
  w: {inplace: true}
graph:
  before:
    picked: index_select(w, 0, group)
  update:
    w: scatter_update(w, slot, fresh, dim=0)
  product:
    y: matmul(x, picked, dtype=fp32)
tiling:
  - {t: 1}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_updated_later_is_copied(tmp_path: Path, target: str) -> None:
    """The product sees the slices from before the update, though it comes after it."""
    path = written(tmp_path, UPDATED)
    rng = np.random.default_rng(4)
    x, w, fresh = (rng.normal(size=s).astype(ml_dtypes.bfloat16) for s in ((3, 16, 64), (5, 64, 64), (1, 64, 64)))
    group = np.array([2, 0, 2], np.int32)
    want = x.astype(np.float64) @ w[group].astype(np.float64)
    got = pyptogen.compile(path, target=target)(x=x, w=w.copy(), group=group, slot=np.array([2]), fresh=fresh)
    np.testing.assert_allclose(got.y, want, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(got.w[2], fresh[0])


VIEWED = """\
pyptogen: 1
operator: viewed
dims: {groups: 5, k: 64}
inputs:
  w:     fp32[groups, k]
  slot:  int64[1]
  fresh: fp32[1, k]
outputs:
  y: fp32[2, k]
  w: {inplace: true}
graph:
  before:
    old: w[1:3]
  update:
    w: scatter_update(w, slot, fresh, dim=0)
  after:
    y: old * 2
"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_view_from_before_an_update(tmp_path: Path, target: str) -> None:
    """It shows the rows that were there, also where it is read after the update."""
    path = written(tmp_path, VIEWED)
    w = np.arange(320, dtype=np.float32).reshape(5, 64)
    fresh = np.full((1, 64), -1, np.float32)
    got = pyptogen.compile(path, target=target)(w=w.copy(), slot=np.array([2]), fresh=fresh)
    np.testing.assert_array_equal(got.y, 2 * w[1:3])
    np.testing.assert_array_equal(got.w, np.concatenate([w[:2], fresh, w[3:]]))
