"""flash_attention_fp32: the Python entry. Made by pyptogen from flash_attention_fp32.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class FlashAttentionFp32Outputs(NamedTuple):
    """What ``flash_attention_fp32`` returns, in contract order."""

    o: npt.NDArray[Any]
    """fp32[heads, sq, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def flash_attention_fp32(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    *,
    scale: float = 0.08838834764831845,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> FlashAttentionFp32Outputs:
    """As flash_attention, in fp32 throughout; the weights are not rounded before they meet the values.

    Sizes: heads = 8; sq 1 to 65536; kv 1 to 65536; d = 128.

    Args:
        q: fp32[heads, sq, d]
        k: fp32[heads, kv, d]
        v: fp32[heads, kv, d]
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
        scale=scale,
        out=out,
    )
    return FlashAttentionFp32Outputs(*results)
