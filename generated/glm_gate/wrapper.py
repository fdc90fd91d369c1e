"""glm_gate: the Python entry. Made by pyptogen from glm_gate.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GlmGateOutputs(NamedTuple):
    """What ``glm_gate`` returns, in contract order."""

    score: npt.NDArray[Any]
    """fp32[t, experts]"""
    choice: npt.NDArray[Any]
    """fp32[t, experts]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def glm_gate(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GlmGateOutputs:
    """Router of GLM-4.5 (Zeng et al., "GLM-4.5"). Scores of the experts in fp32, and scores with the bias that
    balances load.

    Sizes: t 1 to 65536; h = 5120; experts = 160.

    Args:
        x: fp32[t, h]
        w: fp32[h, experts] @ nz, a logical array or one from `pyptogen.pack`
        bias: fp32[experts]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        bias=bias,
        out=out,
    )
    return GlmGateOutputs(*results)
