"""matmul_transposed: the Python entry. Made by pyptogen from matmul_transposed.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MatmulTransposedOutputs(NamedTuple):
    """What ``matmul_transposed`` returns, in contract order."""

    c: npt.NDArray[Any]
    """fp32[m, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def matmul_transposed(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MatmulTransposedOutputs:
    """Product of the transposes of two bf16 matrices, read where they lie; fp32 result.

    Sizes: m 1 to 65536; k = 512; n = 256.

    Args:
        a: bf16[k, m]
        b: bf16[n, k]
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
    return MatmulTransposedOutputs(*results)
