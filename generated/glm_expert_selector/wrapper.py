"""glm_expert_selector: the Python entry. Made by pyptogen from glm_expert_selector.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GlmExpertSelectorOutputs(NamedTuple):
    """What ``glm_expert_selector`` returns, in contract order."""

    weight: npt.NDArray[Any]
    """fp32[t, 8]"""
    expert: npt.NDArray[Any]
    """int32[t, 8]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def glm_expert_selector(
    score: npt.NDArray[Any],
    choice: npt.NDArray[Any],
    *,
    scale: float = 2.5,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GlmExpertSelectorOutputs:
    """Choice of experts in GLM-4.5 (Zeng et al., "GLM-4.5"), after `glm_gate`. The experts with the greatest
    biased scores, and their own scores, normalised to sum up to `scale`.

    Sizes: t 1 to 65536; experts = 160; k = 8.

    Args:
        score: fp32[t, experts]
        choice: fp32[t, experts]
        scale: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        score=score,
        choice=choice,
        scale=scale,
        out=out,
    )
    return GlmExpertSelectorOutputs(*results)
