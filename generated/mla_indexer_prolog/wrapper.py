"""mla_indexer_prolog: the Python entry. Made by pyptogen from mla_indexer_prolog.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MlaIndexerPrologOutputs(NamedTuple):
    """What ``mla_indexer_prolog`` returns, in contract order."""

    q_nope: npt.NDArray[Any]
    """bf16[t, heads, kv_rank]"""
    q_rope: npt.NDArray[Any]
    """bf16[t, heads, r]"""
    iq: npt.NDArray[Any]
    """int8[t, index_heads, d]"""
    iq_scale: npt.NDArray[Any]
    """fp16[t, index_heads, 1]"""
    weights: npt.NDArray[Any]
    """fp16[t, index_heads]"""
    kv_cache: npt.NDArray[Any]
    """bf16[slots, kv_rank], the array given as `kv_cache`"""
    kr_cache: npt.NDArray[Any]
    """bf16[slots, r], the array given as `kr_cache`"""
    ik_cache: npt.NDArray[Any]
    """int8[slots, d], the array given as `ik_cache`"""
    ik_scale: npt.NDArray[Any]
    """fp16[slots, 1], the array given as `ik_scale`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def mla_indexer_prolog(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    w_dq: npt.NDArray[Any] | PackedWeight,
    w_uq: npt.NDArray[Any] | PackedWeight,
    w_uq_scale: npt.NDArray[Any],
    w_uk: npt.NDArray[Any] | PackedWeight,
    w_dkv: npt.NDArray[Any] | PackedWeight,
    w_kr: npt.NDArray[Any] | PackedWeight,
    w_iq: npt.NDArray[Any] | PackedWeight,
    w_iq_scale: npt.NDArray[Any],
    w_ik: npt.NDArray[Any] | PackedWeight,
    w_iw: npt.NDArray[Any] | PackedWeight,
    q_gamma: npt.NDArray[Any],
    kv_gamma: npt.NDArray[Any],
    ik_gamma: npt.NDArray[Any],
    ik_beta: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    hadamard: npt.NDArray[Any],
    kv_cache: npt.NDArray[Any],
    kr_cache: npt.NDArray[Any],
    ik_cache: npt.NDArray[Any],
    ik_scale: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MlaIndexerPrologOutputs:
    """All that comes before sparse attention in a layer (DeepSeek-AI, "DeepSeek-V3.2"), one of four tensor-
    parallel parts of the latent attention and the whole lightning indexer, in one graph. The hidden state
    is normalised once; the latent query, quantised once, feeds the heads of both. Rotary columns are
    expected in half-split order.

    Sizes: t 1 to 16384; slots 1 to 16777216; h = 7168; q_rank = 1536; kv_rank = 512; heads = 32; nope = 128;
        r = 64; index_heads = 64; d = 128.

    Args:
        x: bf16[t, h]
        gamma: bf16[h]
        w_dq: bf16[h, q_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_uq: int8[q_rank, heads * (nope + r)] @ nz, a logical array or one from `pyptogen.pack`
        w_uq_scale: fp32[heads * (nope + r)]
        w_uk: bf16[heads, nope, kv_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_dkv: bf16[h, kv_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_kr: bf16[h, r] @ nz, a logical array or one from `pyptogen.pack`
        w_iq: int8[q_rank, d * index_heads] @ nz, a logical array or one from `pyptogen.pack`
        w_iq_scale: fp32[d * index_heads]
        w_ik: bf16[h, d] @ nz, a logical array or one from `pyptogen.pack`
        w_iw: bf16[h, index_heads] @ nz, a logical array or one from `pyptogen.pack`
        q_gamma: bf16[q_rank]
        kv_gamma: bf16[kv_rank]
        ik_gamma: bf16[d]
        ik_beta: bf16[d]
        cos: bf16[t, r]
        sin: bf16[t, r]
        hadamard: bf16[d, d]
        kv_cache: bf16[slots, kv_rank], updated in place
        kr_cache: bf16[slots, r], updated in place
        ik_cache: int8[slots, d], updated in place
        ik_scale: fp16[slots, 1], updated in place
        slot: int64[t]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        gamma=gamma,
        w_dq=w_dq,
        w_uq=w_uq,
        w_uq_scale=w_uq_scale,
        w_uk=w_uk,
        w_dkv=w_dkv,
        w_kr=w_kr,
        w_iq=w_iq,
        w_iq_scale=w_iq_scale,
        w_ik=w_ik,
        w_iw=w_iw,
        q_gamma=q_gamma,
        kv_gamma=kv_gamma,
        ik_gamma=ik_gamma,
        ik_beta=ik_beta,
        cos=cos,
        sin=sin,
        hadamard=hadamard,
        kv_cache=kv_cache,
        kr_cache=kr_cache,
        ik_cache=ik_cache,
        ik_scale=ik_scale,
        slot=slot,
        eps=eps,
        out=out,
    )
    return MlaIndexerPrologOutputs(*results)
