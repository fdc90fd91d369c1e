"""Operations that rearrange elements."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.registry import SAME, operation
from pyptogen.lower.tensor.building.rules import FLOATS, INTEGERS, reduced
from pyptogen.lower.tensor.ir import DTYPES, Shape, Value


@operation("reshape(x, shape: shape)", "the given shape; dtype of x", "abs(reshape(x, [t, 1, d]))")
def reshape(b: Builder, x: Value, shape: Shape) -> Value:
    """The same elements, in the same order, in another shape; one size may be -1, which the others give."""
    return b.reshape(x, _completed(b, x, shape))


def _completed(b: Builder, x: Value, shape: Shape) -> Shape:
    """The shape with its -1 replaced by what is left of the elements. Raises PTG205 where that is no whole number."""
    open_axes = [axis for axis, size in enumerate(shape) if size == -1]
    if len(open_axes) != 1 or 0 in shape:
        return shape
    ratio = b.dims.product(x.shape) / b.dims.product(tuple(size for size in shape if size != -1))
    for left in (sympy.cancel(ratio), sympy.cancel(b.dims.resolve(ratio))):
        if sympy.denom(left) == 1:
            return (*shape[: open_axes[0]], left, *shape[open_axes[0] + 1 :])
    raise b.fault(
        "PTG205",
        f"reshape of {show_shape(x.shape)} to {show_shape(shape)}: the others do not divide the elements",
        expected=f"{show_size(b.dims.product(x.shape))} elements",
    )


@operation("unsqueeze(x, axis: int)", "shape of x with one more axis; dtype of x", "abs(unsqueeze(x, 1))")
def unsqueeze(b: Builder, x: Value, axis: int) -> Value:
    """x with a new axis of size 1."""
    rank = len(x.shape) + 1
    if not -rank <= axis < rank:
        raise b.fault("PTG204", f"a new axis {axis} in {show_shape(x.shape)}", expected=f"{-rank} to {rank - 1}")
    at = axis % rank
    return b.reshape(x, (*x.shape[:at], sympy.Integer(1), *x.shape[at:]))


@operation("squeeze(x, axis: int)", "shape of x without that axis; dtype of x", "abs(squeeze(x[:, None, :], 1))")
def squeeze(b: Builder, x: Value, axis: int) -> Value:
    """x without an axis of size 1."""
    at = b.axis(x, axis)
    if not b.dims.is_one(x.shape[at]):
        raise b.fault("PTG205", f"axis {axis} of {show_shape(x.shape)} cannot be dropped", expected="an axis of size 1")
    return b.reshape(x, x.shape[:at] + x.shape[at + 1 :])


@operation(
    "transpose(x, dim0: int = -2, dim1: int = -1)", "shape of x with two axes swapped; dtype of x", "abs(transpose(x))"
)
def transpose(b: Builder, x: Value, dim0: int, dim1: int) -> Value:
    """x with two axes swapped."""
    order = list(range(len(x.shape)))
    first, second = b.axis(x, dim0), b.axis(x, dim1)
    order[first], order[second] = second, first
    return selection.permute(b, x, order)


@operation("permute(x, dims: ints)", "axes of x in the given order; dtype of x", "abs(permute(x, [1, 0]))")
def permute(b: Builder, x: Value, dims: tuple[int, ...]) -> Value:
    """x with its axes in another order: axis i of the result is axis dims[i] of x."""
    return selection.permute(b, x, dims)


@operation(
    "view(x, shape: shape, offsets: shape, dtype: dtype = None)",
    "the given shape; dtype of x, or the given one, of the same size",
    "abs(view(x, [t, 32], [0, 32]))",
)
def view(b: Builder, x: Value, shape: Shape, offsets: Shape, dtype: str | None) -> Value:
    """The window of x that begins at the offsets; with a dtype, its bytes as elements of that."""
    if not len(x.shape) == len(shape) == len(offsets):
        raise b.fault("PTG204", f"a window {show_shape(shape)} of {show_shape(x.shape)}", expected="as many axes as x")
    for axis, (size, offset) in enumerate(zip(shape, offsets, strict=True)):
        x = b.slice(x, axis, offset, offset + size)
    if dtype in (None, x.dtype):
        return x
    if not {x.dtype, dtype} <= FLOATS | INTEGERS or DTYPES[x.dtype] != DTYPES[dtype]:
        expected = f"another float or integer of {8 * DTYPES[x.dtype]} bits"
        raise b.fault(
            "PTG206", f"a view of {x.dtype} as {dtype}", expected=expected, fix="numbers are converted by `cast`"
        )
    return selection.bitcast(b, x, dtype, "bytes")


@operation("clone(x)", SAME, "abs(clone(x))")
def clone(b: Builder, x: Value) -> Value:
    """x itself: values do not change, so a copy is needed nowhere."""
    return x


@operation("expand_clone(x, shape: shape)", "the given shape; dtype of x", "expand_clone(x[:, None, :], [t, 2, d])")
def expand_clone(b: Builder, x: Value, shape: Shape) -> Value:
    """x repeated along axes of size 1 and along new leading axes."""
    return selection.expand(b, x, shape)


@operation("concat(*parts, axis: int = -1)", "sizes along the axis add up; one dtype", "concat(x, z)")
def concat(b: Builder, *parts: Value, axis: int) -> Value:
    """Tensors one after another along an axis."""
    return b.concat(parts, axis)


@operation(
    "scatter_update(x, index, src, dim: int = -2)",
    f"{SAME}; an index of rank 1, int32 or int64; src as the rows of x",
    "scatter_update(k, i, x * 2, dim=0)",
)
def scatter_update(b: Builder, x: Value, index: Value, src: Value, dim: int) -> Value:
    """x with rows replaced: the axes up to dim together are the rows, index[i] is the row that src[i]
    replaces; -1 skips. Of rows for one place, any may be there in the end, or parts of several."""
    return b.scatter_update(x, index, src, dim)


@operation("interleave(a, b)", "the last axis is twice as long; a and b have one shape and dtype")
def interleave(b: Builder, left: Value, right: Value) -> Value:
    """a[0], b[0], a[1], b[1], … along the last axis."""
    b.axis(left, -1)
    one = sympy.Integer(1)
    pair = b.concat([b.reshape(v, (*v.shape, one), "pair") for v in (left, right)], -1, hint="pairs")
    return b.reshape(pair, (*left.shape[:-1], 2 * left.shape[-1]))


@operation("deinterleave(x)", "two results, the last axis half as long; dtype of x")
def deinterleave(b: Builder, x: Value) -> tuple[Value, Value]:
    """The elements of even index along the last axis, and those of odd index."""
    size = x.shape[b.axis(x, -1)]
    half = size / 2
    if not b.dims.resolve(half).is_integer:
        raise b.fault("PTG205", f"deinterleave of an axis of size {show_size(size)}", expected="an even size")
    pairs = b.reshape(x, (*x.shape[:-1], half, sympy.Integer(2)), "pairs")
    shape = (*x.shape[:-1], half)
    even, odd = (b.reshape(b.slice(pairs, -1, at, at + 1), shape) for at in (0, 1))
    return even, odd


@operation("pad(x, padding: ints, value: scalar = 0)", "sizes grow by the padding; dtype of x", "pad(x, [0, 2])")
def pad(b: Builder, x: Value, padding: tuple[int, ...], value: Any) -> Value:
    """x with value around it: padding is [before, after] of the last axis, then of the one before it, and so on."""
    if len(padding) % 2 or len(padding) > 2 * len(x.shape) or min(padding, default=0) < 0:
        raise b.fault("PTG215", f"padding {list(padding)}", expected="[before, after] of the last axis, and so on")
    for step in range(len(padding) // 2):
        axis = len(x.shape) - 1 - step
        parts = [x]
        for at, count in ((0, padding[2 * step]), (len(x.shape), padding[2 * step + 1])):
            if count:
                part = b.full(reduced(x.shape, axis, sympy.Integer(count)), value, x.dtype, hint="edge")
                parts.insert(at, part)
        x = b.concat(parts, axis, hint="padded")
    return x
