"""scatter_update: the Python entry. Made by pyptogen from scatter_update.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class ScatterUpdateOutputs(NamedTuple):
    """What ``scatter_update`` returns, in contract order."""

    cache: npt.NDArray[Any]
    """bf16[blocks, block_size, d], the array given as `cache`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def scatter_update(
    cache: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    rows: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> ScatterUpdateOutputs:
    """New rows, rounded to bf16, go to their slots of a paged cache; -1 skips a row.

    Sizes: tokens 1 to 16384; blocks 1 to 65536; block_size = 128; d = 128; slots = block_size * blocks.

    Args:
        cache: bf16[blocks, block_size, d], updated in place
        slot: int64[tokens]
        rows: fp32[tokens, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        cache=cache,
        slot=slot,
        rows=rows,
        out=out,
    )
    return ScatterUpdateOutputs(*results)
