"""gather: the Python entry. Made by pyptogen from gather.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GatherOutputs(NamedTuple):
    """What ``gather`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[rows, picked]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def gather(
    x: npt.NDArray[Any],
    index: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GatherOutputs:
    """From each row the elements that its own indices name.

    Sizes: rows 1 to 1048576; cols = 1024; picked = 128.

    Args:
        x: fp32[rows, cols]
        index: int32[rows, picked]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        index=index,
        out=out,
    )
    return GatherOutputs(*results)
