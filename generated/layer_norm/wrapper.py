"""layer_norm: the Python entry. Made by pyptogen from layer_norm.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LayerNormOutputs(NamedTuple):
    """What ``layer_norm`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def layer_norm(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    beta: npt.NDArray[Any],
    *,
    eps: float = 1e-05,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LayerNormOutputs:
    """Layer normalisation over the last axis (Ba, Kiros and Hinton, "Layer normalization", 2016).

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: fp32[rows, cols]
        gamma: fp32[cols]
        beta: fp32[cols]
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
    return LayerNormOutputs(*results)
