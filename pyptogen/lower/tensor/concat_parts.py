"""Which parts of a concat can be columns of one tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyptogen.lower.tensor.ir import DTYPES, Op, Value


def lie_in_a_tile(op: Op, number: Callable[[Any], int | None]) -> bool:
    """Whether the parts of a concat can be columns of one tile: they lie beside each other along the last axis, each
    begins at a multiple of 32 bytes, and none is a single column, which lies in memory like a row.

    Args:
        op: the concat.
        number: the number that a size is for every run, or None.
    """
    if int(op.attrs["axis"]) != len(op.result.shape) - 1:
        return False
    at = 0
    for part in op.operands:
        assert isinstance(part, Value)
        width = number(part.shape[-1])
        if width is None or width == 1 or at * DTYPES[op.result.dtype] % 32:
            return False
        at += width
    return True
