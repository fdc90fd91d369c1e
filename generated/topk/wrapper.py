"""topk: the Python entry. Made by pyptogen from topk.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class TopkOutputs(NamedTuple):
    """What ``topk`` returns, in contract order."""

    values: npt.NDArray[Any]
    """fp32[rows, 64]"""
    indices: npt.NDArray[Any]
    """int32[rows, 64]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def topk(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> TopkOutputs:
    """The 64 largest values of each row in falling order, and their places; of equal values the first ones.

    Sizes: rows 1 to 1048576; cols = 4096; k = 64.

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
    return TopkOutputs(*results)
