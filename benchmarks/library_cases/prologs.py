"""What comes before attention in DeepSeek-V3.2, V4 and GLM-4.5, as an ordinary user composes it in PyTorch.

Weights are row-major as the contracts have them; caches are written in place. torch_indexer_prolog.py, for the script
of its own, also takes transposed weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Arrays, Case, Tensors, Work, untouched

EPS, GLM_EPS = 1e-6, 1e-5


def _rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Half-split rotary embedding: fp32 inside, bf16 out."""
    wide = x.float()
    low, high = wide.chunk(2, dim=-1)
    return (wide * cos.float() + torch.cat((-high, low), dim=-1) * sin.float()).to(torch.bfloat16)


def _update(cache: torch.Tensor, slots: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Rows of a cache, seen as one row a slot, written in place."""
    cache.view(-1, rows.shape[-1]).index_put_((slots,), rows)
    return cache


def _joined(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The first columns roped, as many as there are angles."""
    r = cos.shape[-1]
    return torch.cat((_rope(x[..., :r], cos, sin), x[..., r:]), dim=-1)


def _normed(x: torch.Tensor, gamma: torch.Tensor, eps: float = EPS) -> torch.Tensor:
    """RMS norm in fp32."""
    return F.rms_norm(x.float(), (x.shape[-1],), gamma.float(), eps)


def _levels(v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric int8 by row, and the scale of its levels."""
    largest = v.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30)
    return torch.round(v * (127 / largest)).to(torch.int8), largest * (1 / 127)


def _scaled(x: torch.Tensor, w: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    """A product of int8, in fp32 with its scales."""
    return torch._int_mm(x, w).float() * x_scale * w_scale


def _latent(t: Tensors, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The quantised latent query and its scale, the heads' queries, and the rows of both caches."""
    heads, nope = t["w_uk"].shape[:2]
    q_norm, q_scale = _levels(_normed(x @ t["w_dq"], t["q_gamma"]))
    q_b = _scaled(q_norm, t["w_uq"], q_scale, t["w_uq_scale"]).to(torch.bfloat16).view(len(x), heads, -1)
    cos, sin = t["cos"], t["sin"]
    q_rope = _rope(q_b[..., nope:], cos[:, None, :], sin[:, None, :])
    q_nope = torch.bmm(q_b[..., :nope].transpose(0, 1), t["w_uk"]).transpose(0, 1).contiguous()
    kv = _normed(x @ t["w_dkv"], t["kv_gamma"]).to(torch.bfloat16)
    return q_norm, q_scale, q_nope, q_rope, kv, _rope(x @ t["w_kr"], cos, sin)


def mla_prolog(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/mla_prolog.yaml, outputs in the order of its contract."""
    q_norm, q_scale, q_nope, q_rope, kv, kr = _latent(t, t["x"])
    return q_nope, q_rope, q_norm, q_scale, _update(t["kv_cache"], t["slot"], kv), _update(t["kr_cache"], t["slot"], kr)


def _quantise(v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    wide = v.float()
    factor = 127 / wide.abs().amax(dim=-1, keepdim=True)
    return torch.round(wide * factor).to(torch.int8), (1 / factor).to(torch.float16)


def indexer_prolog(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/indexer_prolog.yaml, outputs in the order of its contract."""
    d = t["hadamard_q"].shape[0]
    cos, sin = t["cos"], t["sin"]
    q_f = _scaled(t["q_norm"], t["w_qb"], t["q_norm_scale"], t["w_qb_scale"].view(1, -1))
    q_b = q_f.to(torch.bfloat16).view(q_f.shape[0], -1, d)
    q, q_scale = _quantise(_joined(q_b, cos[:, None, :], sin[:, None, :]) @ t["hadamard_q"])
    k = F.layer_norm((t["x"] @ t["w_k"]).float(), (d,), t["ln_gamma"].float(), t["ln_beta"].float(), EPS)
    k_q, k_s = _quantise(_joined(k.to(torch.bfloat16), cos, sin) @ t["hadamard_k"])
    caches = _update(t["k_cache"], t["k_index"], k_q), _update(t["k_scale_cache"], t["k_index"], k_s)
    return q, q_scale, *caches, _head_weights(t["x"] @ t["w_proj"], d)


def _head_weights(product: torch.Tensor, d: int) -> torch.Tensor:
    return (product.float() * (product.shape[-1] ** -0.5 * d**-0.5)).to(torch.float16)


def indexer_prolog_v4(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/indexer_prolog_v4.yaml: the last columns are roped; a row of zeros has the scale 0."""
    d, r = t["hadamard"].shape[0], t["cos"].shape[-1]
    q_f = _scaled(t["q_norm"], t["w_qb"], t["q_norm_scale"], t["w_qb_scale"].view(1, -1))
    q_b = q_f.to(torch.bfloat16).view(q_f.shape[0], -1, d)
    roped = _rope(q_b[..., d - r :], t["cos"][:, None, :], t["sin"][:, None, :])
    wide = (torch.cat((q_b[..., : d - r], roped), dim=-1) @ t["hadamard"]).float()
    factor = 127 / wide.abs().amax(dim=-1, keepdim=True).clamp_min(1e-35)
    q, q_scale = torch.round(wide * factor).to(torch.int8), (1 / factor).to(torch.float16)
    return q, q_scale, _head_weights(t["x"] @ t["w_proj"], d)


def mla_indexer_prolog(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/mla_indexer_prolog.yaml, outputs in the order of its contract."""
    x, d = _normed(t["x"], t["gamma"]).to(torch.bfloat16), t["hadamard"].shape[0]
    q_norm, q_scale, q_nope, q_rope, kv, kr = _latent(t, x)
    cos, sin, slot = t["cos"], t["sin"], t["slot"]
    iq_b = _scaled(q_norm, t["w_iq"], q_scale, t["w_iq_scale"]).to(torch.bfloat16).view(len(x), -1, d)
    iq, iq_scale = _quantise(_joined(iq_b, cos[:, None, :], sin[:, None, :]) @ t["hadamard"])
    ik = F.layer_norm((x @ t["w_ik"]).float(), (d,), t["ik_gamma"].float(), t["ik_beta"].float(), EPS)
    ik_q, ik_s = _quantise(_joined(ik.to(torch.bfloat16), cos, sin) @ t["hadamard"])
    rows = {"kv_cache": kv, "kr_cache": kr, "ik_cache": ik_q, "ik_scale": ik_s}
    caches = (_update(t[name], slot, new) for name, new in rows.items())
    return q_nope, q_rope, iq, iq_scale, _head_weights(x @ t["w_iw"], d), *caches


def glm_attention_pre(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/glm_attention_pre.yaml, outputs in the order of its contract."""
    total = t["x"].float() + t["residual"].float()
    n_q, n_scale = _levels(_normed(total, t["gamma"], GLM_EPS))
    cos, sin, d = t["cos"], t["sin"], t["q_gamma"].shape[0]
    q_f = (_scaled(n_q, t["w_q"], n_scale, t["q_scale"]) + t["q_bias"]).view(len(total), -1, d)
    q_n = _normed(q_f, t["q_gamma"], GLM_EPS).to(torch.bfloat16)
    k_f = _scaled(n_q, t["w_k"], n_scale, t["k_scale"]) + t["k_bias"]
    k = _joined(_normed(k_f, t["k_gamma"], GLM_EPS).to(torch.bfloat16), cos, sin)
    v = (_scaled(n_q, t["w_v"], n_scale, t["v_scale"]) + t["v_bias"]).to(torch.bfloat16)
    caches = _update(t["k_cache"], t["slot"], k), _update(t["v_cache"], t["slot"], v)
    return _joined(q_n, cos[:, None, :], sin[:, None, :]), total.to(torch.bfloat16), *caches


def _all_kept(arrays: Arrays, rng: np.random.Generator) -> None:
    """Every token has a slot: PyTorch takes -1 for the last one."""
    slot = arrays["slot"]
    slot[...] = rng.permutation(len(arrays["kv_cache"]))[: len(slot)]


def _of_tokens(products: int) -> Work:
    """Operations of so many multiply-adds a token."""
    return lambda d: 2.0 * products * d["t"]


def _prolog(
    name: str, torch_form: Callable[[Tensors], Any], tokens: Sequence[int], products: Mapping[str, int], **more: Any
) -> tuple[Case, ...]:
    """A case for each number of tokens. ``products``: multiply-adds of a token, by element type."""
    dims, inputs = more.get("dims", {}), more.get("inputs", untouched)
    operations = {dtype: _of_tokens(number) for dtype, number in products.items()}
    return tuple(
        Case(
            f"{name} t={t}",
            f"{name}.yaml",
            {"t": t, **dims},
            torch_form,
            operations=operations,
            inputs=inputs,
            apart=0.03,
        )
        for t in tokens
    )


_MLA = {"bf16": 7168 * (1536 + 512 + 64) + 32 * 128 * 512, "int8": 1536 * 32 * (128 + 64)}
_INDEXER = {"bf16": 7168 * (128 + 64) + (64 + 1) * 128 * 128, "int8": 1536 * 64 * 128}
_INDEXER_V4 = {"bf16": 4096 * 64 + 64 * 128 * 128, "int8": 1024 * 64 * 128}
_BOTH = {dtype: _MLA[dtype] + _INDEXER[dtype] for dtype in _MLA}

PROLOGS = (
    *_prolog("mla_prolog", mla_prolog, (1, 8, 128), _MLA, dims={"slots": 4096}),
    *_prolog("indexer_prolog", indexer_prolog, (1, 8, 128), _INDEXER, dims={"blocks": 32}),
    *_prolog("indexer_prolog_v4", indexer_prolog_v4, (8, 128), _INDEXER_V4),
    *_prolog("mla_indexer_prolog", mla_indexer_prolog, (8, 128), _BOTH, dims={"slots": 4096}, inputs=_all_kept),
    *_prolog("glm_attention_pre", glm_attention_pre, (8, 128), {"int8": 5120 * 14 * 128}, dims={"slots": 4096}),
)
