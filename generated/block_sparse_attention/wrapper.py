"""block_sparse_attention: the Python entry. Made by pyptogen from block_sparse_attention.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class BlockSparseAttentionOutputs(NamedTuple):
    """What ``block_sparse_attention`` returns, in contract order."""

    o: npt.NDArray[Any]
    """bf16[heads, q_blocks, size, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def block_sparse_attention(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    seen: npt.NDArray[Any],
    *,
    scale: float = 0.08838834764831845,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> BlockSparseAttentionOutputs:
    """Attention over the blocks of keys that a mask lets each block of queries see (as in MoBA and the selection
    of Native Sparse Attention). Rounds whose block is hidden are left out; the mask may hide all blocks
    of no query.

    Sizes: q_blocks 1 to 4096; kv_blocks 1 to 4096; heads = 8; size = 64; d = 128.

    Args:
        q: bf16[heads, q_blocks, size, d]
        k: bf16[heads, kv_blocks, size, d]
        v: bf16[heads, kv_blocks, size, d]
        seen: int32[heads, q_blocks, kv_blocks]
        scale: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k=k,
        v=v,
        seen=seen,
        scale=scale,
        out=out,
    )
    return BlockSparseAttentionOutputs(*results)
