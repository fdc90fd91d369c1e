"""blend: the Python entry. Made by pyptogen from blend.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class BlendOutputs(NamedTuple):
    """What ``blend`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def blend(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> BlendOutputs:
    """Two tensors, each with a weight, added. Buffers and flags by hand, two halves in flight.

    Sizes: rows 16 to 1048576, a multiple of 16; cols = 1024.

    Args:
        a: fp32[rows, cols]
        b: fp32[rows, cols]
        alpha: fp32 scalar
        beta: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        a=a,
        b=b,
        alpha=alpha,
        beta=beta,
        out=out,
    )
    return BlendOutputs(*results)
