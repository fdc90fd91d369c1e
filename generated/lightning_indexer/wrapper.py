"""lightning_indexer: the Python entry. Made by pyptogen from lightning_indexer.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LightningIndexerOutputs(NamedTuple):
    """What ``lightning_indexer`` returns, in contract order."""

    index: npt.NDArray[Any]
    """int32[t, 2048]"""
    score: npt.NDArray[Any]
    """fp32[t, 2048]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def lightning_indexer(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    seen: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LightningIndexerOutputs:
    """Which keys each query attends to in DeepSeek-V3.2 sparse attention. Score of a key is the weighted sum
    over indexer heads of relu(q k^T); the best ones that a query sees are selected, as `sparse_attention`
    takes them. Among equal scores the first key comes first.

    Sizes: t 1 to 16384; kv 2048 to 131072; heads = 64; d = 128; selected = 2048.

    Args:
        q: bf16[t, heads, d]
        k: bf16[kv, d]
        weights: fp32[t, heads]
        seen: int32[t]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k=k,
        weights=weights,
        seen=seen,
        out=out,
    )
    return LightningIndexerOutputs(*results)
