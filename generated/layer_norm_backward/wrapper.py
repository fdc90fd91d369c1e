"""layer_norm_backward: the Python entry. Made by pyptogen from layer_norm_backward.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LayerNormBackwardOutputs(NamedTuple):
    """What ``layer_norm_backward`` returns, in contract order."""

    d_x: npt.NDArray[Any]
    """fp32[rows, cols]"""
    d_gamma: npt.NDArray[Any]
    """fp32[cols]"""
    d_beta: npt.NDArray[Any]
    """fp32[cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def layer_norm_backward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    d_y: npt.NDArray[Any],
    *,
    eps: float = 1e-05,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LayerNormBackwardOutputs:
    """Gradients of layer_norm for its input, its gain and its bias.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: fp32[rows, cols]
        gamma: fp32[cols]
        d_y: fp32[rows, cols]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        gamma=gamma,
        d_y=d_y,
        eps=eps,
        out=out,
    )
    return LayerNormBackwardOutputs(*results)
