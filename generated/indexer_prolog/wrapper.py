"""indexer_prolog: the Python entry. Made by pyptogen from indexer_prolog.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class IndexerPrologOutputs(NamedTuple):
    """What ``indexer_prolog`` returns, in contract order."""

    q: npt.NDArray[Any]
    """int8[t, heads, d]"""
    q_scale: npt.NDArray[Any]
    """fp16[t, heads, 1]"""
    k_cache: npt.NDArray[Any]
    """int8[blocks, block_size, 1, d], the array given as `k_cache`"""
    k_scale_cache: npt.NDArray[Any]
    """fp16[blocks, block_size, 1, 1], the array given as `k_scale_cache`"""
    weights: npt.NDArray[Any]
    """fp16[t, heads]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def indexer_prolog(
    x: npt.NDArray[Any],
    q_norm: npt.NDArray[Any],
    q_norm_scale: npt.NDArray[Any],
    w_qb: npt.NDArray[Any] | PackedWeight,
    w_qb_scale: npt.NDArray[Any],
    w_k: npt.NDArray[Any] | PackedWeight,
    w_proj: npt.NDArray[Any] | PackedWeight,
    ln_gamma: npt.NDArray[Any],
    ln_beta: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    hadamard_q: npt.NDArray[Any],
    hadamard_k: npt.NDArray[Any],
    k_cache: npt.NDArray[Any],
    k_scale_cache: npt.NDArray[Any],
    k_index: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> IndexerPrologOutputs:
    """First half of DeepSeek-V3.2 sparse attention. Quantised index queries, quantised key cache update, head
    weights.

    Sizes: t 1 to 16384; blocks 1 to 1048576; h = 7168; q_rank = 1536; heads = 64; d = 128; r = 64;
        block_size = 128; slots = block_size * blocks.

    Args:
        x: bf16[t, h]
        q_norm: int8[t, q_rank]
        q_norm_scale: fp32[t, 1]
        w_qb: int8[q_rank, d * heads] @ nz, a logical array or one from `pyptogen.pack`
        w_qb_scale: fp32[d * heads, 1]
        w_k: bf16[h, d] @ nz, a logical array or one from `pyptogen.pack`
        w_proj: bf16[h, heads] @ nz, a logical array or one from `pyptogen.pack`
        ln_gamma: bf16[d]
        ln_beta: bf16[d]
        cos: bf16[t, r]
        sin: bf16[t, r]
        hadamard_q: bf16[d, d]
        hadamard_k: bf16[d, d]
        k_cache: int8[blocks, block_size, 1, d], updated in place
        k_scale_cache: fp16[blocks, block_size, 1, 1], updated in place
        k_index: int64[t]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        q_norm=q_norm,
        q_norm_scale=q_norm_scale,
        w_qb=w_qb,
        w_qb_scale=w_qb_scale,
        w_k=w_k,
        w_proj=w_proj,
        ln_gamma=ln_gamma,
        ln_beta=ln_beta,
        cos=cos,
        sin=sin,
        hadamard_q=hadamard_q,
        hadamard_k=hadamard_k,
        k_cache=k_cache,
        k_scale_cache=k_scale_cache,
        k_index=k_index,
        eps=eps,
        out=out,
    )
    return IndexerPrologOutputs(*results)
