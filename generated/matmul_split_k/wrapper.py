"""matmul_split_k: the Python entry. Made by pyptogen from matmul_split_k.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MatmulSplitKOutputs(NamedTuple):
    """What ``matmul_split_k`` returns, in contract order."""

    c: npt.NDArray[Any]
    """bf16[m, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def matmul_split_k(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any] | PackedWeight,
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MatmulSplitKOutputs:
    """bf16 matmul of few rows and a long reduction, cut into parts that run side by side and are added in order.

    Sizes: m 1 to 64; k = 7168; n = 256.

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
    return MatmulSplitKOutputs(*results)
