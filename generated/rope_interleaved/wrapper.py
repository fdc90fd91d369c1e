"""rope_interleaved: the Python entry. Made by pyptogen from rope_interleaved.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class RopeInterleavedOutputs(NamedTuple):
    """What ``rope_interleaved`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, heads, d]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def rope_interleaved(
    x: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> RopeInterleavedOutputs:
    """Rotary position embedding of neighbouring pairs (Su et al., "RoFormer"), computed in fp32.

    Sizes: t 1 to 65536; heads = 16; d = 64.

    Args:
        x: bf16[t, heads, d]
        cos: bf16[t, d]
        sin: bf16[t, d]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        cos=cos,
        sin=sin,
        out=out,
    )
    return RopeInterleavedOutputs(*results)
