"""glm_shared_expert: the Python entry. Made by pyptogen from glm_shared_expert.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GlmSharedExpertOutputs(NamedTuple):
    """What ``glm_shared_expert`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, h]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def glm_shared_expert(
    x: npt.NDArray[Any],
    w_gate: npt.NDArray[Any] | PackedWeight,
    w_up: npt.NDArray[Any] | PackedWeight,
    w_down: npt.NDArray[Any] | PackedWeight,
    w_gate_scale: npt.NDArray[Any],
    w_up_scale: npt.NDArray[Any],
    w_down_scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GlmSharedExpertOutputs:
    """Shared expert of GLM-4.5 (Zeng et al., "GLM-4.5"). SwiGLU feed-forward in W8A8, both activations quantised
    by token.

    Sizes: t 1 to 65536; h = 5120; f = 1536.

    Args:
        x: bf16[t, h]
        w_gate: int8[h, f] @ nz, a logical array or one from `pyptogen.pack`
        w_up: int8[h, f] @ nz, a logical array or one from `pyptogen.pack`
        w_down: int8[f, h] @ nz, a logical array or one from `pyptogen.pack`
        w_gate_scale: fp32[f]
        w_up_scale: fp32[f]
        w_down_scale: fp32[h]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w_gate=w_gate,
        w_up=w_up,
        w_down=w_down,
        w_gate_scale=w_gate_scale,
        w_up_scale=w_up_scale,
        w_down_scale=w_down_scale,
        out=out,
    )
    return GlmSharedExpertOutputs(*results)
