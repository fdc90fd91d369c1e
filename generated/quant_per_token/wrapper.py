"""quant_per_token: the Python entry. Made by pyptogen from quant_per_token.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class QuantPerTokenOutputs(NamedTuple):
    """What ``quant_per_token`` returns, in contract order."""

    q: npt.NDArray[Any]
    """int8[rows, cols]"""
    scale: npt.NDArray[Any]
    """fp32[rows, 1]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def quant_per_token(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> QuantPerTokenOutputs:
    """Symmetric int8 quantisation of each row of a bf16 tensor, with its scale. A row of zeros gives zeros and
    scale 0.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: bf16[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return QuantPerTokenOutputs(*results)
