"""moe_gate_softmax: the Python entry. Made by pyptogen from moe_gate_softmax.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class MoeGateSoftmaxOutputs(NamedTuple):
    """What ``moe_gate_softmax`` returns, in contract order."""

    weight: npt.NDArray[Any]
    """fp32[t, 10]"""
    expert: npt.NDArray[Any]
    """int32[t, 10]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def moe_gate_softmax(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> MoeGateSoftmaxOutputs:
    """Router of a mixture of experts (Shazeer et al., "Outrageously Large Neural Networks"; as Qwen3-Next has
    it). The experts with the greatest scores, and their shares of the softmax, which sum up to 1.

    Sizes: t 1 to 65536; h = 2048; experts = 512; k = 10.

    Args:
        x: bf16[t, h]
        w: bf16[h, experts] @ nz, a logical array or one from `pyptogen.pack`
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        out=out,
    )
    return MoeGateSoftmaxOutputs(*results)
