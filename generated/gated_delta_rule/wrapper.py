"""gated_delta_rule: the Python entry. Made by pyptogen from gated_delta_rule.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GatedDeltaRuleOutputs(NamedTuple):
    """What ``gated_delta_rule`` returns, in contract order."""

    o: npt.NDArray[Any]
    """bf16[b, s, heads, group, dv]"""
    state: npt.NDArray[Any]
    """fp32[b, heads, group, dv, dk], the array given as `state`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def gated_delta_rule(
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
) -> GatedDeltaRuleOutputs:
    """A prompt through the gated delta rule (Yang et al., "Gated Delta Networks: Improving Mamba2 with Delta
    Rule"), as a layer of Qwen3-Next takes it: chunk by chunk, with products instead of a state for every
    token. Inside of a chunk the changes that tokens make depend on each other; the inverse of one plus a
    strictly lower triangle settles them all at once. `group` value heads share a query and a key; the
    state is [dv, dk], as `gated_delta_step` has it.

    Sizes: b 1 to 1024; s 1 to 1048576; heads = 16; group = 2; dk = 128; dv = 128.

    Args:
        q: bf16[b, s, heads, dk]
        k: bf16[b, s, heads, dk]
        v: bf16[b, s, heads, group, dv]
        g: fp32[b, s, heads, group]
        beta: fp32[b, s, heads, group]
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
    return GatedDeltaRuleOutputs(*results)
