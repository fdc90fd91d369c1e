"""Reading and writing by index arrays, and orders of elements. An index counts from 0; one out of range is PTG408."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.registry import SAME, operation
from pyptogen.lower.tensor.building.rules import FLOATS
from pyptogen.lower.tensor.ir import Operand, Value

_ORDER = "the axis has size k; the second result is int32"
_BOTH = ("topk_values", "topk_indices")


@operation("gather(x, dim: int, index)", "shape of index, which has the rank of x; dtype of x", "gather(x, 1, j)")
def gather(b: Builder, x: Value, dim: int, index: Value) -> Value:
    """The element of x at index[…] along dim, for each element of index."""
    return selection.gather(b, x, dim, index)


@operation(
    "index_select(x, dim: int, index)",
    "shape of x with the length of index at dim; dtype of x",
    "index_select(x, 1, c)",
)
def index_select(b: Builder, x: Value, dim: int, index: Value) -> Value:
    """The slices of x along dim that index names."""
    return selection.index_select(b, x, dim, index)


@operation(
    "scatter(x, dim: int, index, src, reduce: reduction = none)",
    f"{SAME}; src has the shape of index",
    "scatter(x, 1, j, z)",
)
def scatter(b: Builder, x: Value, dim: int, index: Value, src: Value, reduce: str) -> Value:
    """x with src[…] at index[…] along dim: put there, the last one where indices repeat, or added with reduce=add."""
    return selection.scatter(b, x, dim, index, src, reduce)


@operation(
    "index_add(x, dim: int, index, source, alpha: operand = None)",
    f"{SAME}; source has the length of index at dim",
    "index_add(x, 1, c, z)",
)
def index_add(b: Builder, x: Value, dim: int, index: Value, source: Value, alpha: Operand | None) -> Value:
    """x with the slices of source (times alpha) added to those that index names; repeated ones add up."""
    scaled = source if alpha is None else b.binary("mul", source, alpha, hint="scaled")
    return selection.index_add(b, x, dim, index, scaled)


@operation("one_hot(x, num_classes: scalar)", "shape of x and an axis of num_classes; int32", "one_hot(c, 8)")
def one_hot(b: Builder, x: Value, num_classes: Any) -> Value:
    """1 at the index that x names along a new last axis, 0 elsewhere."""
    zero, one, number = sympy.Integer(0), sympy.Integer(1), b.dims.resolve(num_classes)
    if not (number.is_integer and b.dims.nonnegative(num_classes - 1)):
        raise b.fault("PTG215", f"one_hot of {show_size(num_classes)} classes", expected="at least one, a whole number")
    if x.dtype in FLOATS or x.dtype == "bool":
        raise b.fault("PTG206", f"one_hot of {x.dtype}", expected="whole numbers", fix="cast first: `cast(…, int32)`")
    classes = selection.arange(b, number if number.is_Integer else num_classes, zero, one, x.dtype)
    column = b.reshape(x, (*x.shape, one), "column")
    return b.cast(b.binary("eq", column, classes, hint="equal"), "int32")


@operation("topk(x, k: int, axis: int = -1, largest: flag = True)", f"two results; {_ORDER}", "topk(x, 2)")
def topk(b: Builder, x: Value, k: int, axis: int, largest: bool) -> tuple[Value, Value]:
    """The k greatest (or least) elements along an axis in falling (rising) order, and their indices; the first of
    equal ones comes first. NaN is the greatest."""
    values, indices = selection.topk(b, _BOTH, x, k, axis, largest)
    return values, indices


@operation("argsort(x, axis: int = -1, descending: flag = False)", "shape of x; int32")
def argsort(b: Builder, x: Value, axis: int, descending: bool) -> Value:
    """The indices that sort along an axis; equal elements stay in order. NaN is the greatest."""
    return selection.sort(b, _BOTH[1:], x, axis, descending)[0]


@operation("sort(x, axis: int = -1, descending: flag = False)", "two results of the shape of x; the second is int32")
def sort(b: Builder, x: Value, axis: int, descending: bool) -> tuple[Value, Value]:
    """x in rising order along an axis, or in falling order, and the indices that sort it; equal elements stay in order.
    NaN is the greatest."""
    values, indices = selection.sort(b, _BOTH, x, axis, descending)
    return values, indices
