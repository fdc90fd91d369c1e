"""mla_prolog: the Python entry. Made by pyptogen from mla_prolog.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MlaPrologOutputs(NamedTuple):
    """What ``mla_prolog`` returns, in contract order."""

    q_nope: npt.NDArray[Any]
    """bf16[t, heads, kv_rank]"""
    q_rope: npt.NDArray[Any]
    """bf16[t, heads, r]"""
    q_norm: npt.NDArray[Any]
    """int8[t, q_rank]"""
    q_norm_scale: npt.NDArray[Any]
    """fp32[t, 1]"""
    kv_cache: npt.NDArray[Any]
    """bf16[slots, kv_rank], the array given as `kv_cache`"""
    kr_cache: npt.NDArray[Any]
    """bf16[slots, r], the array given as `kr_cache`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def mla_prolog(
    x: npt.NDArray[Any],
    w_dq: npt.NDArray[Any] | PackedWeight,
    w_uq: npt.NDArray[Any] | PackedWeight,
    w_uq_scale: npt.NDArray[Any],
    w_uk: npt.NDArray[Any] | PackedWeight,
    w_dkv: npt.NDArray[Any] | PackedWeight,
    w_kr: npt.NDArray[Any] | PackedWeight,
    q_gamma: npt.NDArray[Any],
    kv_gamma: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    kv_cache: npt.NDArray[Any],
    kr_cache: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MlaPrologOutputs:
    """What comes before multi-head latent attention (DeepSeek-AI, "DeepSeek-V2" and "DeepSeek-V3.2"), one of
    four tensor-parallel parts. Query by way of its latent vector, which is quantised by token and
    returned for the indexer; absorption of the key projection; update of the latent cache and of the
    rotary key cache. Rotary columns are expected in half-split order.

    Sizes: t 1 to 65536; slots 1 to 16777216; h = 7168; q_rank = 1536; kv_rank = 512; heads = 32; nope = 128;
        r = 64.

    Args:
        x: bf16[t, h]
        w_dq: bf16[h, q_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_uq: int8[q_rank, heads * (nope + r)] @ nz, a logical array or one from `pyptogen.pack`
        w_uq_scale: fp32[heads * (nope + r)]
        w_uk: bf16[heads, nope, kv_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_dkv: bf16[h, kv_rank] @ nz, a logical array or one from `pyptogen.pack`
        w_kr: bf16[h, r] @ nz, a logical array or one from `pyptogen.pack`
        q_gamma: bf16[q_rank]
        kv_gamma: bf16[kv_rank]
        cos: bf16[t, r]
        sin: bf16[t, r]
        kv_cache: bf16[slots, kv_rank], updated in place
        kr_cache: bf16[slots, r], updated in place
        slot: int64[t]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w_dq=w_dq,
        w_uq=w_uq,
        w_uq_scale=w_uq_scale,
        w_uk=w_uk,
        w_dkv=w_dkv,
        w_kr=w_kr,
        q_gamma=q_gamma,
        kv_gamma=kv_gamma,
        cos=cos,
        sin=sin,
        kv_cache=kv_cache,
        kr_cache=kr_cache,
        slot=slot,
        eps=eps,
        out=out,
    )
    return MlaPrologOutputs(*results)
