"""linear_mxfp4: the Python entry. Made by pyptogen from linear_mxfp4.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a5")


class LinearMxfp4Outputs(NamedTuple):
    """What ``linear_mxfp4`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_mxfp4(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    w_scale: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearMxfp4Outputs:
    """A linear layer in MXFP4 ("OCP Microscaling Formats (MX) Specification", version 1.0): numbers of four
    bits, two to a byte, of which 32 neighbours along the depth share a power of two. x is quantised here,
    the weights come so.

    Sizes: t 1 to 65536; k = 2048; n = 1024.

    Args:
        x: bf16[t, k]
        w: fp4_e2m1[n, k], two in a byte
        w_scale: fp8_e8m0[n, k/32]
        bias: fp32[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        w_scale=w_scale,
        bias=bias,
        out=out,
    )
    return LinearMxfp4Outputs(*results)
