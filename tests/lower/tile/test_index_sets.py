"""Rows that see all of a block go without the mask, the others with the columns they see: right for every offset."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pyptogen
from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import Loop, walk, walk_loops
from pyptogen.lower.tile.ops import Binary
from pyptogen.schema.loader import load_source
from pyptogen.schema.source import Source
from pyptogen.simulate import tile as levels
from pyptogen.simulate.graph import interpret

SPEC = """\
pyptogen: 1
operator: small_causal
dims:
  heads: 2
  sq: {{min: 1, max: 4096}}
  kv: {kv}
  d: 32
inputs:
  q: bf16[heads, {group}sq, d]
  k: bf16[heads, kv, d]
  v: bf16[heads, kv, d]
{bias}outputs:
  o: bf16[heads, {group}sq, d]
graph:
  o: attention(q, k, v{argument}, causal=true)
tiling:
  - heads: 1
    sq: {{tile: 32, rows: {rows}}}
    kv: {tile}
"""
TEXTS = {
    "rows shorter than blocks": {"rows": 8, "tile": 32},
    "blocks shorter than rows": {"rows": 16, "tile": 8},
    "of other lengths": {"rows": 8, "tile": 24},
    "with a bias": {"rows": 8, "tile": 16, "bias": "  bias: fp32[sq, kv]\n", "argument": ", bias=bias"},
    "heads that share keys": {"rows": 8, "tile": 16, "group": "2, "},
}
SIZES = st.tuples(st.integers(1, 60), st.integers(0, 50))
"""Queries, and keys before the first one's own."""
STATIC_KV = 96


def text(rows: int, tile: int, kv: str = "{min: 1, max: 4096}", **parts: str) -> str:
    empty = dict.fromkeys(("group", "bias", "argument"), "")
    return SPEC.format(rows=rows, tile=tile, kv=kv, **(empty | parts))


@cache
def lowered(target: str, kind: str) -> Generated:
    return generate(from_spec(load_source(Source("small_causal.yaml", text(**TEXTS[kind])))), target)


def inputs(kind: str, sq: int, kv: int) -> dict[str, Any]:
    rng = np.random.default_rng(sq * 4096 + kv)
    group = (2,) if "group" in TEXTS[kind] else ()
    shapes = {"q": (2, *group, sq, 32), "k": (2, kv, 32), "v": (2, kv, 32)}
    arrays: dict[str, Any] = {n: rng.standard_normal(s).astype(ml_dtypes.bfloat16) for n, s in shapes.items()}
    bias = {"bias": rng.standard_normal((sq, kv)).astype(np.float32)} if "bias" in TEXTS[kind] else {}
    return arrays | bias


def by_hand(arrays: dict[str, Any]) -> Any:
    """Softmax of all scores at once, in float64; a query sees the keys up to its own."""
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    k, v = (x[:, None] if q.ndim == 4 else x for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(32) + arrays.get("bias", 0.0)
    sq, kv = scores.shape[-2:]
    scores = np.where(np.arange(kv) <= np.arange(sq)[:, None] + kv - sq, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def check(got: Any, arrays: dict[str, Any]) -> None:
    np.testing.assert_allclose(got.astype(np.float64), by_hand(arrays), atol=0.03, rtol=0.02)


@pytest.mark.parametrize("level", ["tile", "instruction"])
@pytest.mark.parametrize("kind", TEXTS)
@settings(max_examples=4, deadline=None)
@given(size=SIZES)
@example(size=(40, 6))  # the first row of a tile sees a block but for its last element
@example(size=(40, 7))  # and all of it
def test_every_offset(kind: str, level: Literal["tile", "instruction"], size: tuple[int, int]) -> None:
    """On the CPU, at every level: whatever part of its block a row sees."""
    sq, kv = size[0], sum(size)
    arrays, program = inputs(kind, sq, kv), lowered("cpu", kind)
    if level == "instruction":
        check(interpret(program, arrays, blocks=2)["o"], arrays)
    else:
        check(levels.interpret(program, arrays, level=level, blocks=2)["o"], arrays)


def test_compiled(tmp_path: Any) -> None:
    """The kernels themselves, at sizes around all edges of rows and blocks."""
    spec = tmp_path / "small_causal.yaml"
    kind = "of other lengths"
    spec.write_text(text(**TEXTS[kind]))
    operator = pyptogen.compile(spec, threads=1)
    for sq in (1, 8, 9, 31, 33, 64):
        for before in (0, 1, 7, 8, 24, 31):
            arrays = inputs(kind, sq, sq + before)
            check(operator(**arrays).o, arrays)


def rows_loops(program: Generated) -> dict[str, list[Loop]]:
    found: dict[str, list[Loop]] = {}
    for kernel in program.tiles:
        for loop in walk_loops(kernel.body):
            found.setdefault(loop.index_set, []).append(loop)
    return found


@pytest.mark.parametrize("kind", TEXTS)
def test_only_parts_of_blocks_have_a_mask(kind: str) -> None:
    """Rows whose bound lies behind a block compute no mask; the others do not multiply what lies beyond their bound."""
    found = rows_loops(lowered("cpu", kind))
    (part,), (whole,), (columns,) = found["partial"], found["full"], found["columns"]
    masks = [op for op in walk(part.body) if isinstance(op, Binary) and op.mask]
    assert len(masks) == 1
    assert {op.mnemonic for op in walk(part.body)} - {op.mnemonic for op in walk(whole.body)} == {"minimum"}
    assert len(list(walk(whole.body))) == len(list(walk(part.body))) - 2
    assert columns in part.body


def test_blocks_that_are_never_short_keep_their_columns() -> None:
    """Where every block is as long as its tile, nothing tells the columns of blocks from other axes of that length."""
    spec = text(rows=8, tile=32, kv=str(STATIC_KV))
    program = generate(from_spec(load_source(Source("small_causal.yaml", spec))), "cpu")
    found = rows_loops(program)
    assert len(found["partial"]) == len(found["full"]) == 1
    assert "columns" not in found
    for sq in (1, 40, STATIC_KV):
        arrays = inputs("rows shorter than blocks", sq, STATIC_KV)
        check(interpret(program, arrays)["o"], arrays)


def test_the_text() -> None:
    """The heads of the three loops say which rows they are for."""
    (kernel,) = lowered("cpu", "rows shorter than blocks").kernels
    heads = [line.strip() for line in kernel.text.splitlines() if "sq1" in line or "sq2" in line or "kv1" in line]
    heads = [line for line in heads if line.startswith(("for ", "if ")) or "_begin" in line or "_end" in line]
    all_rows = "sq0 + sq0_valid"
    none, last, every = "kv0 + sq - kv - sq0", "kv0 + sq + 31 - kv", "kv0 + sq + 38 - kv - sq0"
    nothing = "// rows before this: their causal bound is ahead of this block"
    assert heads == [
        f"const int32_t sq1_begin = {none} > 0 ? sq0 + ({none}) / 8 * 8 : sq0;  {nothing}",
        f"const int32_t sq1_end = {last} < {all_rows} ? {last} : {all_rows};"
        "  // rows from here on: their causal bound is behind this block",
        "for (int32_t sq1 = sq1_begin; sq1 < sq1_end; sq1 += 8) {",
        "if (const int32_t kv1 = kv0; kv1 < kv + sq1 + sq1_valid - sq) {  // up to the causal bound of these rows",
        f"const int32_t sq2_begin = {every} > 0 ? sq0 + ({every}) / 8 * 8 : sq0;"
        "  // rows before this: their causal bound is inside this block",
        f"for (int32_t sq2 = sq2_begin; sq2 < {all_rows}; sq2 += 8) {{",
    ]
