"""transpose_copy: the Python entry. Made by pyptogen from transpose_copy.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class TransposeCopyOutputs(NamedTuple):
    """What ``transpose_copy`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[cols, rows]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def transpose_copy(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> TransposeCopyOutputs:
    """A matrix, transposed in memory. The kernel is C++ by hand.

    Sizes: rows 1 to 65536; cols = 256.

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
    return TransposeCopyOutputs(*results)
