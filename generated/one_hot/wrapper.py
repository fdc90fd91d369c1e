"""one_hot: the Python entry. Made by pyptogen from one_hot.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class OneHotOutputs(NamedTuple):
    """What ``one_hot`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[t, 160]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def one_hot(
    index: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> OneHotOutputs:
    """A row with a 1 at the place that an index names, and zeros elsewhere.

    Sizes: t 1 to 1048576; classes = 160.

    Args:
        index: int32[t]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        index=index,
        out=out,
    )
    return OneHotOutputs(*results)
