"""gelu: the Python entry. Made by pyptogen from gelu.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GeluOutputs(NamedTuple):
    """What ``gelu`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def gelu(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GeluOutputs:
    """Gaussian error linear unit, x times the normal distribution function (Hendrycks and Gimpel, "Gaussian
    Error Linear Units"), in bf16, computed in fp32.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: bf16[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return GeluOutputs(*results)
