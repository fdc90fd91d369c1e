"""matmul_swizzle: the Python entry. Made by pyptogen from matmul_swizzle.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MatmulSwizzleOutputs(NamedTuple):
    """What ``matmul_swizzle`` returns, in contract order."""

    c: npt.NDArray[Any]
    """bf16[m, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def matmul_swizzle(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any] | PackedWeight,
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MatmulSwizzleOutputs:
    """A product whose operands do not fit L2: rows are done in bands, all columns of a band before the next one,
    so that the band of `a` and the columns of `b` that the cores work on stay in L2.

    Sizes: m 1 to 1048576; k = 2048; n = 4096.

    Args:
        a: bf16[m, k]
        b: bf16[k, n] @ nz, a logical array or one from `pyptogen.pack`
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
    return MatmulSwizzleOutputs(*results)
