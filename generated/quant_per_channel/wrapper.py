"""quant_per_channel: the Python entry. Made by pyptogen from quant_per_channel.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class QuantPerChannelOutputs(NamedTuple):
    """What ``quant_per_channel`` returns, in contract order."""

    q: npt.NDArray[Any]
    """int8[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def quant_per_channel(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> QuantPerChannelOutputs:
    """Symmetric int8 quantisation of a bf16 tensor with a given scale for each column.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        x: bf16[rows, cols]
        scale: fp32[cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        scale=scale,
        out=out,
    )
    return QuantPerChannelOutputs(*results)
