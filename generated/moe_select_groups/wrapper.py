"""moe_select_groups: the Python entry. Made by pyptogen from moe_select_groups.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MoeSelectGroupsOutputs(NamedTuple):
    """What ``moe_select_groups`` returns, in contract order."""

    weight: npt.NDArray[Any]
    """fp32[t, 8]"""
    expert: npt.NDArray[Any]
    """int32[t, 8]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def moe_select_groups(
    logits: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    scale: float = 2.5,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MoeSelectGroupsOutputs:
    """Choice of experts as DeepSeek-V3 makes it (DeepSeek-AI, "DeepSeek-V3"). Sigmoid scores; a bias that
    balances load counts for the choice alone; only the groups whose two best experts are best are looked
    at; the shares of the chosen experts are normalised and scaled.

    Sizes: t 1 to 65536; groups = 8; each = 32; experts = 256; kept = 4; k = 8.

    Args:
        logits: fp32[t, experts]
        bias: fp32[experts]
        scale: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        logits=logits,
        bias=bias,
        scale=scale,
        out=out,
    )
    return MoeSelectGroupsOutputs(*results)
