"""softmax_backward: the Python entry. Made by pyptogen from softmax_backward.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class SoftmaxBackwardOutputs(NamedTuple):
    """What ``softmax_backward`` returns, in contract order."""

    d_x: npt.NDArray[Any]
    """fp32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def softmax_backward(
    y: npt.NDArray[Any],
    d_y: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> SoftmaxBackwardOutputs:
    """Gradient of softmax for its input, from its output.

    Sizes: rows 1 to 1048576; cols = 4096.

    Args:
        y: fp32[rows, cols]
        d_y: fp32[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        y=y,
        d_y=d_y,
        out=out,
    )
    return SoftmaxBackwardOutputs(*results)
