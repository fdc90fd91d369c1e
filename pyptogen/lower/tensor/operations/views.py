"""Operations that rearrange elements: reshape, transpose, concat, scatter_update."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.dims import show_shape
from pyptogen.lower.tensor.ir import Shape, Value
from pyptogen.lower.tensor.registry import operation


@operation("reshape(x, shape: shape)")
def reshape(b: Builder, x: Value, shape: Shape) -> Value:
    """The same elements, in the same order, in another shape."""
    return b.reshape(x, shape)


@operation("unsqueeze(x, axis: int)")
def unsqueeze(b: Builder, x: Value, axis: int) -> Value:
    """x with a new axis of size 1."""
    rank = len(x.shape) + 1
    if not -rank <= axis < rank:
        raise b.fault("PTG204", f"a new axis {axis} in {show_shape(x.shape)}", expected=f"{-rank} to {rank - 1}")
    at = axis % rank
    return b.reshape(x, (*x.shape[:at], sympy.Integer(1), *x.shape[at:]))


@operation("squeeze(x, axis: int)")
def squeeze(b: Builder, x: Value, axis: int) -> Value:
    """x without an axis of size 1."""
    at = b.axis(x, axis)
    if not b.dims.is_one(x.shape[at]):
        raise b.fault("PTG205", f"axis {axis} of {show_shape(x.shape)} cannot be dropped", expected="an axis of size 1")
    return b.reshape(x, x.shape[:at] + x.shape[at + 1 :])


@operation("transpose(x, dim0: int = -2, dim1: int = -1)")
def transpose(b: Builder, x: Value, dim0: int, dim1: int) -> Value:
    """x with its last two axes swapped."""
    rank = len(x.shape)
    if {b.axis(x, dim0), b.axis(x, dim1)} != {rank - 2, rank - 1}:
        raise b.fault("PTG109", "a transpose of axes other than the last two is not supported yet")
    return b.transpose(x)


@operation("concat(*parts, axis: int = -1)")
def concat(b: Builder, *parts: Value, axis: int) -> Value:
    """Tensors one after another along an axis."""
    return b.concat(parts, axis)


@operation("scatter_update(x, index, src, dim: int = -2)")
def scatter_update(b: Builder, x: Value, index: Value, src: Value, dim: int) -> Value:
    """x with rows replaced: the axes up to dim together are the rows, index[i] is the row that src[i]
    replaces; -1 skips."""
    return b.scatter_update(x, index, src, dim)
