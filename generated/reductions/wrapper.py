"""reductions: the Python entry. Made by pyptogen from reductions.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class ReductionsOutputs(NamedTuple):
    """What ``reductions`` returns, in contract order."""

    total: npt.NDArray[Any]
    """fp32[rows]"""
    largest: npt.NDArray[Any]
    """fp32[rows]"""
    least: npt.NDArray[Any]
    """fp32[rows]"""
    average: npt.NDArray[Any]
    """fp32[rows]"""
    product: npt.NDArray[Any]
    """fp32[rows]"""
    spread: npt.NDArray[Any]
    """fp32[rows]"""
    column_total: npt.NDArray[Any]
    """fp32[cols]"""
    column_largest: npt.NDArray[Any]
    """fp32[cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def reductions(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> ReductionsOutputs:
    """Sum, largest, least, mean, product and variance of each row, and sum and largest of each column.

    Sizes: rows 2 to 1048576; cols = 512.

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
    return ReductionsOutputs(*results)
