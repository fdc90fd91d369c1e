"""grouped_matmul: the Python entry. Made by pyptogen from grouped_matmul.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, PackedWeight, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class GroupedMatmulOutputs(NamedTuple):
    """What ``grouped_matmul`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def grouped_matmul(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    count: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> GroupedMatmulOutputs:
    """Matrix products of a mixture of experts (Gale et al., "MegaBlocks"). The rows of x lie group by group,
    `count` of them in each, as `moe_dispatch` lays them out; each row meets the weight of its group. Each
    group is moved to blocks of its own, so that one block needs one weight. Rows behind the last group
    fill x up to whole blocks; they meet its weight.

    Sizes: r = 32; full 1 to 16384; t = full * r; groups = 16; k = 512; n = 512; blocks = full + groups.

    Args:
        x: bf16[t, k]
        w: bf16[groups, k, n] @ nz, a logical array or one from `pyptogen.pack`
        count: int32[1, groups]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        count=count,
        out=out,
    )
    return GroupedMatmulOutputs(*results)
