"""scans: the Python entry. Made by pyptogen from scans.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class ScansOutputs(NamedTuple):
    """What ``scans`` returns, in contract order."""

    down: npt.NDArray[Any]
    """fp32[rows, cols]"""
    product: npt.NDArray[Any]
    """fp32[rows, cols]"""
    count: npt.NDArray[Any]
    """int32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def scans(
    x: npt.NDArray[Any],
    mark: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> ScansOutputs:
    """Running sums down the columns, running products along the rows, and counts so far in whole numbers.

    Sizes: rows 1 to 65536; cols = 256.

    Args:
        x: fp32[rows, cols]
        mark: int32[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        mark=mark,
        out=out,
    )
    return ScansOutputs(*results)
