"""Reading and writing by index arrays, and orders of elements. An index counts from 0; one out of range is PTG408."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection, strided
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.registry import SAME, operation
from pyptogen.lower.tensor.building.rules import FLOATS
from pyptogen.lower.tensor.ir import Operand, Value
from pyptogen.lower.tensor.operations import activations, normalisations

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


@operation(
    "index_put(x, index, values, accumulate: flag = False)",
    f"{SAME}; an index of rank 1; values as the rows that it names",
    "index_put(k, i, x * 2)",
)
def index_put(b: Builder, x: Value, index: Value, values: Value, accumulate: bool) -> Value:
    """x with the rows (axis 0) that index names replaced by those of values, or with these added to them. When they are
    replaced, index -1 skips, as in scatter_update."""
    if accumulate:
        return selection.index_add(b, x, 0, index, values)
    return b.scatter_update(x, index, values, 0)


@operation(
    "gathermask(x, pattern_mode: int)",
    "the last axis 2 or 4 times shorter, mode 7 keeps it; dtype of x",
    "abs(gathermask(x, 1))",
)
def gathermask(b: Builder, x: Value, pattern_mode: int) -> Value:
    """Every other element of the last axis (1 from the first on, 2 from the second on), every fourth (3 to 6), or all
    (7): the patterns P0101, P1010, P0001, P0010, P0100, P1000 and P1111 of TGATHER."""
    if not 1 <= pattern_mode <= 7:
        raise b.fault("PTG215", f"the pattern {pattern_mode}", expected="1 to 7")
    step, start = (2, pattern_mode - 1) if pattern_mode < 3 else (4, pattern_mode - 3)
    axis = b.axis(x, -1)
    return x if pattern_mode == 7 else strided.run(b, x, axis, sympy.Integer(start), x.shape[axis], step)


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


@operation(
    "topk_routing(logits, k: int, sigmoid: flag = False, bias = None, renormalize: flag = True)",
    "logits [.., experts], a float, and bias [experts] give two results [.., k]: weights, fp32, and experts, int32",
    "topk_routing(x, 2)",
)
def topk_routing(
    b: Builder, logits: Value, k: int, sigmoid: bool, bias: Value | None, renormalize: bool
) -> tuple[Value, Value]:
    """The k experts of each token and their weights. Scores are the softmax of the logits over all experts (Shazeer et
    al. 2017), or their sigmoids (DeepSeek-V3); in fp32. Those with the greatest score plus bias are chosen, the first
    of equals; a weight is the score without bias. renormalize: the weights of a token are divided by their sum."""
    b.need_float(logits, "topk_routing")
    wide = b.cast(logits, "fp32", hint="wide")
    scores = activations.sigmoid(b, wide) if sigmoid else normalisations.softmax(b, wide, -1)
    ranked = scores if bias is None else b.binary("add", scores, bias, hint="ranked")
    best, experts = selection.topk(b, _BOTH, ranked, sympy.Integer(k), len(ranked.shape) - 1, True)
    weights = best if bias is None else selection.gather(b, scores, len(scores.shape) - 1, experts)
    if renormalize:
        weights = b.binary("div", weights, b.reduce("sum", weights, -1, hint="total"), hint="weights")
    return weights, experts
