"""casts: the Python entry. Made by pyptogen from casts.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class CastsOutputs(NamedTuple):
    """What ``casts`` returns, in contract order."""

    as_fp16: npt.NDArray[Any]
    """fp16[rows, cols]"""
    as_bf16: npt.NDArray[Any]
    """bf16[rows, cols]"""
    nearest: npt.NDArray[Any]
    """int32[rows, cols]"""
    below: npt.NDArray[Any]
    """int16[rows, cols]"""
    level: npt.NDArray[Any]
    """int8[rows, cols]"""
    back: npt.NDArray[Any]
    """fp32[rows, cols]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def casts(
    x: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> CastsOutputs:
    """fp32 to the other dtypes, each with the round mode of its line; whole numbers saturate.

    Sizes: rows 1 to 1048576; cols = 256.

    Args:
        x: fp32[rows, cols]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        out=out,
    )
    return CastsOutputs(*results)
