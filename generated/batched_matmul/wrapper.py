"""batched_matmul: the Python entry. Made by pyptogen from batched_matmul.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class BatchedMatmulOutputs(NamedTuple):
    """What ``batched_matmul`` returns, in contract order."""

    c: npt.NDArray[Any]
    """bf16[heads, m, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def batched_matmul(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> BatchedMatmulOutputs:
    """A matrix product for each head, bf16 with fp32 accumulation.

    Sizes: m 1 to 65536; heads = 16; k = 256; n = 256.

    Args:
        a: bf16[heads, m, k]
        b: bf16[heads, k, n]
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
    return BatchedMatmulOutputs(*results)
