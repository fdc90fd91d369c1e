"""index_add: the Python entry. Made by pyptogen from index_add.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class IndexAddOutputs(NamedTuple):
    """What ``index_add`` returns, in contract order."""

    y: npt.NDArray[Any]
    """fp32[rows, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def index_add(
    x: npt.NDArray[Any],
    index: npt.NDArray[Any],
    src: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> IndexAddOutputs:
    """Each row of src is added to the row of x that its index names; indices may repeat.

    Sizes: rows 1 to 1048576; added 1 to 1048576; d = 256.

    Args:
        x: fp32[rows, d]
        index: int32[added]
        src: fp32[added, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        index=index,
        src=src,
        out=out,
    )
    return IndexAddOutputs(*results)
