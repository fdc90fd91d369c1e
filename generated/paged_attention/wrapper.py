"""paged_attention: the Python entry. Made by pyptogen from paged_attention.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class PagedAttentionOutputs(NamedTuple):
    """What ``paged_attention`` returns, in contract order."""

    o: npt.NDArray[Any]
    """bf16[batch, kv_heads, group, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def paged_attention(
    q: npt.NDArray[Any],
    k_cache: npt.NDArray[Any],
    v_cache: npt.NDArray[Any],
    block_table: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> PagedAttentionOutputs:
    """Decode attention over a cache in pages (Kwon et al., "Efficient Memory Management for Large Language Model
    Serving with PagedAttention"). Each sequence has a row of the block table, one new token, and a length
    of its own. Pages are read where they lie; those behind a sequence are left out.

    Sizes: batch 1 to 1024; pages 1 to 4096; blocks 1 to 1048576; block_size = 32; slots = block_size * pages;
        kv_heads = 2; group = 16; d = 128.

    Args:
        q: bf16[batch, kv_heads, group, d]
        k_cache: bf16[blocks, block_size, kv_heads, d]
        v_cache: bf16[blocks, block_size, kv_heads, d]
        block_table: int32[batch, pages]
        lengths: int32[batch]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k_cache=k_cache,
        v_cache=v_cache,
        block_table=block_table,
        lengths=lengths,
        out=out,
    )
    return PagedAttentionOutputs(*results)
