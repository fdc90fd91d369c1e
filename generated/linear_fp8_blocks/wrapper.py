"""linear_fp8_blocks: the Python entry. Made by pyptogen from linear_fp8_blocks.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a5")


class LinearFp8BlocksOutputs(NamedTuple):
    """What ``linear_fp8_blocks`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, n_blocks, block]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def linear_fp8_blocks(
    x: npt.NDArray[Any],
    x_scale: npt.NDArray[Any],
    w: npt.NDArray[Any],
    w_scale: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> LinearFp8BlocksOutputs:
    """A linear layer of DeepSeek-V3 in fp8 ("DeepSeek-V3 Technical Report", section 3.3): 128 numbers of a row
    of x share a scale, and so do 128 x 128 weights. The product of each 128 of the depth is scaled as it
    is added to the sum, in fp32.

    Sizes: t 1 to 65536; k_blocks = 12; n_blocks = 6; block = 128.

    Args:
        x: fp8_e4m3[t, block * k_blocks]
        x_scale: fp32[t, k_blocks]
        w: fp8_e4m3[block * k_blocks, block * n_blocks]
        w_scale: fp32[k_blocks, n_blocks]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        x=x,
        x_scale=x_scale,
        w=w,
        w_scale=w_scale,
        out=out,
    )
    return LinearFp8BlocksOutputs(*results)
