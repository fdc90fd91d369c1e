"""softmax_long: the Python entry. Made by pyptogen from softmax_long.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class SoftmaxLongOutputs(NamedTuple):
    """What ``softmax_long`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def softmax_long(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> SoftmaxLongOutputs:
    """Softmax of rows that fit no vector memory of an NPU. There the statistics walk over the row in chunks, cut
    by hand.

    Sizes: rows 1 to 65536; cols = 16384; chunk = 1024.

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
    return SoftmaxLongOutputs(*results)
