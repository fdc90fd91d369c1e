"""Attention as one word: a loop over the keys with an online softmax."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor import selection
from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.dims import show_shape
from pyptogen.lower.tensor.ir import Loop, Value
from pyptogen.lower.tensor.registry import operation

TILE = 512
"""Keys of a round, where no tiling row says otherwise."""


@operation(
    "attention(q, k, v, scale: scalar = None)",
    "q [.., sq, d], k [.., kv, d] and v [.., kv, e], floats of one dtype, with equal leading axes, but that q may "
    "have one more before sq, the group of query heads that share a head of k and v; [.., sq, e]; dtype of q",
    "attention(x, k, k)",
)
def attention(b: Builder, q: Value, k: Value, v: Value, scale: Any) -> Value:
    """softmax(q @ k.T * scale) @ v without the whole of the scores: in rounds over blocks of kv, which carry the
    greatest score, the sum and the weighted sum of v so far. Scores, sums and products are fp32; the weights are
    rounded to the dtype of v before they meet it. scale is 1 / sqrt(d) where it is not given."""
    b.need_float(q, "attention")
    over = _checked(b, q, k, v)
    if scale is None:
        scale = 1 / sympy.sqrt(sympy.Float(b.dims.resolve(q.shape[-1])))
    if len(q.shape) == len(k.shape) + 1:
        one = sympy.Integer(1)
        k, v = (b.reshape(x, (*x.shape[:-2], one, *x.shape[-2:]), "group") for x in (k, v))
    name, prefix = b.loop_name(), b.prefix
    tile = min(TILE, b.dims.number(over) or TILE)
    block = b.dims.open_block(over.name, tile, b.at)
    column = (*q.shape[:-1], sympy.Integer(1))
    starts = (
        b.full(column, -sympy.oo, "fp32", "max_start"),
        b.full(column, 0, "fp32", "sum_start"),
        b.full((*q.shape[:-1], v.shape[-1]), 0, "fp32", "acc_start"),
    )
    b.loop = name
    carries = tuple(b.carry(f"{prefix}_{word}", x) for word, x in zip(("max", "sum", "acc"), starts, strict=True))
    following = _round(b, (q, k, v), carries, (b.dims.symbols[block.name], scale))
    b.loop = ""
    _, total, acc = (
        b.carried(name, carry, value, f"{word}_end")
        for word, carry, value in zip(("max", "sum", "acc"), carries, following, strict=True)
    )
    pairs = tuple((carry.name, value.name) for carry, value in zip(carries, following, strict=True))
    b.loops.append(Loop(name, b.stage, over.name, tile, block, pairs, b.at))
    return b.cast(b.binary("div", acc, total), q.dtype)


def _round(
    b: Builder, operands: tuple[Value, Value, Value], carries: tuple[Value, ...], sizes: tuple[Any, Any]
) -> tuple[Value, Value, Value]:
    """The next greatest score, sum and weighted sum."""
    (q, k, v), (peak, total, acc), (size, scale) = operands, carries, sizes
    keys = b.transpose(b.block(k, len(k.shape) - 2, size), "keys")
    scores = b.binary("mul", _product(b, q, keys), b.scalar(scale), hint="s")
    highest = b.binary("maximum", peak, b.reduce("amax", scores, -1, hint="block_max"), hint="max_next")
    weights = b.unary("exp", b.binary("sub", scores, highest), hint="p")
    again = b.unary("exp", b.binary("sub", peak, highest), hint="alpha")
    more = b.reduce("sum", weights, -1, hint="block_sum")
    sums = b.binary("add", b.binary("mul", total, again), more, hint="sum_next")
    values = _product(b, b.cast(weights, v.dtype, hint="p_low"), b.block(v, len(v.shape) - 2, size))
    return highest, sums, b.binary("add", b.binary("mul", acc, again), values, hint="acc_next")


def _product(b: Builder, left: Value, right: Value) -> Value:
    if len(right.shape) == 2:
        return b.matmul(left, right, "fp32", "product")
    return selection.batch_matmul(b, left, right, "fp32")


def _checked(b: Builder, q: Value, k: Value, v: Value) -> Any:
    """The dim of the keys, as its symbol. Raises PTG109, PTG204, PTG205, PTG206."""
    shapes = f"{show_shape(q.shape)}, {show_shape(k.shape)} and {show_shape(v.shape)}"
    if b.loop:
        raise b.fault("PTG109", "attention inside of a loop is not supported yet", fix="put it into a stage of its own")
    if len(k.shape) != len(v.shape) or len(k.shape) < 2 or len(q.shape) not in (len(k.shape), len(k.shape) + 1):
        raise b.fault("PTG204", f"attention of {shapes}", expected="q [.., sq, d], k [.., kv, d] and v [.., kv, e]")
    if not (q.dtype == k.dtype == v.dtype):
        raise b.fault("PTG206", f"attention of {q.dtype}, {k.dtype} and {v.dtype}", expected="one dtype")
    leading = len(k.shape) - 2
    agree = b.agree_shapes(k.shape[:-1], v.shape[:-1]) and b.agree_shapes(q.shape[:leading], k.shape[:-2])
    if not agree or not b.agree(q.shape[-1], k.shape[-1], len(q.shape) - 1):
        raise b.fault("PTG205", f"attention of {shapes}", expected="q [.., sq, d], k [.., kv, d] and v [.., kv, e]")
    over = k.shape[-2]
    if not over.is_Symbol:
        raise b.fault(
            "PTG205",
            f"attention over {over} keys, a size without a name",
            expected="a dim of its own",
            fix="name it under `dims`",
        )
    return over
