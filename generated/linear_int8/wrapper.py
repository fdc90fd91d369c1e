"""linear_int8: the Python entry. Made by pyptogen from linear_int8.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LinearInt8Outputs(NamedTuple):
    """What ``linear_int8`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_int8(
    x: npt.NDArray[Any],
    x_scale: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    w_scale: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearInt8Outputs:
    """W8A8 linear layer. Integer product, scaled by token and by output channel, plus bias, in bf16.

    Sizes: t 1 to 65536; k = 2048; n = 2048.

    Args:
        x: int8[t, k]
        x_scale: fp32[t, 1]
        w: int8[k, n] @ nz, a logical array or one from `pyptogen.pack`
        w_scale: fp32[n]
        bias: fp32[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        x_scale=x_scale,
        w=w,
        w_scale=w_scale,
        bias=bias,
        out=out,
    )
    return LinearInt8Outputs(*results)
