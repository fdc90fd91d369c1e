"""cross_entropy: the Python entry. Made by pyptogen from cross_entropy.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class CrossEntropyOutputs(NamedTuple):
    """What ``cross_entropy`` returns, in contract order."""

    loss: npt.NDArray[Any]
    """fp32[rows]"""
    counted: npt.NDArray[Any]
    """int64[1]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def cross_entropy(
    logits: npt.NDArray[Any],
    labels: npt.NDArray[Any],
    *,
    ignore_index: int = -100,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> CrossEntropyOutputs:
    """The cross entropy of a row of logits and the class that a label names; labels may say that a row does not
    count.

    Sizes: rows 1 to 1048576; classes = 4096.

    Args:
        logits: fp32[rows, classes]
        labels: int64[rows]
        ignore_index: int64 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        logits=logits,
        labels=labels,
        ignore_index=ignore_index,
        out=out,
    )
    return CrossEntropyOutputs(*results)
