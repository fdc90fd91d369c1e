"""rms_norm_residual: the Python entry. Made by pyptogen from rms_norm_residual.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class RmsNormResidualOutputs(NamedTuple):
    """What ``rms_norm_residual`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""
    sum: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def rms_norm_residual(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> RmsNormResidualOutputs:
    """Root-mean-square normalisation of the sum of a tensor and a residual, which is returned too; bf16,
    computed in fp32.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: bf16[rows, cols]
        residual: bf16[rows, cols]
        gamma: bf16[cols]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        residual=residual,
        gamma=gamma,
        eps=eps,
        out=out,
    )
    return RmsNormResidualOutputs(*results)
