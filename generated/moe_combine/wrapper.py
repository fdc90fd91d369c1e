"""moe_combine: the Python entry. Made by pyptogen from moe_combine.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MoeCombineOutputs(NamedTuple):
    """What ``moe_combine`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, h]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def moe_combine(
    rows: npt.NDArray[Any],
    place: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    shared: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MoeCombineOutputs:
    """What the experts made of each token, added up with the router's weights, and what the shared expert made
    of it (Dai et al., "DeepSeekMoE"). `place` says in which row of an expert the copy of a token lies, as
    `moe_dispatch` gives it.

    Sizes: k = 8; t 1 to 65536; h = 1024; copies = k * t.

    Args:
        rows: bf16[copies, h]
        place: int32[t, k]
        weight: fp32[t, k]
        shared: bf16[t, h]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        rows=rows,
        place=place,
        weight=weight,
        shared=shared,
        out=out,
    )
    return MoeCombineOutputs(*results)
