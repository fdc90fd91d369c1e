"""sparse_attention: the Python entry. Made by pyptogen from sparse_attention.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class SparseAttentionOutputs(NamedTuple):
    """What ``sparse_attention`` returns, in contract order."""

    o: npt.NDArray[Any]
    """bf16[t, heads, rank]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def sparse_attention(
    q: npt.NDArray[Any],
    latent: npt.NDArray[Any],
    index: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> SparseAttentionOutputs:
    """Sparse attention (DeepSeek-AI, "DeepSeek-V3.2"). Each query attends to the tokens that the lightning
    indexer selected for it; all heads share one compressed key, whose first columns are also the value
    (multi-head latent attention with absorbed weights).

    Sizes: t 1 to 16384; kv 1 to 1048576; heads = 16; selected = 2048; rank = 512; rope_d = 64; width = 576.

    Args:
        q: bf16[t, heads, width]
        latent: bf16[kv, width]
        index: int32[t, selected]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        latent=latent,
        index=index,
        out=out,
    )
    return SparseAttentionOutputs(*results)
