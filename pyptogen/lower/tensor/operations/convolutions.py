"""Convolutions: the windows of the input side by side (im2col), then a product.

The axes are those of PyTorch: x ``[n, c, …]``, weight ``[oc, c / groups, …]``, with one to three spatial axes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection, strided
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.building.registry import operation
from pyptogen.lower.tensor.building.rules import FLOATS, matmul_dtype
from pyptogen.lower.tensor.ir import Value
from pyptogen.lower.tensor.operations.views import pad, permute
from pyptogen.records import dataclass

Ints = int | tuple[int, ...]
_ONE = sympy.Integer(1)


@dataclass(frozen=True, slots=True)
class _Windows:
    """Which elements a convolution reads: of each axis the size of the kernel, the steps, and how far the kernel's
    elements lie apart."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]

    def offsets(self) -> list[tuple[int, ...]]:
        """Where each element of the kernel, in its order in memory, lies in a window."""
        offsets = itertools.product(*(range(size) for size in self.kernel))
        return [tuple(p * d for p, d in zip(offset, self.dilations, strict=True)) for offset in offsets]

    def require_room(self, b: Builder, x: Value) -> None:
        """Raises PTG205 where a kernel is longer than the spatial extent of ``x``, for some size in range."""
        for axis, (size, hole) in enumerate(zip(self.kernel, self.dilations, strict=True), 2):
            reach = hole * (size - 1)
            if not b.dims.nonnegative(x.shape[axis] - reach - 1):
                extent = f"{show_size(x.shape[axis])} elements, padding included"
                raise b.fault(
                    "PTG205",
                    f"conv along {extent}, with a kernel that spans {reach + 1}",
                    expected="at least one window, for every size in range",
                )


@operation(
    "conv(x, weight, dtype: dtype = None, strides: ints = 1, paddings: ints = 0, dilations: ints = 1, groups: int = 1, "
    "transposed: flag = False, output_paddings: ints = 0, bias = None)",
    "x [n, c, …] and weight [oc, c / groups, …], transposed [c, oc / groups, …], give [n, oc, …], for one to three "
    "spatial axes; dtypes as of matmul; bias [oc]",
    "conv(x[:, None, :], w[None, None, 0, :3], paddings=1)",
)
def conv(
    b: Builder,
    x: Value,
    weight: Value,
    dtype: str | None,
    strides: Ints,
    paddings: Ints,
    dilations: Ints,
    groups: int,
    transposed: bool,
    output_paddings: Ints,
    bias: Value | None,
) -> Value:
    """A convolution as PyTorch has it (conv1d, conv2d, conv3d; transposed: conv_transpose), which does not flip
    the kernel. Strides, dilations and paddings are one number or one for each spatial axis; paddings may also
    be [before, after] of each axis. Products and sums are exact in int32 or made in fp32, the bias is added to them,
    and the result is rounded once, to dtype. Groups of one channel in and out are a sum of products element by element;
    all others are a matrix product of the weight with the windows, which are laid out as columns (im2col)."""
    kernel = _kernel(b, x, weight)
    axes = len(kernel)
    result = matmul_dtype(x.dtype, weight.dtype, dtype)
    if result is None:
        raise b.fault("PTG206", f"conv of {x.dtype} and {weight.dtype}", expected="as for matmul")
    steps, holes = _each(b, "strides", strides, axes, 1), _each(b, "dilations", dilations, axes, 1)
    padding, extra = _padding(b, paddings, axes), _each(b, "output_paddings", output_paddings, axes, 0)
    channels, outs = _channels(b, x, weight, groups, transposed)
    if transposed:
        x, weight = _dilated(b, x, steps), _transposed(b, weight, groups)
        reach = [d * (k - 1) for d, k in zip(holes, kernel, strict=True)]
        padding = tuple((r - p, r - q + e) for r, (p, q), e in zip(reach, padding, extra, strict=True))
        steps = (1,) * axes
    elif any(extra):
        raise b.fault("PTG215", "output_paddings without transposed=true", fix="drop it, or say `transposed=true`")
    windows = _Windows(kernel, steps, holes)
    x = _padded(b, x, padding)
    windows.require_room(b, x)
    wide = "int32" if result == "int32" else "fp32"
    if all(b.dims.is_one(size) for size in (channels, outs)) and x.dtype in FLOATS:
        parts = [_window(b, x, windows, offsets) for offsets in windows.offsets()]
        return b.cast(_biased(b, _element_by_element(b, parts, weight), bias, wide), result)
    laid_out = _laid_out(b, x, windows)
    product = _product(b, laid_out, weight, (groups, channels, outs), wide)
    total = b.cast(_biased(b, product, bias, wide), result)
    return b.reshape(total, (*total.shape[:2], *laid_out.shape[-axes:]), "positions")


def _kernel(b: Builder, x: Value, weight: Value) -> tuple[int, ...]:
    """The kernel's sizes. Raises PTG204 or PTG205."""
    if len(x.shape) != len(weight.shape) or not 3 <= len(x.shape) <= 5:
        shapes = f"{show_shape(x.shape)} with a weight {show_shape(weight.shape)}"
        raise b.fault("PTG204", f"conv of {shapes}", expected="x [n, c, …] and weight [oc, c / groups, …]")
    kernel = tuple(b.dims.number(size) for size in weight.shape[2:])
    if not all(kernel):
        raise b.fault("PTG205", f"conv with a weight {show_shape(weight.shape)}", expected="a kernel of known size")
    return tuple(size for size in kernel if size)


def _each(b: Builder, name: str, given: Ints, axes: int, least: int) -> tuple[int, ...]:
    """One number for each axis. Raises PTG215."""
    numbers = (given,) if isinstance(given, int) else given
    if len(numbers) not in (1, axes) or min(numbers) < least:
        raise b.fault("PTG215", f"`{name}` {list(numbers)}", expected=f"one number or {axes}, each of at least {least}")
    return numbers * axes if len(numbers) == 1 else numbers


def _padding(b: Builder, given: Ints, axes: int) -> tuple[tuple[int, int], ...]:
    numbers = (given,) if isinstance(given, int) else given
    if len(numbers) != 2 * axes:
        return tuple((size, size) for size in _each(b, "paddings", given, axes, 0))
    before, after = (_each(b, "paddings", numbers[side::2], axes, 0) for side in (0, 1))
    return tuple(zip(before, after, strict=True))


def _channels(b: Builder, x: Value, weight: Value, groups: int, transposed: bool) -> tuple[Any, Any]:
    """Channels of a group, in and out. Raises PTG205."""
    first, second = weight.shape[:2]
    whole = first / groups
    channels, outs = (whole, second) if transposed else (second, whole)
    if groups < 1 or not b.dims.resolve(whole).is_integer or not b.dims.equal(x.shape[1], channels * groups):
        shapes = f"{show_shape(x.shape)} with a weight {show_shape(weight.shape)} in {groups} groups"
        fix = unrelated(b.dims, (x.shape[1],), (channels * groups,))
        weights = "[c, oc / groups, …]" if transposed else "[oc, c / groups, …]"
        raise b.fault("PTG205", f"conv of {shapes}", expected=f"x [n, c, …] and weight {weights}", fix=fix)
    return channels, outs


def _padded(b: Builder, x: Value, padding: Sequence[tuple[int, int]]) -> Value:
    """x with zeros around it; what is to be padded by less than nothing is cut off."""
    for axis, (before, after) in enumerate(padding, 2):
        x = b.slice(x, axis, max(0, -before), x.shape[axis] - max(0, -after), hint="inner")
    grown = tuple(max(0, size) for pair in reversed(padding) for size in pair)
    return pad(b, x, grown, sympy.Integer(0))


def _dilated(b: Builder, x: Value, steps: Sequence[int]) -> Value:
    """x with zeros between its elements, as many as each step of a transposed convolution leaves out."""
    for axis, step in enumerate(steps, 2):
        if step > 1:
            before, size, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
            zeros = b.full((*before, size, sympy.Integer(step - 1), *after), 0, x.dtype, hint="between")
            apart = b.concat(
                [b.reshape(x, (*before, size, _ONE, *after), "unsqueezed"), zeros], axis + 1, hint="dilated"
            )
            whole = b.reshape(apart, (*before, size * step, *after), "dilated")
            x = b.slice(whole, axis, 0, size * step - (step - 1), hint="positions")
    return x


def _transposed(b: Builder, weight: Value, groups: int) -> Value:
    """The weight [c, oc / groups, …] of a transposed convolution as [oc, c / groups, …], each kernel backwards."""
    channels, outs, *kernel = weight.shape
    split = b.reshape(weight, (sympy.Integer(groups), channels / groups, outs, *kernel), "weight_groups")
    transposed = permute(b, split, (0, 2, 1, *range(3, len(split.shape))))
    for axis, size in enumerate(kernel, 3):
        parts = [b.slice(transposed, axis, at, at + 1, hint="tap") for at in reversed(range(int(size)))]
        transposed = b.concat(parts, axis, hint="backwards") if len(parts) > 1 else transposed
    return b.reshape(transposed, (groups * outs, channels / groups, *kernel), "weight_transposed")


def _window(b: Builder, x: Value, windows: _Windows, offsets: tuple[int, ...]) -> Value:
    """What one element of the kernel meets: [n, c, …] with the spatial axes of the result."""
    reads = zip(offsets, windows.strides, windows.kernel, windows.dilations, strict=True)
    for axis, (offset, step, size, hole) in enumerate(reads, 2):
        x = strided.run(b, x, axis, sympy.Integer(offset), offset + x.shape[axis] - hole * (size - 1), step)
    return x


def _laid_out(b: Builder, x: Value, windows: _Windows) -> Value:
    """The windows side by side, [n, c, kernel…, spatial…]: a view in which they overlap, copied once."""
    axes = len(windows.kernel)
    if set(windows.kernel) == set(windows.strides) == {1}:
        return b.reshape(x, (*x.shape[:2], *(_ONE,) * axes, *x.shape[2:]), "windows")
    for axis, (size, step, hole) in enumerate(zip(windows.kernel, windows.strides, windows.dilations, strict=True), 2):
        x = strided.unfold(b, x, axis, size, step, hole, "unfolded")
    order = (0, 1, *range(2 + axes, 2 + 2 * axes), *range(2, 2 + axes))
    return b.emit("permute", [x], x.dtype, tuple(x.shape[axis] for axis in order), "windows", axes=order)


def _element_by_element(b: Builder, parts: Sequence[Value], weight: Value) -> Value:
    """Each channel with a kernel of its own: the sum over the kernel's elements, in fp32."""
    flat = b.reshape(weight, (weight.shape[0], sympy.Integer(len(parts))), "weight_flat")
    total: Value | None = None
    for at, part in enumerate(parts):
        factor = b.cast(b.slice(flat, 1, at, at + 1, hint="tap"), "fp32", hint="tap_wide")
        factor = b.reshape(factor, (weight.shape[0], *(_ONE,) * (len(part.shape) - 2)), "tap_column")
        product = b.binary("mul", b.cast(part, "fp32", hint="window"), factor, hint="part")
        total = product if total is None else b.binary("add", total, product, hint="total")
    assert total is not None
    return total


def _biased(b: Builder, total: Value, bias: Value | None, wide: str) -> Value:
    """The sums with the bias of their channel, the second axis."""
    if bias is None:
        return total
    shape = (*bias.shape, *(_ONE,) * (len(total.shape) - 2))
    column = b.reshape(b.cast(bias, wide, hint="bias_wide"), shape, "bias_column")
    return b.binary("add", total, column, hint="biased")


def _product(b: Builder, windows: Value, weight: Value, sizes: tuple[int, Any, Any], wide: str) -> Value:
    """The weight of each group times the windows of its channels: [n, oc, all positions]."""
    groups, channels, outs = sizes
    n, spatial = windows.shape[0], windows.shape[len(weight.shape) :]
    group = (sympy.Integer(groups),) if groups > 1 else ()
    # The windows' axes come from two each, which loops could cut at the outer one only: they get dims of their own.
    inner = (channels * b.dims.product(weight.shape[2:]), b.dims.product(spatial))
    shape = (n, *group, *inner)
    columns = b.emit("reshape", [windows], windows.dtype, shape, "columns", shape=shape, cut=(*group, *inner))
    rows = b.reshape(weight, (_ONE, *group, outs, inner[0]), "rows")
    product = selection.batch_matmul(b, rows, columns, wide, "conv")
    return b.reshape(product, (n, groups * outs, inner[1]), "sums")
