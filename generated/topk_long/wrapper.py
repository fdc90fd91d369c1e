"""topk_long: the Python entry. Made by pyptogen from topk_long.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class TopkLongOutputs(NamedTuple):
    """What ``topk_long`` returns, in contract order."""

    values: npt.NDArray[Any]
    """fp32[rows, 2048]"""
    indices: npt.NDArray[Any]
    """int32[rows, 2048]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def topk_long(
    scores: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> TopkLongOutputs:
    """The 2048 best of up to 131072 scores a row, as sparse attention chooses its keys. A row has 2048 scores at
    least.

    Sizes: rows 1 to 16384; keys 2048 to 131072; chosen = 2048.

    Args:
        scores: fp32[rows, keys]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        scores=scores,
        out=out,
    )
    return TopkLongOutputs(*results)
