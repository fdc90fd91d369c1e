"""transpose: the Python entry. Made by pyptogen from transpose.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class TransposeOutputs(NamedTuple):
    """What ``transpose`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[batch, n, m]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def transpose(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> TransposeOutputs:
    """Rows become columns, for each matrix of a batch.

    Sizes: batch 1 to 65536; m 1 to 65536; n = 200.

    Args:
        x: fp32[batch, m, n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return TransposeOutputs(*results)
