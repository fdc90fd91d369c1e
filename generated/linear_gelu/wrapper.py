"""linear_gelu: the Python entry. Made by pyptogen from linear_gelu.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LinearGeluOutputs(NamedTuple):
    """What ``linear_gelu`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_gelu(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearGeluOutputs:
    """Linear layer with bias and GELU in bf16, with fp32 accumulation; the product never leaves the chip.

    Sizes: t 1 to 65536; k = 1024; n = 2048.

    Args:
        x: bf16[t, k]
        w: bf16[k, n] @ nz, a logical array or one from `pyptogen.pack`
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
    return LinearGeluOutputs(*results)
