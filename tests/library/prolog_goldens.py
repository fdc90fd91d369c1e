"""What comes before sparse attention by hand, in float64, with every rounding that the contract has; nothing here comes
through the tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from library.goldens import Array, Arrays, bf16, wide
from library.model_goldens import mla_prolog, quantise, rms_norm, rope, updated


def index_levels(v: Array) -> tuple[Array, Array]:
    """int8 levels of bf16 rows, and their scale in fp16; a row of zeros has scale 0."""
    v = v.astype(np.float32)
    largest = np.abs(v).max(axis=-1, keepdims=True)
    factor = np.float32(127) / np.where(largest > 0, largest, np.float32(1))
    scale = np.where(largest > 0, 1 / wide(factor), 0).astype(np.float16)
    return np.rint(v * factor).astype(np.int8), scale


def layer_norm(v: Array, gamma: Array, beta: Array, eps: float) -> Array:
    centred = v - v.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * gamma + beta


def index_query(levels: Array, scale: Array, weight: Array, weight_scale: Array, d: int) -> Array:
    """Quantised latent queries to bf16 heads [t, heads, d]."""
    product = (levels @ wide(weight)).astype(np.float32)
    return bf16(product * scale.astype(np.float32) * weight_scale.reshape(1, -1)).reshape(len(levels), -1, d)


def head_weights(product: Array, heads: int, d: int) -> Array:
    return (product * heads**-0.5 * d**-0.5).astype(np.float16)


def indexer_prolog_v4(a: Arrays) -> dict[str, Array]:
    d, r = a["hadamard"].shape[0], a["cos"].shape[1]
    q = wide(index_query(wide(a["q_norm"]), a["q_norm_scale"], a["w_qb"], a["w_qb_scale"], d))
    turned = wide(bf16(rope(q[..., -r:], wide(a["cos"])[:, None], wide(a["sin"])[:, None])))
    levels, scale = index_levels(bf16(np.concatenate([q[..., :-r], turned], axis=-1) @ wide(a["hadamard"])))
    product = wide(bf16(wide(a["x"]) @ wide(a["w_proj"])))
    return {"q": levels, "q_scale": scale, "weights": head_weights(product, q.shape[1], d)}


def mla_indexer_prolog(a: Arrays, eps: float = 1e-6) -> dict[str, Any]:
    x = bf16(rms_norm(wide(a["x"]), wide(a["gamma"]), eps))
    latent = mla_prolog({**a, "x": x}, eps)
    q_levels, q_scale = quantise(rms_norm(wide(x) @ wide(a["w_dq"]), wide(a["q_gamma"]), eps))
    d, r = a["hadamard"].shape[0], a["cos"].shape[1]
    cos, sin, hadamard = wide(a["cos"]), wide(a["sin"]), wide(a["hadamard"])

    def first_roped(v: Array, cos: Array, sin: Array) -> Array:
        v = wide(bf16(v))
        return np.concatenate([wide(bf16(rope(v[..., :r], cos, sin))), v[..., r:]], axis=-1)

    q = index_query(q_levels, q_scale, a["w_iq"], a["w_iq_scale"], d)
    iq, iq_scale = index_levels(bf16(first_roped(q, cos[:, None], sin[:, None]) @ hadamard))
    k = layer_norm(wide(x) @ wide(a["w_ik"]), wide(a["ik_gamma"]), wide(a["ik_beta"]), eps)
    ik, ik_scale = index_levels(bf16(first_roped(k, cos, sin) @ hadamard))
    return {
        **{name: latent[name] for name in ("q_nope", "q_rope", "kv_cache", "kr_cache")},
        "iq": iq,
        "iq_scale": iq_scale,
        "weights": head_weights(wide(x) @ wide(a["w_iw"]), q.shape[1], d),
        "ik_cache": updated(a["ik_cache"], a["slot"], ik),
        "ik_scale": updated(a["ik_scale"], a["slot"], ik_scale),
    }
