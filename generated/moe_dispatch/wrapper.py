"""moe_dispatch: the Python entry. Made by pyptogen from moe_dispatch.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MoeDispatchOutputs(NamedTuple):
    """What ``moe_dispatch`` returns, in contract order."""

    rows: npt.NDArray[Any]
    """bf16[k * t, h]"""
    place: npt.NDArray[Any]
    """int32[t, k]"""
    count: npt.NDArray[Any]
    """int32[1, 64]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def moe_dispatch(
    x: npt.NDArray[Any],
    expert: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MoeDispatchOutputs:
    """Tokens of a mixture of experts, laid out by expert (Shazeer et al., "Outrageously Large Neural Networks";
    Gale et al., "MegaBlocks"). Each token is copied once for each of its experts; rows of one expert lie
    together, in the order of the tokens. `place` is the row of each copy, `count` the rows of each
    expert. An `expert` that is none is PTG408.

    Sizes: t 1 to 65536; k = 8; h = 1024; experts = 64.

    Args:
        x: bf16[t, h]
        expert: int32[t, k]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        expert=expert,
        out=out,
    )
    return MoeDispatchOutputs(*results)
