"""sinkhorn: the Python entry. Made by pyptogen from sinkhorn.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class SinkhornOutputs(NamedTuple):
    """What ``sinkhorn`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[t, n, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def sinkhorn(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> SinkhornOutputs:
    """Matrices of 4 x 4 are made doubly stochastic; rows and columns are divided by their sums in turn, four
    times (Sinkhorn and Knopp 1967).

    Sizes: t 1 to 1048576; n = 4.

    Args:
        x: fp32[t, n, n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return SinkhornOutputs(*results)
