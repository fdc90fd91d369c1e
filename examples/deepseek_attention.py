"""The attention of a layer of DeepSeek-V3.2 for new tokens: MLA, the lightning indexer, sparse attention over a cache.

``mla_indexer_prolog`` makes queries, index queries and what the caches keep, ``lightning_indexer`` picks the tokens
that each query attends to, ``sparse_attention`` attends to them in latent space (DeepSeek-AI, "DeepSeek-V3.2"). The
specs are those of the library, in smaller sizes; ``reference`` is the same in plain PyTorch, in fp32 and without
quantisation.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from decoder import LIBRARY, sized

H, Q_RANK, KV_RANK, HEADS, NOPE, ROPE = 1024, 256, 128, 4, 64, 32
INDEX_HEADS, D, SELECTED, SLOTS = 8, 128, 128, 2048
SCALE = 0.0416666667
"""Of the scores, as `sparse_attention.yaml` has it: that of the model's own latent width, 512 + 64."""


class Layer(NamedTuple):
    """Weights by the names of the operator's inputs, int8 ones with their scales."""

    weights: dict[str, Any]
    packed: dict[str, Any]
    """The same as the operator's kernels read them, made once for all calls."""
    w_uv: Any
    """From a head's latent sum to its values: [heads, kv_rank, nope]."""


class Cache(NamedTuple):
    """What earlier tokens left, by slot."""

    kv_cache: Any
    kr_cache: Any
    ik_cache: Any
    ik_scale: Any


def operators() -> tuple[Any, Any, Any]:
    """The three of them in this layer's sizes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "common").mkdir()
        (folder / "common" / "latent.yaml").write_text((LIBRARY / "common" / "latent.yaml").read_text())
        prolog = sized(
            LIBRARY / "mla_indexer_prolog.yaml", folder, h=H, q_rank=Q_RANK, kv_rank=KV_RANK, heads=HEADS, nope=NOPE,
            r=ROPE, index_heads=INDEX_HEADS, d=D,
        )  # fmt: skip
        indexer = sized(LIBRARY / "lightning_indexer.yaml", folder, heads=INDEX_HEADS, d=D, selected=SELECTED)
        attention = sized(
            LIBRARY / "sparse_attention.yaml", folder, heads=HEADS, selected=SELECTED, rank=KV_RANK, rope_d=ROPE
        )
    return prolog, indexer, attention


def make_layer(prolog: Any) -> Layer:
    """Weights drawn at random, the same in every run, and packed for the operator that takes them."""
    random = torch.Generator().manual_seed(11)

    def drawn(*shape: int) -> Any:
        return torch.randn(*shape, generator=random) * shape[-2] ** -0.5

    def quantised(k: int, n: int) -> tuple[Any, Any]:
        full = drawn(k, n)
        scale = full.abs().amax(0) / 127
        return torch.round(full / scale).to(torch.int8), scale

    uq, uq_scale = quantised(Q_RANK, HEADS * (NOPE + ROPE))
    iq, iq_scale = quantised(Q_RANK, INDEX_HEADS * D)
    half = torch.bfloat16
    hadamard = torch.ones(1, 1)
    while len(hadamard) < D:
        hadamard = torch.cat([torch.cat([hadamard, hadamard], 1), torch.cat([hadamard, -hadamard], 1)])
    weights = {
        "gamma": torch.ones(H, dtype=half), "w_dq": drawn(H, Q_RANK).to(half), "w_uq": uq, "w_uq_scale": uq_scale,
        "w_uk": drawn(HEADS, NOPE, KV_RANK).to(half), "w_dkv": drawn(H, KV_RANK).to(half),
        "w_kr": drawn(H, ROPE).to(half), "w_iq": iq, "w_iq_scale": iq_scale, "w_ik": drawn(H, D).to(half),
        "w_iw": drawn(H, INDEX_HEADS).abs().to(half), "q_gamma": torch.ones(Q_RANK, dtype=half),
        "kv_gamma": torch.ones(KV_RANK, dtype=half), "ik_gamma": torch.ones(D, dtype=half),
        "ik_beta": torch.zeros(D, dtype=half), "hadamard": (hadamard * D**-0.5).to(half),
    }  # fmt: skip
    packed = dict(zip(weights, prolog.pack(**weights), strict=True))
    return Layer(weights, packed, drawn(HEADS, KV_RANK, NOPE))


def empty_cache() -> Cache:
    """Caches without a token."""
    half = torch.bfloat16
    return Cache(
        torch.zeros(SLOTS, KV_RANK, dtype=half), torch.zeros(SLOTS, ROPE, dtype=half),
        torch.zeros(SLOTS, D, dtype=torch.int8), torch.zeros(SLOTS, 1, dtype=torch.float16),
    )  # fmt: skip


def angles(first: int, count: int) -> tuple[Any, Any]:
    """Cosines and sines of places, [count, r]."""
    frequencies = 10000 ** (-torch.arange(0, ROPE, 2) / ROPE)
    turned = torch.outer(torch.arange(first, first + count), frequencies).repeat(1, 2)
    return turned.cos().to(torch.bfloat16), turned.sin().to(torch.bfloat16)


def attend(steps: tuple[Any, Any, Any], layer: Layer, x: Any, cache: Cache, first: int) -> tuple[Any, Any]:
    """New tokens x [t, h], the first of which is number ``first``: values [t, heads, nope], and the index of the tokens
    that each attended to. The caches are updated."""
    prolog, indexer, attention = steps
    cos, sin = angles(first, len(x))
    slot = torch.arange(first, first + len(x))
    made = prolog(x=x, cos=cos, sin=sin, slot=slot, **layer.packed, **cache._asdict())
    q = (made.iq.float() * made.iq_scale.float()).to(torch.bfloat16)
    k = (cache.ik_cache.float() * cache.ik_scale.float()).to(torch.bfloat16)
    index = indexer(q=q, k=k, weights=made.weights.float(), seen=(slot + 1).to(torch.int32)).index
    queries = torch.cat([made.q_nope, made.q_rope], dim=-1)
    latent = torch.cat([cache.kv_cache, cache.kr_cache], dim=-1)
    o = attention(q=queries, latent=latent, index=index)
    return torch.einsum("thk,hkn->thn", o.float(), layer.w_uv), index


def _turned(x: Any, cos: Any, sin: Any) -> Any:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-b, a], dim=-1) * sin


def reference(layer: Layer, x: Any, index: Any = None) -> tuple[Any, Any]:
    """All tokens at once in fp32. ``index``: tokens to attend to instead of those that the reference picks."""
    w = {name: value.float() for name, value in layer.weights.items()}
    cos, sin = (one.float() for one in angles(0, len(x)))
    x = F.rms_norm(x.float(), (H,), w["gamma"], 1e-6)
    q_c = F.rms_norm(x @ w["w_dq"], (Q_RANK,), w["q_gamma"], 1e-6)
    q = (q_c @ (w["w_uq"] * w["w_uq_scale"])).view(-1, HEADS, NOPE + ROPE)
    q_rope = _turned(q[..., NOPE:], cos[:, None], sin[:, None])
    q_nope = torch.einsum("thn,hnk->thk", q[..., :NOPE], w["w_uk"])
    kv = F.rms_norm(x @ w["w_dkv"], (KV_RANK,), w["kv_gamma"], 1e-6)
    kr = _turned(x @ w["w_kr"], cos, sin)
    iq = (q_c @ (w["w_iq"] * w["w_iq_scale"])).view(-1, INDEX_HEADS, D)
    iq = torch.cat([_turned(iq[..., :ROPE], cos[:, None], sin[:, None]), iq[..., ROPE:]], dim=-1)
    ik = F.layer_norm(x @ w["w_ik"], (D,), w["ik_gamma"], w["ik_beta"], 1e-6)
    ik = torch.cat([_turned(ik[:, :ROPE], cos, sin), ik[:, ROPE:]], dim=-1)
    picks = torch.einsum("thd,sd->ths", iq, ik).relu() * (x @ w["w_iw"])[..., None]
    seen = torch.ones(len(x), len(x), dtype=torch.bool).tril()
    scores = picks.sum(1).masked_fill(~seen, -torch.inf)
    if index is None:
        best, index = scores.topk(min(SELECTED, len(x)), dim=-1)
        index = index.masked_fill(best == -torch.inf, -1)
    taken = torch.zeros_like(seen)
    for row, places in enumerate(index):
        taken[row, places[places >= 0].long()] = True
    weights = torch.einsum("thk,sk->ths", q_nope, kv) + torch.einsum("thr,sr->ths", q_rope, kr)
    weights = (weights * SCALE).masked_fill(~taken[:, None], -torch.inf).softmax(-1)
    return torch.einsum("ths,sk,hkn->thn", weights, kv, layer.w_uv), index


def compared(prompt: int = 250, steps: int = 2) -> tuple[float, float]:
    """A prompt and single tokens after it: the root mean square of the difference from the reference, as part of that
    of its values, where both attend to the same tokens; and which part of the tokens the reference picks, too."""
    three = operators()
    layer, cache = make_layer(three[0]), empty_cache()
    x = torch.randn(prompt + steps, H, generator=torch.Generator().manual_seed(5)).to(torch.bfloat16)
    parts = [attend(three, layer, x[:prompt], cache, 0)]
    parts += [attend(three, layer, x[i : i + 1], cache, i) for i in range(prompt, prompt + steps)]
    found, index = (torch.cat(one) for one in zip(*parts, strict=True))
    expected, _ = reference(layer, x, index)
    _, theirs = reference(layer, x)
    off = ((found - expected).square().mean() / expected.square().mean()).sqrt().item()
    same = sum(len(set(a.tolist()) & set(b.tolist()) - {-1}) for a, b in zip(index, theirs, strict=True))
    return off, same / int((index >= 0).sum())


if __name__ == "__main__":
    off, same = compared()
    print(f"values differ by {100 * off:.2f} % (rms); {100 * same:.1f} % of the tokens are those that fp32 picks")
