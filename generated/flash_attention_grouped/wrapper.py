"""flash_attention_grouped: the Python entry. Made by pyptogen from flash_attention_grouped.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class FlashAttentionGroupedOutputs(NamedTuple):
    """What ``flash_attention_grouped`` returns, in contract order."""

    o: npt.NDArray[Any]
    """fp16[kv_heads, group, sq, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def flash_attention_grouped(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> FlashAttentionGroupedOutputs:
    """Causal attention where a group of query heads shares one head of keys and values (Ainslie et al., "GQA"),
    for a prompt that continues a cache.

    Sizes: kv_heads = 2; group = 4; sq 1 to 65536; kv 1 to 65536; d = 64.

    Args:
        q: fp16[kv_heads, group, sq, d]
        k: fp16[kv_heads, kv, d]
        v: fp16[kv_heads, kv, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k=k,
        v=v,
        out=out,
    )
    return FlashAttentionGroupedOutputs(*results)
