"""linear_w4a16: the Python entry. Made by pyptogen from linear_w4a16.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class LinearW4a16Outputs(NamedTuple):
    """What ``linear_w4a16`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_w4a16(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearW4a16Outputs:
    """A linear layer whose weights have four bits (W4A16, as Frantar et al., "GPTQ", and Lin et al., "AWQ", make
    them): two neighbours in a row share a byte, and a group of 128 numbers of the depth has a scale for
    each column. Weights become bf16 on the way to the product, which is exact; a group's product is
    scaled as it is added to the sum, in fp32.

    Sizes: t 1 to 65536; groups = 16; group = 128; n = 2048.

    Args:
        x: bf16[t, group * groups]
        w: int4[groups, group, n], two in a byte
        scale: bf16[groups, n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        w=w,
        scale=scale,
        out=out,
    )
    return LinearW4a16Outputs(*results)
