"""Operators of whole models by hand, in float64 from their papers; nothing here comes through the tool.

Where an operator rounds on its way (int8 activations, bf16 between stages), the golden rounds at the same place,
which is part of its contract.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from library.goldens import Array, Arrays, bf16, wide


def quantise(v: Array) -> tuple[Array, Array]:
    """Symmetric int8 by row: levels, and their scale. In fp32, as the contract says: bf16 rows meet exact ties."""
    v = v.astype(np.float32)
    largest = np.maximum(np.abs(v).max(axis=-1, keepdims=True), np.float32(1e-30))
    return wide(np.rint(v * (np.float32(127) / largest))), wide(largest) / 127


def rms_norm(v: Array, gamma: Array, eps: float) -> Array:
    return v / np.sqrt((v**2).mean(axis=-1, keepdims=True) + eps) * gamma


def rope(v: Array, cos: Array, sin: Array) -> Array:
    half = v.shape[-1] // 2
    return v * cos + np.concatenate([-v[..., half:], v[..., :half]], axis=-1) * sin


def partly_roped(v: Array, cos: Array, sin: Array) -> Array:
    """The first columns of each bf16 row turned, as many as ``cos`` has."""
    width = cos.shape[-1]
    return np.concatenate([bf16(rope(wide(v[..., :width]), cos, sin)), v[..., width:]], axis=-1)


def updated(cache: Array, slot: Array, rows: Array) -> Array:
    """The cache with ``rows`` at their slots; a slot of -1 is skipped."""
    result = cache.copy()
    result[slot[slot >= 0]] = rows[slot >= 0]
    return result


def glm_shared_expert(a: Arrays) -> dict[str, Array]:
    x_q, x_scale = quantise(wide(a["x"]))
    gate = (x_q @ wide(a["w_gate"])) * x_scale * wide(a["w_gate_scale"])
    up = (x_q @ wide(a["w_up"])) * x_scale * wide(a["w_up_scale"])
    a_q, a_scale = quantise(gate / (1 + np.exp(-gate)) * up)
    return {"y": bf16((a_q @ wide(a["w_down"])) * a_scale * wide(a["w_down_scale"]))}


def glm_attention_pre(a: Arrays, eps: float = 1e-5) -> dict[str, Any]:
    total = wide(a["x"]) + wide(a["residual"])
    x_q, x_scale = quantise(rms_norm(total, wide(a["gamma"]), eps))

    def linear(part: str) -> Array:
        product = (x_q @ wide(a[f"w_{part}"])) * x_scale
        return product * wide(a[f"{part}_scale"]) + wide(a[f"{part}_bias"])

    t, d = len(total), a["q_gamma"].shape[0]
    cos, sin = wide(a["cos"]), wide(a["sin"])
    q = bf16(rms_norm(linear("q").reshape(t, -1, d), wide(a["q_gamma"]), eps))
    k = bf16(rms_norm(linear("k"), wide(a["k_gamma"]), eps))
    return {
        "q": partly_roped(q, cos[:, None, :], sin[:, None, :]).astype(ml_dtypes.bfloat16),
        "sum": bf16(total),
        "k_cache": updated(a["k_cache"], a["slot"], partly_roped(k, cos, sin)),
        "v_cache": updated(a["v_cache"], a["slot"], bf16(linear("v"))),
    }


def mla_prolog(a: Arrays, eps: float = 1e-6) -> dict[str, Any]:
    x = wide(a["x"])
    q_norm, q_scale = quantise(rms_norm(x @ wide(a["w_dq"]), wide(a["q_gamma"]), eps))
    heads, nope, _ = a["w_uk"].shape
    q = bf16((q_norm @ wide(a["w_uq"])) * q_scale * wide(a["w_uq_scale"])).reshape(len(x), heads, -1)
    cos, sin = wide(a["cos"]), wide(a["sin"])
    kv = bf16(rms_norm(x @ wide(a["w_dkv"]), wide(a["kv_gamma"]), eps))
    kr = bf16(rope(wide(bf16(x @ wide(a["w_kr"]))), cos, sin))
    return {
        "q_nope": bf16(np.einsum("thn,hnc->thc", wide(q[:, :, :nope]), wide(a["w_uk"]))),
        "q_rope": bf16(rope(wide(q[:, :, nope:]), cos[:, None, :], sin[:, None, :])),
        "q_norm": q_norm.astype(np.int8),
        "q_norm_scale": q_scale.astype(np.float32),
        "kv_cache": updated(a["kv_cache"], a["slot"], kv),
        "kr_cache": updated(a["kr_cache"], a["slot"], kr),
    }
