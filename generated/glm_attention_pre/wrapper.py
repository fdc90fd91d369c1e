"""glm_attention_pre: the Python entry. Made by pyptogen from glm_attention_pre.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GlmAttentionPreOutputs(NamedTuple):
    """What ``glm_attention_pre`` returns, in contract order."""

    q: npt.NDArray[Any]
    """bf16[t, heads, d]"""
    sum: npt.NDArray[Any]
    """bf16[t, h]"""
    k_cache: npt.NDArray[Any]
    """bf16[slots, d], the array given as `k_cache`"""
    v_cache: npt.NDArray[Any]
    """bf16[slots, d], the array given as `v_cache`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def glm_attention_pre(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    w_q: npt.NDArray[Any] | PackedWeight,
    w_k: npt.NDArray[Any] | PackedWeight,
    w_v: npt.NDArray[Any] | PackedWeight,
    q_scale: npt.NDArray[Any],
    k_scale: npt.NDArray[Any],
    v_scale: npt.NDArray[Any],
    q_bias: npt.NDArray[Any],
    k_bias: npt.NDArray[Any],
    v_bias: npt.NDArray[Any],
    q_gamma: npt.NDArray[Any],
    k_gamma: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    k_cache: npt.NDArray[Any],
    v_cache: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    *,
    eps: float = 1e-05,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GlmAttentionPreOutputs:
    """What comes before attention in a layer of GLM-4.5 (Zeng et al., "GLM-4.5"), one of eight tensor-parallel
    parts. Residual sum, RMS norm, W8A8 projection to query, key and value with bias, norm of each head of
    query and key, rotary embedding of the first half of each head, update of the key and value caches.

    Sizes: t 1 to 65536; slots 1 to 16777216; h = 5120; heads = 12; d = 128; r = 64.

    Args:
        x: bf16[t, h]
        residual: bf16[t, h]
        gamma: bf16[h]
        w_q: int8[h, d * heads] @ nz, a logical array or one from `pyptogen.pack`
        w_k: int8[h, d] @ nz, a logical array or one from `pyptogen.pack`
        w_v: int8[h, d] @ nz, a logical array or one from `pyptogen.pack`
        q_scale: fp32[d * heads]
        k_scale: fp32[d]
        v_scale: fp32[d]
        q_bias: fp32[d * heads]
        k_bias: fp32[d]
        v_bias: fp32[d]
        q_gamma: bf16[d]
        k_gamma: bf16[d]
        cos: bf16[t, r]
        sin: bf16[t, r]
        k_cache: bf16[slots, d], updated in place
        v_cache: bf16[slots, d], updated in place
        slot: int64[t]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        residual=residual,
        gamma=gamma,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        q_scale=q_scale,
        k_scale=k_scale,
        v_scale=v_scale,
        q_bias=q_bias,
        k_bias=k_bias,
        v_bias=v_bias,
        q_gamma=q_gamma,
        k_gamma=k_gamma,
        cos=cos,
        sin=sin,
        k_cache=k_cache,
        v_cache=v_cache,
        slot=slot,
        eps=eps,
        out=out,
    )
    return GlmAttentionPreOutputs(*results)
