"""Rules of the primitives that choose, order and index elements: what `Builder` is for arithmetic and views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.building.rules import FP4, GROUP, INTEGERS, OCP8, SCALE, broadcast, matmul_dtype, reduced
from pyptogen.lower.tensor.ir import Operand, Scalar, Shape, Value


def where(b: Builder, condition: Value, x: Operand, y: Operand, hint: str = "") -> Value:
    """``x`` where the condition holds, else ``y``; the three broadcast. Raises PTG205, PTG206."""
    if condition.dtype != "bool":
        raise b.fault(
            "PTG206",
            f"the condition of where is {condition.dtype}",
            expected="bool",
            fix="compare it, such as `ne(…, 0)`",
        )
    if isinstance(x, Scalar) and isinstance(y, Scalar):
        x = b.full((sympy.Integer(1),) * len(condition.shape), x.expr, "fp32")
    values = [operand for operand in (x, y) if isinstance(operand, Value)]
    dtype = values[0].dtype
    if any(value.dtype != dtype for value in values):
        raise b.fault("PTG206", f"`where` of {dtype} and {values[-1].dtype}", expected="operands of one dtype")
    for operand in (x, y):
        if isinstance(operand, Scalar):
            b.need_number("where", dtype, operand.expr)
    rank = max(len(value.shape) for value in (condition, *values))
    condition = _of_rank(b, condition, rank)
    x, y = (_of_rank(b, operand, rank) if isinstance(operand, Value) else operand for operand in (x, y))
    shape = condition.shape
    for operand in (x, y):
        if isinstance(operand, Value):
            joined = broadcast(b.dims, shape, operand.shape)
            if joined is None:
                raise b.fault(
                    "PTG205",
                    f"`where` of the shapes {show_shape(shape)} and {show_shape(operand.shape)}: they do not broadcast",
                    expected="axes that are equal, or 1 in one of the two",
                    fix=unrelated(b.dims, shape, operand.shape),
                )
            shape = joined
    return b.emit("where", [condition, x, y], dtype, shape, hint)


def _of_rank(b: Builder, x: Value, rank: int) -> Value:
    """``x`` with leading axes of size 1."""
    missing = rank - len(x.shape)
    return b.reshape(x, (sympy.Integer(1),) * missing + x.shape) if missing else x


def scan(b: Builder, kind: str, x: Value, axis: int) -> Value:
    """cumsum or cumprod along an axis."""
    if x.dtype == "bool":
        raise b.fault("PTG206", f"`{kind}` has no meaning for bool", expected="numbers")
    return b.emit(kind, [x], x.dtype, x.shape, axis=b.axis(x, axis))


def topk(b: Builder, kinds: Sequence[str], x: Value, k: Any, axis: int, largest: bool) -> tuple[Value, ...]:
    """The values and the indices, as ``kinds`` say, of the ``k`` extreme elements along an axis, which is moved to the
    end for it. Raises PTG205, PTG206."""
    axis, k = b.axis(x, axis), sympy.sympify(k)
    if x.dtype == "bool":
        raise b.fault("PTG206", "an order of bool", expected="numbers", fix="cast it")
    if not (b.dims.nonnegative(k - 1) and b.dims.nonnegative(x.shape[axis] - k)):
        raise b.fault(
            "PTG205",
            f"the {show_size(k)} first of an axis of size {show_size(x.shape[axis])}",
            expected="1 <= k <= size, for every size in range",
        )
    last = len(x.shape) - 1
    if axis != last:
        order = (*(i for i in range(last + 1) if i != axis), axis)
        back = sorted(range(last + 1), key=order.__getitem__)
        return tuple(permute(b, found, back) for found in topk(b, kinds, permute(b, x, order), k, last, largest))
    b.need_positions(x.shape[axis])
    shape, how = (*x.shape[:-1], k), {"axis": axis, "k": k, "largest": largest}
    dtypes = {"topk_values": x.dtype, "topk_indices": "int32"}
    return tuple(b.emit(kind, [x], dtypes[kind], shape, **how) for kind in kinds)


def sort(b: Builder, kinds: Sequence[str], x: Value, axis: int, descending: bool) -> tuple[Value, ...]:
    """The values and the indices of all elements along an axis in order; equal elements stay in order."""
    return topk(b, kinds, x, x.shape[b.axis(x, axis)], axis, descending)


def arange(b: Builder, size: Any, start: Any, step: Any, dtype: str) -> Value:
    """``start``, ``start + step``, …: ``size`` numbers."""
    if dtype == "bool" or (
        dtype in INTEGERS and not (sympy.sympify(start).is_integer and sympy.sympify(step).is_integer)
    ):
        raise b.fault("PTG206", f"a range of {dtype} from {show_size(start)} in steps of {show_size(step)}")
    return b.emit("arange", [], dtype, (sympy.sympify(size),), start=start, step=step)


def permute(b: Builder, x: Value, axes: Sequence[int], hint: str = "") -> Value:
    """The axes in another order; where only axes of size 1 change places this is a reshape. Raises PTG204."""
    order = [b.axis(x, axis) for axis in axes]
    if sorted(order) != list(range(len(x.shape))):
        raise b.fault(
            "PTG204",
            f"the axes {list(axes)} of a tensor of rank {len(x.shape)} {show_shape(x.shape)}",
            expected="each of its axes once",
        )
    if order == sorted(order):
        return x
    if order == [*range(len(order) - 2), len(order) - 1, len(order) - 2]:
        return b.transpose(x, hint)
    shape, wide = tuple(x.shape[axis] for axis in order), [axis for axis in order if not b.dims.is_one(x.shape[axis])]
    if wide == sorted(wide):
        return b.reshape(x, shape, hint)
    return b.emit("permute", [x], x.dtype, shape, hint, axes=tuple(order))


def expand(b: Builder, x: Value, shape: Shape) -> Value:
    """``x`` repeated to a shape that it broadcasts to. Raises PTG205."""
    if len(shape) >= len(x.shape):
        x = _of_rank(b, x, len(shape))
        joined = broadcast(b.dims, x.shape, shape)
        if joined is not None and b.dims.same_shape(joined, shape):
            return x if b.dims.same_shape(x.shape, shape) else b.emit("expand", [x], x.dtype, shape, shape=shape)
    what = f"expand of {show_shape(x.shape)} to {show_shape(shape)}"
    raise b.fault("PTG205", what, expected="axes that are equal or 1", fix=unrelated(b.dims, x.shape, shape))


def gather(b: Builder, x: Value, axis: int, index: Value) -> Value:
    """``y[i, j] = x[index[i, j], j]`` for axis 0, and so on. Raises PTG205, PTG206."""
    axis = b.axis(x, axis)
    _check_index(b, "gather", index, len(x.shape))
    _check_window(b, "gather", x, index.shape, axis)
    return b.emit("gather", [x, index], x.dtype, index.shape, axis=axis)


def scatter(b: Builder, x: Value, axis: int, index: Value, src: Value, reduce: str) -> Value:
    """``x`` with ``y[index[i, j], j] = src[i, j]`` for axis 0, and so on. Raises PTG205, PTG206."""
    axis = b.axis(x, axis)
    _check_index(b, "scatter", index, len(x.shape))
    _check_window(b, "scatter", x, index.shape, axis)
    _check_source(b, "scatter", x, src, index.shape)
    return b.emit("scatter", [x, index, src], x.dtype, x.shape, axis=axis, reduce=reduce)


def index_select(b: Builder, x: Value, axis: int, index: Value) -> Value:
    """The rows of an axis that ``index`` names. Raises PTG206."""
    axis = b.axis(x, axis)
    _check_index(b, "index_select", index, 1)
    return b.emit("index_select", [x, index], x.dtype, reduced(x.shape, axis, index.shape[0]), axis=axis)


def index_add(b: Builder, x: Value, axis: int, index: Value, src: Value) -> Value:
    """``x`` with rows added to those that ``index`` names. Raises PTG205, PTG206."""
    axis = b.axis(x, axis)
    _check_index(b, "index_add", index, 1)
    _check_source(b, "index_add", x, src, reduced(x.shape, axis, index.shape[0]))
    return b.emit("index_add", [x, index, src], x.dtype, x.shape, axis=axis)


def _check_index(b: Builder, kind: str, index: Value, rank: int) -> None:
    if index.dtype not in {"int32", "int64"}:
        raise b.fault("PTG206", f"the index of {kind} is {index.dtype}", expected="int32 or int64")
    if len(index.shape) != rank:
        raise b.fault("PTG204", f"the index of {kind} is {show_shape(index.shape)}", expected=f"rank {rank}")


def _check_window(b: Builder, kind: str, x: Value, shape: Shape, axis: int) -> None:
    """Off the axis, the index must not be larger than ``x``."""
    pairs = zip(x.shape, shape, strict=True)
    if not all(i == axis or b.dims.nonnegative(own - size) for i, (own, size) in enumerate(pairs)):
        raise b.fault(
            "PTG205",
            f"{kind} of {show_shape(x.shape)} at indices {show_shape(shape)} along axis {axis}",
            expected="an index that is no larger off that axis",
            fix=unrelated(b.dims, reduced(x.shape, axis, sympy.Integer(1)), shape),
        )


def _check_source(b: Builder, kind: str, x: Value, src: Value, shape: Shape) -> None:
    if src.dtype != x.dtype:
        raise b.fault("PTG206", f"{kind} of {src.dtype} into {x.dtype}", fix=f"cast it: `cast(…, {x.dtype})`")
    if not b.dims.same_shape(src.shape, shape):
        what = f"{kind} of {show_shape(src.shape)}"
        raise b.fault("PTG205", what, expected=show_shape(shape), fix=unrelated(b.dims, src.shape, shape))


def batch_matmul(b: Builder, left: Value, right: Value, dtype: str | None, hint: str = "") -> Value:
    """``a[.., m, k] @ b[.., k, n]`` for leading axes that broadcast, dtypes as in matmul. PTG204, PTG205, PTG206."""
    shapes = f"{show_shape(left.shape)} and {show_shape(right.shape)}"
    if min(len(left.shape), len(right.shape)) < 2:
        raise b.fault("PTG204", f"matmul of {shapes}", expected="[…, m, k] and [k, n], or […, k, n]")
    left, right = b.same_rank(left, right)
    leading = broadcast(b.dims, left.shape[:-2], right.shape[:-2])
    if leading is None or not b.dims.equal(left.shape[-1], right.shape[-2]):
        expected = "leading axes that are equal, or 1 in one of the two, and [m, k] and [k, n]"
        fix = unrelated(b.dims, (*left.shape[:-2], left.shape[-1]), right.shape[:-1])
        raise b.fault("PTG205", f"matmul of {shapes}", expected=expected, fix=fix)
    result = matmul_dtype(left.dtype, right.dtype, dtype)
    if result is None:
        raise b.fault("PTG206", f"matmul of {left.dtype} and {right.dtype}", expected="as for matmul of two axes")
    shape = (*leading, left.shape[-2], right.shape[-1])
    return b.emit("batch_matmul", [left, right], result, shape, hint, dtype=result)


def matmul_mx(b: Builder, left: Value, right: Value, left_scale: Value, right_scale: Value, hint: str = "") -> Value:
    """``a[m, k] @ b[k, n]`` in fp32, each element times the scale of its group of 32 along k: ``scale_a[m, k / 32]``
    and ``scale_b[k / 32, n]``. Elements of four bits become e4m3 first, which holds them all.
    PTG204, PTG205, PTG206."""
    left, right = (b.cast(x, "fp8_e4m3", hint="wide") if x.dtype == FP4 else x for x in (left, right))
    values = (left, right, left_scale, right_scale)
    shapes = " and ".join(show_shape(value.shape) for value in values)
    expected = "[m, k], [k, n], and scales [m, k / 32] and [k / 32, n]"
    if any(len(value.shape) != 2 for value in values):
        raise b.fault("PTG204", f"a scaled product of {shapes}", expected=expected)
    if not {left.dtype, right.dtype} <= OCP8 or {left_scale.dtype, right_scale.dtype} != {SCALE}:
        dtypes = " and ".join(value.dtype for value in values)
        raise b.fault("PTG206", f"a scaled product of {dtypes}", expected=f"two of fp8, and {SCALE}")
    (m, k), (depth, n), groups = left.shape, right.shape, left.shape[1] / GROUP
    given, wanted = (depth, *left_scale.shape, *right_scale.shape), (k, m, groups, groups, n)
    if not b.dims.same_shape(given, wanted):
        fix = unrelated(b.dims, given, wanted)
        raise b.fault("PTG205", f"a scaled product of {shapes}", expected=expected, fix=fix)
    size = b.dims.number(k)
    if size is None or size % (2 * GROUP):
        depth_text = f"a scaled product over a depth of {show_size(k)}"
        raise b.fault("PTG205", depth_text, expected=f"a multiple of {2 * GROUP}, known at build time")
    return b.emit("matmul_mx", values, "fp32", (m, n), hint, dtype="fp32")


def bitcast(b: Builder, x: Value, dtype: str, hint: str = "") -> Value:
    """The same bytes as elements of another dtype of the same size."""
    return b.emit("bitcast", [x], dtype, x.shape, hint, dtype=dtype)
