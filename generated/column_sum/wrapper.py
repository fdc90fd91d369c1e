"""column_sum: the Python entry. Made by pyptogen from column_sum.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class ColumnSumOutputs(NamedTuple):
    """What ``column_sum`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[1, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def column_sum(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> ColumnSumOutputs:
    """Sum over the rows, as for the gradient of a bias.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: fp32[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return ColumnSumOutputs(*results)
