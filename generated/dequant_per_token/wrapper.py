"""dequant_per_token: the Python entry. Made by pyptogen from dequant_per_token.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class DequantPerTokenOutputs(NamedTuple):
    """What ``dequant_per_token`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def dequant_per_token(
    q: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> DequantPerTokenOutputs:
    """Symmetric int8 values back to bf16, with a scale for each row.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        q: int8[rows, cols]
        scale: fp32[rows, 1]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        scale=scale,
        out=out,
    )
    return DequantPerTokenOutputs(*results)
