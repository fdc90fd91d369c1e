"""vector_add: the Python entry. Made by pyptogen from vector_add.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class VectorAddOutputs(NamedTuple):
    """What ``vector_add`` returns, in contract order."""

    c: npt.NDArray[Any]
    """fp32[n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def vector_add(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> VectorAddOutputs:
    """Sum of two vectors.

    Sizes: n 1 to 1073741824.

    Args:
        a: fp32[n]
        b: fp32[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        a=a,
        b=b,
        out=out,
    )
    return VectorAddOutputs(*results)
