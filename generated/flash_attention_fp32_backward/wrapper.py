"""flash_attention_fp32_backward: the Python entry. Made by pyptogen from flash_attention_fp32_backward.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class FlashAttentionFp32BackwardOutputs(NamedTuple):
    """What ``flash_attention_fp32_backward`` returns, in contract order."""

    d_q: npt.NDArray[Any]
    """fp32[heads, sq, d]"""
    d_k: npt.NDArray[Any]
    """fp32[heads, kv, d]"""
    d_v: npt.NDArray[Any]
    """fp32[heads, kv, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def flash_attention_fp32_backward(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    o: npt.NDArray[Any],
    d_o: npt.NDArray[Any],
    *,
    scale: float = 0.08838834764831845,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> FlashAttentionFp32BackwardOutputs:
    """Gradients of flash_attention_fp32. The weights are computed again, and lie in memory whole.

    Sizes: heads = 8; sq 1 to 4096; kv 1 to 4096; d = 128.

    Args:
        q: fp32[heads, sq, d]
        k: fp32[heads, kv, d]
        v: fp32[heads, kv, d]
        o: fp32[heads, sq, d]
        d_o: fp32[heads, sq, d]
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
        o=o,
        d_o=d_o,
        scale=scale,
        out=out,
    )
    return FlashAttentionFp32BackwardOutputs(*results)
