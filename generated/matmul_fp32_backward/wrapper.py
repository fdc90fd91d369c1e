"""matmul_fp32_backward: the Python entry. Made by pyptogen from matmul_fp32_backward.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MatmulFp32BackwardOutputs(NamedTuple):
    """What ``matmul_fp32_backward`` returns, in contract order."""

    d_a: npt.NDArray[Any]
    """fp32[m, k]"""
    d_b: npt.NDArray[Any]
    """fp32[k, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def matmul_fp32_backward(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    d_c: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MatmulFp32BackwardOutputs:
    """Gradients of a matrix product in fp32 for both factors.

    Sizes: m 1 to 65536; k = 1024; n = 1024.

    Args:
        a: fp32[m, k]
        b: fp32[k, n]
        d_c: fp32[m, n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        a=a,
        b=b,
        d_c=d_c,
        out=out,
    )
    return MatmulFp32BackwardOutputs(*results)
