"""rope_qkv: the Python entry. Made by pyptogen from rope_qkv.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class RopeQkvOutputs(NamedTuple):
    """What ``rope_qkv`` returns, in contract order."""

    q: npt.NDArray[Any]
    """bf16[t, heads, d] strides [width, d, 1]"""
    k: npt.NDArray[Any]
    """bf16[t, kv_heads, d] strides [width, d, 1]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def rope_qkv(
    qkv: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> RopeQkvOutputs:
    """Queries and keys of a fused projection, in rows of queries, keys and values, turned by their rotary
    position embedding (Su et al., "RoFormer", halves rotated, fp32), and written to their places in a
    buffer of the same rows. Grouped heads as in Llama 3.

    Sizes: t 1 to 65536; heads = 32; kv_heads = 8; d = 128; width = 6144.

    Args:
        qkv: bf16[t, width]
        cos: bf16[t, d]
        sin: bf16[t, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        qkv=qkv,
        cos=cos,
        sin=sin,
        out=out,
    )
    return RopeQkvOutputs(*results)
