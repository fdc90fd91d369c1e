"""layer_norm_channels: the Python entry. Made by pyptogen from layer_norm_channels.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LayerNormChannelsOutputs(NamedTuple):
    """What ``layer_norm_channels`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[n, c, hw]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def layer_norm_channels(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    beta: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LayerNormChannelsOutputs:
    """Layer normalisation over the channels of images that lie plane after plane, as ConvNeXt takes it between
    its stages (Liu et al. 2022).

    Sizes: n 1 to 1024; c = 192; hw 1 to 262144.

    Args:
        x: bf16[n, c, hw]
        gamma: fp32[c]
        beta: fp32[c]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        gamma=gamma,
        beta=beta,
        eps=eps,
        out=out,
    )
    return LayerNormChannelsOutputs(*results)
