"""linear_fp8: the Python entry. Made by pyptogen from linear_fp8.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a5")


class LinearFp8Outputs(NamedTuple):
    """What ``linear_fp8`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_fp8(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    w_scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearFp8Outputs:
    """A linear layer in fp8: rows of x are quantised to e4m3 with a scale of their own, weights come in e4m3
    with a scale for each column, products are summed in fp32.

    Sizes: t 1 to 65536; k = 2048; n = 1024.

    Args:
        x: bf16[t, k]
        w: fp8_e4m3[k, n]
        w_scale: fp32[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        w_scale=w_scale,
        out=out,
    )
    return LinearFp8Outputs(*results)
