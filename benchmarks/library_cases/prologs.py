"""The prologs of DeepSeek-V3.2 as an ordinary user composes them in PyTorch: peers of library.py.

Weights are row-major as the contracts have them; caches are written in place. torch_indexer_prolog.py, for the script
of its own, also takes transposed weights.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

Tensors = Mapping[str, torch.Tensor]
EPS = 1e-6


def _rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Half-split rotary embedding: fp32 inside, bf16 out."""
    wide = x.float()
    low, high = wide.chunk(2, dim=-1)
    return (wide * cos.float() + torch.cat((-high, low), dim=-1) * sin.float()).to(torch.bfloat16)


def _update(cache: torch.Tensor, slots: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Rows of a cache, seen as one row a slot, written in place."""
    cache.view(-1, rows.shape[-1]).index_put_((slots,), rows)
    return cache


def mla_prolog(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/mla_prolog.yaml, outputs in the order of its contract."""
    heads, nope = t["w_uk"].shape[:2]
    q_c = (t["x"] @ t["w_dq"]).float()
    q = F.rms_norm(q_c, (q_c.shape[-1],), t["q_gamma"].float(), EPS)
    largest = q.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30)
    q_norm, q_scale = torch.round(q * (127 / largest)).to(torch.int8), largest * (1 / 127)
    up = torch._int_mm(q_norm, t["w_uq"]).float() * q_scale * t["w_uq_scale"]
    q_b = up.to(torch.bfloat16).view(up.shape[0], heads, -1)
    cos, sin = t["cos"], t["sin"]
    q_rope = _rope(q_b[..., nope:], cos[:, None, :], sin[:, None, :])
    q_nope = torch.bmm(q_b[..., :nope].transpose(0, 1), t["w_uk"]).transpose(0, 1).contiguous()
    kv_f = (t["x"] @ t["w_dkv"]).float()
    kv = F.rms_norm(kv_f, (kv_f.shape[-1],), t["kv_gamma"].float(), EPS).to(torch.bfloat16)
    kr = _rope(t["x"] @ t["w_kr"], cos, sin)
    return q_nope, q_rope, q_norm, q_scale, _update(t["kv_cache"], t["slot"], kv), _update(t["kr_cache"], t["slot"], kr)


def _quantise(v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    wide = v.float()
    factor = 127 / wide.abs().amax(dim=-1, keepdim=True)
    return torch.round(wide * factor).to(torch.int8), (1 / factor).to(torch.float16)


def indexer_prolog(t: Tensors) -> tuple[torch.Tensor, ...]:
    """specs/indexer_prolog.yaml, outputs in the order of its contract."""
    d, r = t["hadamard_q"].shape[0], t["cos"].shape[-1]
    cos, sin = t["cos"], t["sin"]
    q_f = torch._int_mm(t["q_norm"], t["w_qb"]).float() * t["q_norm_scale"] * t["w_qb_scale"].view(1, -1)
    q_b = q_f.to(torch.bfloat16).view(q_f.shape[0], -1, d)
    q_cat = torch.cat((_rope(q_b[..., :r], cos[:, None, :], sin[:, None, :]), q_b[..., r:]), dim=-1)
    q, q_scale = _quantise(q_cat @ t["hadamard_q"])
    k = F.layer_norm((t["x"] @ t["w_k"]).float(), (d,), t["ln_gamma"].float(), t["ln_beta"].float(), EPS)
    k_b = k.to(torch.bfloat16)
    k_cat = torch.cat((_rope(k_b[..., :r], cos, sin), k_b[..., r:]), dim=-1)
    k_q, k_s = _quantise(k_cat @ t["hadamard_k"])
    caches = _update(t["k_cache"], t["k_index"], k_q), _update(t["k_scale_cache"], t["k_index"], k_s)
    heads = q_b.shape[1]
    weights = ((t["x"] @ t["w_proj"]).float() * (heads**-0.5 * d**-0.5)).to(torch.float16)
    return q, q_scale, *caches, weights
