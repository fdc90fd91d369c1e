"""hadamard_int8: the Python entry. Made by pyptogen from hadamard_int8.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class HadamardInt8Outputs(NamedTuple):
    """What ``hadamard_int8`` returns, in contract order."""

    q: npt.NDArray[Any]
    """int8[rows, d]"""
    scale: npt.NDArray[Any]
    """fp32[rows, 1]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def hadamard_int8(
    x: npt.NDArray[Any],
    h: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> HadamardInt8Outputs:
    """Rows of bf16 turned by a Hadamard matrix and quantised to int8 with a scale a row (as in DeepSeek-V3.2's
    indexer).

    Sizes: rows 1 to 1048576; d = 128.

    Args:
        x: bf16[rows, d]
        h: bf16[d, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        h=h,
        out=out,
    )
    return HadamardInt8Outputs(*results)
