"""linear_hif8: the Python entry. Made by pyptogen from linear_hif8.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a5")


class LinearHif8Outputs(NamedTuple):
    """What ``linear_hif8`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_hif8(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    w_scale: npt.NDArray[Any],
    *,
    x_scale: float = 0.25,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearHif8Outputs:
    """A linear layer in HiFloat8: numbers near one have three bits of fraction, those far off fewer, so that a
    scale of the whole tensor does where e4m3 wants one a row. Products are summed in fp32. The format:
    "Ascend HiFloat8 Format for Deep Learning", 2024.

    Sizes: t 1 to 65536; k = 2048; n = 1024.

    Args:
        x: bf16[t, k]
        w: hif8[k, n], by their codes
        w_scale: fp32[n]
        x_scale: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        w_scale=w_scale,
        x_scale=x_scale,
        out=out,
    )
    return LinearHif8Outputs(*results)
