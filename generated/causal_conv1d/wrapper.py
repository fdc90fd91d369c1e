"""causal_conv1d: the Python entry. Made by pyptogen from causal_conv1d.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class CausalConv1dOutputs(NamedTuple):
    """What ``causal_conv1d`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[b, c, s + taps - 4]"""
    state: npt.NDArray[Any]
    """bf16[b, c, taps - 1], the array given as `state`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def causal_conv1d(
    x: npt.NDArray[Any],
    state: npt.NDArray[Any],
    w: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> CausalConv1dOutputs:
    """The short convolution before a linear attention layer (Mamba, Gu and Dao 2023; Qwen3-Next): each channel
    with a kernel of its own over the last four tokens, then SiLU. The state holds the three tokens before
    the first.

    Sizes: b 1 to 256; s 1 to 1048576; c = 256; taps = 4.

    Args:
        x: bf16[b, c, s]
        state: bf16[b, c, taps - 1], updated in place
        w: bf16[c, 1, taps]
        bias: fp32[c]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        state=state,
        w=w,
        bias=bias,
        out=out,
    )
    return CausalConv1dOutputs(*results)
