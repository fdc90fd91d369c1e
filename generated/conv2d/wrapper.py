"""conv2d: the Python entry. Made by pyptogen from conv2d.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class Conv2dOutputs(NamedTuple):
    """What ``conv2d`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[n, oc, 28, 28]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def conv2d(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> Conv2dOutputs:
    """A convolution of images with bias and ReLU, as between the stages of a ResNet (He et al. 2015) - 3 x 3,
    every other place.

    Sizes: n 1 to 1024; c = 64; oc = 128; side = 28; size = 56.

    Args:
        x: bf16[n, c, size, size]
        w: bf16[oc, c, 3, 3]
        bias: fp32[oc]
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
    return Conv2dOutputs(*results)
