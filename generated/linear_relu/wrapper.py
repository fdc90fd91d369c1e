"""linear_relu: the Python entry. Made by pyptogen from linear_relu.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LinearReluOutputs(NamedTuple):
    """What ``linear_relu`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_relu(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearReluOutputs:
    """Linear layer in fp16 with bias and ReLU, its weight row-major as [out, in], the way PyTorch keeps it.

    Sizes: t 1 to 65536; k = 512; n = 1024.

    Args:
        x: fp16[t, k]
        w: fp16[n, k]
        bias: fp32[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        bias=bias,
        out=out,
    )
    return LinearReluOutputs(*results)
