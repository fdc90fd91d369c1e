"""Attention over pages and over selected tokens, and the indexer that selects them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from library.agreement import assert_agree, operator
from library.goldens import Array, Arrays, attended, bf16, wide

TARGETS = ["cpu", "a2a3"]
WEIGHTS = (2**-6, 2**-8)


def paged_attention(a: Arrays) -> dict[str, Array]:
    """One sequence after the other, by its own pages and no more tokens than it has."""
    results = []
    for q, table, length in zip(wide(a["q"]), a["block_table"], a["lengths"], strict=True):
        k, v = (wide(a[name])[table].reshape(-1, *a[name].shape[2:])[:length] for name in ("k_cache", "v_cache"))
        results.append(attended(q, k.swapaxes(0, 1), v.swapaxes(0, 1)))
    return {"o": bf16(np.stack(results))}


def block_sparse_attention(a: Arrays) -> dict[str, Array]:
    """One block of queries of one head after the other, over the keys of the blocks that it sees."""
    q, k, v = (wide(a[name]) for name in "qkv")
    o = np.empty_like(q)
    for head, block in np.ndindex(*q.shape[:2]):
        keys, values = (part[head][a["seen"][head, block] != 0].reshape(-1, part.shape[-1]) for part in (k, v))
        o[head, block] = attended(q[head, block], keys, values)
    return {"o": bf16(o)}


def sparse_attention(a: Arrays) -> dict[str, Array]:
    """One query after the other, over the keys that it has."""
    o = []
    for q, index in zip(wide(a["q"]), a["index"], strict=True):
        keys = wide(a["latent"])[index[index >= 0]]
        o.append(attended(q, keys, keys[:, :512]))
    return {"o": bf16(np.stack(o))}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("batch", "pages"), [(1, 1), (4, 3), (2, 17)])
def test_paged_attention(batch: int, pages: int, target: str) -> None:
    arrays = operator("paged_attention", target).example_inputs(seed=pages, batch=batch, pages=pages, blocks=40)
    rng = np.random.default_rng(batch)
    arrays["block_table"] = rng.integers(0, 40, (batch, pages), np.int32)
    arrays["lengths"] = rng.integers(1, pages * 32 + 1, batch).astype(np.int32)
    arrays["lengths"][-1] = pages * 32
    arrays["lengths"][0] = 1 if batch > 1 else pages * 32
    assert_agree("paged_attention", target, arrays, paged_attention, {"o": WEIGHTS})


@pytest.mark.parametrize("target", TARGETS)
def test_block_sparse_attention(target: str) -> None:
    """A query may see one block alone, the first or the last; hidden ones hold what is no number."""
    arrays = operator("block_sparse_attention", target).example_inputs(seed=4, q_blocks=3, kv_blocks=5)
    seen = arrays["seen"]
    seen[:, 0], seen[:, 1], seen[:, :, 2] = [1, 0, 0, 0, 0], [0, 0, 0, 0, -7], 0
    seen[:, 2, 1] = 1
    for name in "kv":
        arrays[name][:, 2] = np.nan
    assert_agree("block_sparse_attention", target, arrays, block_sparse_attention, {"o": WEIGHTS})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("t", "kv"), [(1, 2048), (3, 2700)])
def test_sparse_attention(t: int, kv: int, target: str) -> None:
    arrays = operator("sparse_attention", target).example_inputs(seed=kv, t=t, kv=kv)
    arrays["index"] = np.stack([np.random.default_rng(i).permutation(kv)[:2048] for i in range(t)]).astype(np.int32)
    assert_agree("sparse_attention", target, arrays, sparse_attention, {"o": WEIGHTS})


@pytest.mark.parametrize("target", TARGETS)
def test_sparse_attention_to_fewer_keys_than_there_is_room_for(target: str) -> None:
    """One key alone, the last places alone, whole blocks without a key."""
    arrays = operator("sparse_attention", target).example_inputs(seed=1, t=4, kv=40)
    index = arrays["index"]
    index[:] = np.arange(2048) % 40
    index[0, 1:], index[1, :2000], index[2, 100:1900], index[3, ::2] = -1, -1, -1, -1
    assert_agree("sparse_attention", target, arrays, sparse_attention, {"o": WEIGHTS})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("t", "kv"), [(1, 2048), (3, 2563), (2, 5000)])
def test_lightning_indexer(t: int, kv: int, target: str) -> None:
    """Scores that are whole numbers are exact in any order of summing: so is the choice, also among equal ones."""
    indexer = operator("lightning_indexer", target)
    rng = np.random.default_rng(kv)
    arrays = indexer.example_inputs(seed=1, t=t, kv=kv)
    for name in ("q", "k"):
        arrays[name] = rng.integers(-2, 3, arrays[name].shape).astype(ml_dtypes.bfloat16)
    arrays["weights"] = rng.integers(0, 4, arrays["weights"].shape).astype(np.float32)
    arrays["seen"] = np.array([kv, 1, 2047, 2049][:t], np.int32)[::-1]
    dots = np.maximum(np.einsum("thd,sd->ths", wide(arrays["q"]), wide(arrays["k"])), 0)
    scores = np.einsum("ths,th->ts", dots, wide(arrays["weights"]))
    scores[np.arange(kv) >= arrays["seen"][:, None]] = -np.inf
    order = np.argsort(-scores, axis=1, kind="stable")[:, :2048]
    best = np.take_along_axis(scores, order, 1)
    got = indexer(**arrays)
    np.testing.assert_array_equal(got.index, np.where(best == -np.inf, -1, order))
    np.testing.assert_array_equal(got.score, best)
