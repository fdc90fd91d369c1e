"""indexer_prolog_v4: the Python entry. Made by pyptogen from indexer_prolog_v4.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class IndexerPrologV4Outputs(NamedTuple):
    """What ``indexer_prolog_v4`` returns, in contract order."""

    q: npt.NDArray[Any]
    """int8[t, heads, d]"""
    q_scale: npt.NDArray[Any]
    """fp16[t, heads, 1]"""
    weights: npt.NDArray[Any]
    """fp16[t, heads]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def indexer_prolog_v4(
    x: npt.NDArray[Any],
    q_norm: npt.NDArray[Any],
    q_norm_scale: npt.NDArray[Any],
    w_qb: npt.NDArray[Any] | PackedWeight,
    w_qb_scale: npt.NDArray[Any],
    w_proj: npt.NDArray[Any] | PackedWeight,
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    hadamard: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> IndexerPrologV4Outputs:
    """What comes before the lightning indexer (DeepSeek-AI, "DeepSeek-V4"). Quantised index queries, whose last
    columns are roped, and head weights; keys come from the compressor, so no cache is written here.
    Rotary columns are expected in half-split order.

    Sizes: t 1 to 65536; h = 4096; q_rank = 1024; heads = 64; nope = 64; r = 64; d = 128.

    Args:
        x: bf16[t, h]
        q_norm: int8[t, q_rank]
        q_norm_scale: fp32[t, 1]
        w_qb: int8[q_rank, d * heads] @ nz, a logical array or one from `pyptogen.pack`
        w_qb_scale: fp32[d * heads, 1]
        w_proj: bf16[h, heads] @ nz, a logical array or one from `pyptogen.pack`
        cos: bf16[t, r]
        sin: bf16[t, r]
        hadamard: bf16[d, d]
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
        w_proj=w_proj,
        cos=cos,
        sin=sin,
        hadamard=hadamard,
        out=out,
    )
    return IndexerPrologV4Outputs(*results)
