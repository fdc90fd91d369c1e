"""dequant_rows: the Python entry. Made by pyptogen from dequant_rows.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class DequantRowsOutputs(NamedTuple):
    """What ``dequant_rows`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def dequant_rows(
    acc: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> DequantRowsOutputs:
    """int32 accumulators with one scale a row to bf16. Instructions by hand.

    Sizes: rows 1 to 65536; cols = 1024.

    Args:
        acc: int32[rows, cols]
        scale: fp32[rows, 1]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        acc=acc,
        scale=scale,
        out=out,
    )
    return DequantRowsOutputs(*results)
