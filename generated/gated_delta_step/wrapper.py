"""gated_delta_step: the Python entry. Made by pyptogen from gated_delta_step.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GatedDeltaStepOutputs(NamedTuple):
    """What ``gated_delta_step`` returns, in contract order."""

    o: npt.NDArray[Any]
    """bf16[b, heads, group, dv]"""
    state: npt.NDArray[Any]
    """fp32[b, heads, group, dv, dk], the array given as `state`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def gated_delta_step(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    g: npt.NDArray[Any],
    beta: npt.NDArray[Any],
    state: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GatedDeltaStepOutputs:
    """One token of a gated delta rule (Yang et al., "Gated Delta Networks"), as a layer of Qwen3-Next decodes:
    the state of each head forgets by exp(g), what it would recall for the key is replaced by the value as
    far as beta says, and the query reads it. `group` value heads share a query and a key. The state is
    [dv, dk], so that all sums are over rows.

    Sizes: b 1 to 4096; heads = 16; group = 2; dk = 128; dv = 128.

    Args:
        q: bf16[b, heads, dk]
        k: bf16[b, heads, dk]
        v: bf16[b, heads, group, dv]
        g: fp32[b, heads, group]
        beta: fp32[b, heads, group]
        state: fp32[b, heads, group, dv, dk], updated in place
        eps: fp32 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k=k,
        v=v,
        g=g,
        beta=beta,
        state=state,
        eps=eps,
        out=out,
    )
    return GatedDeltaStepOutputs(*results)
