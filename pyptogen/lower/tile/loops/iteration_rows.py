"""The rows that all matrix and vector work of a loop shares, so that an iteration may take a part of them at a time."""

from __future__ import annotations

from pyptogen.lower.tensor.ir import PRODUCTS, Op, Value
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.kernels.partition import KernelOps


def shared_rows(program_axes: Axes, kernel: KernelOps) -> str | None:
    """The dim of the rows of every product of the kernel's loops, where nothing in them sums over it or has it
    elsewhere than in its rows: iterations of attention go so over the queries.

    Args:
        program_axes: the axes of the program.
        kernel: the kernel.
    """
    inside = [op for op in kernel.ops if op.loop]
    rows = {_rows(program_axes, op.result) for op in inside if op.kind in PRODUCTS}
    dim = next(iter(rows)) if len(rows) == 1 else None
    if dim is None or not all(_keeps(program_axes, op, dim) for op in inside):
        return None
    return dim


def _rows(axes: Axes, value: Value) -> str | None:
    shape = axes.axes(value.shape)
    return shape[-2][0].dim if len(shape) > 1 and len(shape[-2]) == 1 else None


def _keeps(axes: Axes, op: Op, dim: str) -> bool:
    """Whether rows of the operands are rows of the result, and nothing else has them."""
    values = [op.result, *(v for v in op.operands if isinstance(v, Value))]
    having = [v for v in values if any(f.dim == dim for axis in axes.axes(v.shape) for f in axis)]
    alone = all(_rows(axes, v) == dim and all(f.dim != dim for f in axes.axes(v.shape)[-1]) for v in having)
    return alone and (not having or op.result in having) and not (op.kind in PRODUCTS and op.operands[1] in having)
