"""Words for what libraries write again and again, compiled for both targets: turns, routes, patterns, rows, pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyptogen

TEXT = """\
pyptogen: 1
operator: words
dims:
  t: {min: 1, max: 512}
  blocks: {min: 1, max: 64}
  pages: {min: 1, max: 16}
inputs:
  x: bf16[t, 128]
  logits: fp32[t, 64]
  bias: fp32[64]
  row: int32[t]
  q: fp32[t, 2, 4, 32]
  k_cache: fp32[blocks, 16, 2, 32]
  v_cache: fp32[blocks, 16, 2, 32]
  table: int32[t, pages]
  lengths: int32[t]
outputs:
  turned: fp32[t, 128]
  weight: fp32[t, 6]
  expert: int32[t, 6]
  odd: bf16[t, 32]
  put: fp32[t, 64]
  added: fp32[t, 64]
  o: fp32[t, 2, 4, 32]
  size: fp32[t, 32]
graph:
  a: {turned: "hadamard(cast(x, fp32))"}
  b: {"weight, expert": "topk_routing(logits, 6, sigmoid=true, bias=bias)"}
  c: {odd: "gathermask(x, 4)"}
  d: {put: "index_put(logits, row, logits * 2)", added: "index_put(logits, row, logits, accumulate=true)"}
  e: {o: "paged_attention(q, k_cache, v_cache, table, lengths)"}
  f: {size: "view(view(logits, [t, 32], [0, 16], dtype=int32) & 2147483647, [t, 32], [0, 0], dtype=fp32)"}
tiling: [{}]
"""


@pytest.fixture(scope="module", params=["cpu", "a2a3"])
def operator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("words") / "words.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return pyptogen.compile(path, target=request.param)


def attended(a: dict[str, Any], sequence: int) -> Any:
    """One sequence token by token of its pages."""
    length = int(a["lengths"][sequence])
    places = [(a["table"][sequence, at // 16], at % 16) for at in range(length)]
    keys, values = (np.array([a[name][place] for place in places], np.float64) for name in ("k_cache", "v_cache"))
    result = np.empty((2, 4, 32))
    for head, group in np.ndindex(2, 4):
        scores = keys[:, head] @ a["q"][sequence, head, group] / np.sqrt(32)
        weights = np.exp(scores - scores.max())
        result[head, group] = weights @ values[:, head] / weights.sum()
    return result


@pytest.mark.parametrize(("t", "blocks", "pages"), [(1, 1, 1), (37, 5, 3)])
def test_words(operator: Any, t: int, blocks: int, pages: int) -> None:
    rng = np.random.default_rng(t)
    a = operator.example_inputs(seed=t, t=t, blocks=blocks, pages=pages)
    a["row"] = rng.permutation(t).astype(np.int32)
    a["row"][t // 2 :] = a["row"][: t - t // 2] if t > 1 else 0
    a["table"] = rng.integers(0, blocks, (t, pages), dtype=np.int32)
    a["lengths"] = rng.integers(1, 16 * pages + 1, t, dtype=np.int32)
    unique = {**a, "row": rng.permutation(t).astype(np.int32)}
    got, put = operator(**a), operator(**unique).put
    signs = np.array([[(-1.0) ** (i & j).bit_count() for j in range(128)] for i in range(128)])
    np.testing.assert_allclose(got.turned, a["x"].astype(np.float64) @ signs / np.sqrt(128), rtol=1e-5, atol=1e-5)
    scores = 1 / (1 + np.exp(-a["logits"].astype(np.float64)))
    expert = np.argsort(-(scores + a["bias"]), axis=1, kind="stable")[:, :6]
    weight = np.take_along_axis(scores, expert, 1)
    np.testing.assert_array_equal(got.expert, expert)
    np.testing.assert_allclose(got.weight, weight / weight.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(got.odd, a["x"][:, 1::4])
    np.testing.assert_array_equal(got.size, np.abs(a["logits"][:, 16:48]))
    rows = np.empty_like(a["logits"])
    rows[unique["row"]] = 2 * a["logits"]
    np.testing.assert_array_equal(put, rows)
    added = a["logits"].astype(np.float64)
    np.add.at(added, a["row"], a["logits"])
    np.testing.assert_allclose(got.added, added, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got.o, [attended(a, at) for at in range(t)], rtol=1e-5, atol=1e-5)
