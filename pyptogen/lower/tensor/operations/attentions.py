"""Attention as one word: a loop over the keys with an online softmax."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.block_loop import BlockLoop
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.building.registry import operation
from pyptogen.lower.tensor.ir import Value

FAR = 1e30
"""Less than any score by so much is a masked score: its weight is 0."""

TILE = 512
"""Keys of an iteration, where no tiling row says otherwise."""


@operation(
    "attention(q, k, v, scale: scalar = None, causal: flag = False, bias = None)",
    "q [.., sq, d], k [.., kv, d] and v [.., kv, e], floats of one dtype, with equal leading axes, but that q may "
    "have one more before sq, the group of query heads that share a head of k and v; [.., sq, e]; dtype of q",
    "attention(x, k, k)",
)
def attention(b: Builder, q: Value, k: Value, v: Value, scale: Any, causal: bool, bias: Value | None) -> Value:
    """softmax(q @ k.T * scale) @ v without the whole of the scores: in a loop over blocks of kv, which carries the
    greatest score, the sum and the weighted sum of v so far. Scores, sums and products are fp32; the weights are
    rounded to the dtype of v before they meet it. scale is 1 / sqrt(d) where it is not given. causal: the queries are
    the last sq of the kv positions, and none attends to a key after its own; blocks beyond the causal bound of all
    queries of a tile are left out. bias: fp32, broadcasts to [.., sq, kv], with all of kv; added to the scaled scores.
    Where it is -1e30 a key has no weight, as long as each query has one that counts. A key without weight, and its row
    of v, must be numbers all the same: NaN stays NaN, and 0 times infinity is NaN."""
    b.need_float(q, "attention")
    _check(b, q, k, v)
    one = b.dims.is_one(k.shape[-2])
    k, v = (k, v) if one else _over_a_dim(b, k, v)
    over = k.shape[-2]
    if scale is None:
        scale = usual_scale(b, q.shape[-1])
    if len(q.shape) == len(k.shape) + 1:
        k, v = (b.reshape(x, (*x.shape[:-2], sympy.Integer(1), *x.shape[-2:]), "group") for x in (k, v))
    if one:
        return _to_one_key(b, (q, k, v), scale, causal, bias)
    column = (*q.shape[:-1], sympy.Integer(1))
    peak = b.full(column, -sympy.oo, "fp32", "max_start")
    total = b.full(column, 0, "fp32", "sum_start")
    acc = b.full((*q.shape[:-1], v.shape[-1]), 0, "fp32", "acc_start")
    rows = q.shape[-2]
    causal_bound = (rows.name, over - rows) if causal and rows.is_Symbol else None
    with BlockLoop(b, over, TILE, causal_bound) as loop:
        limits = _positions(b, rows, over, loop.size) if causal else None
        added = _bias_block(b, bias, over, loop.size) if bias is not None else None
        carries = loop.carry(max=peak, sum=total, acc=acc)
        loop.follow(*_iteration(b, (q, k, v), carries, (loop.size, scale), (limits, added)))
    _, total, acc = loop.carried()
    return b.cast(b.binary("div", acc, total), q.dtype)


@operation(
    "paged_attention(q, k_cache, v_cache, block_table, lengths, scale: scalar = None)",
    "q [batch, kv_heads, group, d], caches [blocks, block_size, kv_heads, d] of its dtype, block_table [batch, pages] "
    "and lengths [batch], int32; [batch, kv_heads, group, d]; dtype of q",
    "paged_attention(x[:, None, None, :], z[:, None, None, :], z[:, None, None, :], j * 0, i * 0 + 3)",
)
def paged_attention(
    b: Builder, q: Value, k_cache: Value, v_cache: Value, block_table: Value, lengths: Value, scale: Any
) -> Value:
    """attention of one new token of each sequence to the first `lengths` tokens (at least one) of the pages that its
    row of the table names (Kwon et al. 2023). The group of query heads shares a head of keys and values."""
    shapes = ", ".join(show_shape(x.shape) for x in (q, k_cache, v_cache, block_table, lengths))
    if [len(x.shape) for x in (q, k_cache, v_cache, block_table, lengths)] != [4, 4, 4, 2, 1]:
        raise b.fault("PTG204", f"paged_attention of {shapes}", expected="q, both caches, block_table and lengths")
    batch, pages = block_table.shape
    blocks, size, heads = k_cache.shape[:3]
    slots = b.dims.named(pages * size, "slots", b.at)
    table = b.reshape(block_table, (batch * pages,), "pages")

    def paged(cache: Value) -> Value:
        flat = b.reshape(cache, (blocks, size * heads * cache.shape[-1]), "flat")
        rows = selection.index_select(b, flat, 0, table)
        return selection.permute(b, b.reshape(rows, (batch, slots, heads, cache.shape[-1]), "tokens"), [0, 2, 1, 3])

    keys, values = paged(k_cache), paged(v_cache)
    place = b.cast(b.positions((slots,), 0, "place"), "fp32", hint="number")
    ahead = b.binary(
        "sub", b.reshape(b.cast(lengths, "fp32", hint="length"), (*lengths.shape, sympy.Integer(1))), place
    )
    nearest = b.binary("minimum", b.binary("sub", ahead, b.scalar(sympy.Float(0.5))), b.scalar(0), hint="nearest")
    bias = b.binary("mul", nearest, b.scalar(sympy.Float(FAR)), hint="bias")
    one = sympy.Integer(1)
    return attention(
        b, q, keys, values, scale, False, b.reshape(bias, (lengths.shape[0], one, one, slots), "bias_rows")
    )


def usual_scale(b: Builder, width: Any) -> Any:
    """1 / sqrt(width), for rows of a length that may be known to calls alone."""
    size = b.dims.resolve(width)
    return 1 / sympy.sqrt(sympy.Float(size) if size.is_number else size)


def _to_one_key(
    b: Builder, operands: tuple[Value, Value, Value], scale: Any, causal: bool, bias: Value | None
) -> Value:
    """Attention to a single key, whose weight is 1: v, or NaN where the score is no finite number. Raises PTG205,
    PTG206."""
    q, k, v = operands
    if causal:
        _need_positions(b, q.shape[-2], k.shape[-2])
    score = b.binary("mul", _product(b, q, b.transpose(k, "keys"), "qk"), b.scalar(scale), hint="s")
    if bias is not None:
        _check_bias(b, bias, k.shape[-2])
        score = b.binary("add", score, bias, hint="s_biased")
    weight = b.unary("exp", b.binary("sub", score, score, hint="below_max"), hint="p")
    return b.cast(b.binary("mul", weight, b.cast(v, "fp32"), hint="pv"), q.dtype)


def _need_positions(b: Builder, rows: Any, keys: Any) -> None:
    """Raises PTG205 for more queries than keys."""
    if not b.dims.need_at_least(keys, rows, "causal attention: the queries are the last positions", b.at):
        shown = f"{show_size(rows)} queries and {show_size(keys)} keys"
        raise b.fault("PTG205", f"causal attention of {shown}", expected="no more queries than keys")


def _positions(b: Builder, rows: Any, keys: Any, block: Any) -> tuple[Value, Value]:
    """A number for each query and for each key of the block, whose difference is huge where the query attends to the
    key and as far below 0 where it does not: a score is the lesser of itself and this difference. Raises PTG205."""
    _need_positions(b, rows, keys)
    far = b.scalar(sympy.Float(FAR))
    own = b.cast(b.positions((rows, sympy.Integer(1)), keys - rows, "row_place"), "fp32", hint="row_number")
    key = b.cast(b.positions((block,), 0, "key_place"), "fp32", hint="key_number")
    limit = b.binary("mul", b.binary("add", own, b.scalar(sympy.Float(0.5))), far, hint="limit")
    return limit, b.binary("mul", key, far, hint="key_far")


def _bias_block(b: Builder, bias: Value, keys: Any, block: Any) -> Value:
    """This iteration's columns of what is added to the scores. Raises PTG205, PTG206."""
    _check_bias(b, bias, keys)
    return b.block(bias, len(bias.shape) - 1, block)


def _check_bias(b: Builder, bias: Value, keys: Any) -> None:
    """Raises PTG205, PTG206."""
    if bias.dtype != "fp32":
        raise b.fault("PTG206", f"attention with a bias of {bias.dtype}", expected="fp32", fix="cast it")
    if not bias.shape or not b.dims.equal(bias.shape[-1], keys):
        shown = f"attention to {show_size(keys)} keys with a bias {show_shape(bias.shape)}"
        fix = unrelated(b.dims, bias.shape[-1:], (keys,))
        raise b.fault("PTG205", shown, expected="the keys as last axis of the bias", fix=fix)


def _iteration(
    b: Builder,
    operands: tuple[Value, Value, Value],
    carries: tuple[Value, ...],
    sizes: tuple[Any, Any],
    changes: tuple[tuple[Value, Value] | None, Value | None],
) -> tuple[Value, Value, Value]:
    """The next greatest score, sum and weighted sum."""
    (q, k, v), (peak, total, acc), (size, scale) = operands, carries, sizes
    keys = b.transpose(b.block(k, len(k.shape) - 2, size), "keys")
    scores = b.binary("mul", _product(b, q, keys, "qk"), b.scalar(scale), hint="s")
    limits, added = changes
    if added is not None:
        scores = b.binary("add", scores, added, hint="s_biased")
    if limits is not None:
        scores, mask = b.same_rank(scores, b.binary("sub", *limits, hint="mask"))
        scores = b.emit("minimum", [scores, mask], scores.dtype, scores.shape, "s_masked", mask=True)
    highest = b.binary("maximum", peak, b.reduce("amax", scores, -1, hint="block_max"), hint="max_next")
    weights = b.unary("exp", b.binary("sub", scores, highest, hint="below_max"), hint="p")
    again = b.unary("exp", b.binary("sub", peak, highest, hint="max_step"), hint="alpha")
    more = b.reduce("sum", weights, -1, hint="block_sum")
    sums = b.binary("add", b.binary("mul", total, again, hint="sum_scaled"), more, hint="sum_next")
    values = _product(b, b.cast(weights, v.dtype, hint="p_low"), b.block(v, len(v.shape) - 2, size), "pv")
    return highest, sums, b.binary("add", b.binary("mul", acc, again, hint="acc_scaled"), values, hint="acc_next")


def _product(b: Builder, left: Value, right: Value, hint: str) -> Value:
    if len(right.shape) == 2:
        return b.matmul(left, right, "fp32", hint)
    return selection.batch_matmul(b, left, right, "fp32", hint)


def _over_a_dim(b: Builder, k: Value, v: Value) -> tuple[Value, Value]:
    """Keys and values whose number is a dim, so that a loop can take blocks of it."""
    over = b.dims.named(k.shape[-2], "keys", b.at)
    shapes = [(*x.shape[:-2], over, x.shape[-1]) for x in (k, v)]
    both = zip((k, v), shapes, strict=True)
    named = [x if x.shape == s else b.emit("reshape", [x], x.dtype, s, "named", shape=s) for x, s in both]
    return named[0], named[1]


def _check(b: Builder, q: Value, k: Value, v: Value) -> None:
    """Raises PTG109, PTG204, PTG205, PTG206."""
    shapes = f"{show_shape(q.shape)}, {show_shape(k.shape)} and {show_shape(v.shape)}"
    if b.loop:
        raise b.fault("PTG109", "attention inside of a loop is not supported yet", fix="put it into a stage of its own")
    if len(k.shape) != len(v.shape) or len(k.shape) < 2 or len(q.shape) not in (len(k.shape), len(k.shape) + 1):
        raise b.fault("PTG204", f"attention of {shapes}", expected="q [.., sq, d], k [.., kv, d] and v [.., kv, e]")
    if not (q.dtype == k.dtype == v.dtype):
        raise b.fault("PTG206", f"attention of {q.dtype}, {k.dtype} and {v.dtype}", expected="one dtype")
    leading = len(k.shape) - 2
    given = (*v.shape[:-1], *q.shape[:leading], q.shape[-1])
    wanted = (*k.shape[:-1], *k.shape[:-2], k.shape[-1])
    if not b.dims.same_shape(given, wanted):
        raise b.fault(
            "PTG205",
            f"attention of {shapes}",
            expected="q [.., sq, d], k [.., kv, d] and v [.., kv, e] with equal leading axes",
            fix=unrelated(b.dims, given, wanted)
            or "for heads of q that share one of k: reshape q to [.., heads of k, heads that share one, sq, d]",
        )
