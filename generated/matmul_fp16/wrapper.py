"""matmul_fp16: the Python entry. Made by pyptogen from matmul_fp16.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MatmulFp16Outputs(NamedTuple):
    """What ``matmul_fp16`` returns, in contract order."""

    c: npt.NDArray[Any]
    """fp16[m, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def matmul_fp16(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any] | PackedWeight,
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MatmulFp16Outputs:
    """Matrix product in fp16 with fp32 accumulation, rounded to fp16 once at the end.

    Sizes: m 1 to 1048576; k = 1024; n = 1024.

    Args:
        a: fp16[m, k]
        b: fp16[k, n] @ nz, a logical array or one from `pyptogen.pack`
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
    return MatmulFp16Outputs(*results)
