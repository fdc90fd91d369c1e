"""swiglu: the Python entry. Made by pyptogen from swiglu.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class SwigluOutputs(NamedTuple):
    """What ``swiglu`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def swiglu(
    gate: npt.NDArray[Any],
    up: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> SwigluOutputs:
    """Gated activation silu(gate) * up of two bf16 tensors, computed in fp32 (Shazeer, "GLU Variants Improve
    Transformer").

    Sizes: rows 1 to 1048576; cols = 2048.

    Args:
        gate: bf16[rows, cols]
        up: bf16[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        gate=gate,
        up=up,
        out=out,
    )
    return SwigluOutputs(*results)
