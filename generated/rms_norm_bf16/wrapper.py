"""rms_norm_bf16: the Python entry. Made by pyptogen from rms_norm_bf16.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class RmsNormBf16Outputs(NamedTuple):
    """What ``rms_norm_bf16`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def rms_norm_bf16(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> RmsNormBf16Outputs:
    """Root-mean-square normalisation over the last axis, with a gain per column.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: bf16[rows, cols]
        gamma: bf16[cols]
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        gamma=gamma,
        eps=eps,
        out=out,
    )
    return RmsNormBf16Outputs(*results)
