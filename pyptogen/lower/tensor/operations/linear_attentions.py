"""Attention to a state of fixed size instead of to all keys: a recurrence over the tokens, in chunks of them."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.block_loop import BlockLoop
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.building.registry import operation
from pyptogen.lower.tensor.ir import Shape, Value
from pyptogen.lower.tensor.operations.attentions import usual_scale
from pyptogen.records import dataclass

CHUNK = 64
"""Tokens of an iteration: with more, there is more work inside of chunks, and fewer steps of the state."""

FORGOTTEN = -104
"""The exponential of this is 0 in fp32. No logarithm of a decay need be less, and sums of a chunk stay small."""

FAR = 1e30
"""Times half a token: more than any sum of logarithms."""

_ONE = sympy.Integer(1)


@operation(
    "gated_delta_rule(q, k, v, g, beta, state = None, scale: scalar = None)",
    "q and k [.., t, heads, dk] and v [.., t, heads, dv], floats of one dtype, but that v may have one more axis "
    "before dv, the group of value heads that share a query and a key; g and beta, fp32, as v without dv; state "
    "[.., heads, dk, dv], fp32, with the group where v has it; two results: shape and dtype of v, and the state",
    "gated_delta_rule(x[:, None, :], z[:, None, :], x[:, None, :], s, s)",
)
def gated_delta_rule(
    b: Builder, q: Value, k: Value, v: Value, g: Value, beta: Value, state: Value | None, scale: Any
) -> tuple[Value, Value]:
    """What the queries read, and the state behind the last token (Yang et al. 2024, "Gated Delta Networks: Improving
    Mamba2 with Delta Rule"). Token by token: state = exp(g) * state; state = state + k.T @ (beta * (v - k @ state));
    o = scale * (q @ state), where q, k and v are rows. state is zeros and scale 1 / sqrt(dk) where they are not given;
    g is the logarithm of a decay, -inf forgets all; models give rows of q and k the length 1. Computed in chunks of 64
    tokens: what those of a chunk change follows from the inverse of one plus a strictly lower triangle, in fp32, and
    from products with the state before the chunk. These products take inverses, changes and states rounded to the dtype
    of k, and add in fp32; the state itself is not rounded. A single token, known as such at build time, takes the step
    as it is written here, in fp32."""
    _check(b, q, k, v, g, beta, state)
    if scale is None:
        scale = usual_scale(b, q.shape[-1])
    tokens, shapes = len(q.shape) - 3, (v.shape, _state_shape(q, v))
    if b.dims.is_one(q.shape[tokens]):
        return _one_token(b, (q, k, v), (g, beta), state, scale)
    if state is None:
        state = b.full(shapes[1], 0, "fp32", "state_start")
    over = b.dims.named(q.shape[tokens], "tokens", b.at)
    heads = (*v.shape[tokens + 1 : -1], _ONE)[:2]  # and groups, also where there is but one
    q, k = (b.reshape(x, (*x.shape[:tokens], over, heads[0], _ONE, x.shape[-1]), "grouped") for x in (q, k))
    v = b.reshape(v, (*v.shape[:tokens], over, *heads, v.shape[-1]), "grouped")
    g, beta = (
        selection.permute(b, b.reshape(x, v.shape[:-1]), _heads_first(tokens, 0), word)
        for x, word in ((g, "g"), (beta, "beta"))
    )
    chunks = _Chunks(b, over, q, k, v, g, beta)
    gamma = chunks.decays()
    u, w = chunks.settled(gamma)
    state = b.reshape(state, (*state.shape[:tokens], *heads, *state.shape[-2:]), "grouped")
    change, recalled, last = chunks.passed_on(gamma, u, w, state)
    read = chunks.read(gamma, change, recalled, scale)
    back = (*range(tokens), tokens + 2, tokens, tokens + 1, tokens + 3)
    return b.reshape(selection.permute(b, read, back), shapes[0]), b.reshape(last, shapes[1], "state_last")


def _heads_first(tokens: int, features: int) -> tuple[int, ...]:
    """The order of axes that puts the tokens behind heads and groups."""
    return (*range(tokens), tokens + 1, tokens + 2, tokens, *range(tokens + 3, tokens + 3 + features))


def _one_token(
    b: Builder, rows: tuple[Value, Value, Value], gates: tuple[Value, Value], state: Value | None, scale: Any
) -> tuple[Value, Value]:
    """The recurrence itself for a single token, in fp32: q @ state is put together from what q reads of the state
    before and from the change, so that both products read the same state."""
    q, k, v = (b.cast(x, "fp32", hint=f"{word}_wide") for x, word in zip(rows, "qkv", strict=True))
    heads = _state_shape(q, v)[:-2]
    shared = heads if len(v.shape) == len(q.shape) else (*heads[:-1], _ONE)
    q, k = (b.reshape(x, (*shared, _ONE, x.shape[-1]), "row") for x in (q, k))
    v = b.reshape(v, (*heads, _ONE, v.shape[-1]), "row")
    g, beta = (b.reshape(x, (*heads, _ONE, _ONE), "one") for x in gates)
    left = b.unary("exp", g, hint="left")
    if state is not None:
        v = b.binary("sub", v, b.binary("mul", _product(b, k, state, "known"), left, hint="known_left"), hint="new")
    change = b.binary("mul", v, beta, hint="change")
    alike = b.reduce("sum", b.binary("mul", q, k, hint="qk_parts"), -1, hint="qk")
    read = b.binary("mul", change, alike, hint="new_read")
    last = b.binary("mul", b.transpose(k, "column"), change, hint="added")
    if state is not None:
        old = b.binary("mul", _product(b, q, state, "recalled"), left, hint="old")
        read = b.binary("add", old, read, hint="read")
        last = b.binary("add", b.binary("mul", state, left, hint="state_left"), last, hint="state_end")
    read = b.cast(_scaled(b, read, scale), rows[0].dtype, hint="read_low")
    return b.reshape(read, rows[2].shape), b.reshape(last, _state_shape(rows[0], rows[2]))


@dataclass(frozen=True, slots=True)
class _Chunks:
    """Loops over the chunks of q, k and v [.., t, heads, group, d], and of g and beta [.., heads, group, t]."""

    b: Builder
    over: Any
    q: Value
    k: Value
    v: Value
    g: Value
    beta: Value

    def loop(self) -> BlockLoop:
        """A loop over chunks, which mean the same in all loops."""
        return BlockLoop(self.b, self.over, CHUNK, exact=True)

    def rows(self, loop: BlockLoop, x: Value) -> Value:
        """A chunk's rows, [.., heads, group, t, d]: in an iteration, where products read them wherever they lie, this
        order is no copy."""
        return selection.permute(self.b, loop.block(x, -4), _heads_first(len(x.shape) - 4, 1))

    def decays(self) -> Value:
        """The logarithm of what is left of the state before a chunk, at each of its tokens: [.., t]."""
        b = self.b
        with self.loop() as loop:
            ahead = b.binary("sub", *_places(b, loop, "fp32"), hint="ahead")
            reached = _clip(b, b.binary("add", ahead, b.scalar(1), hint="ahead_1"), "reached")
            until = b.binary("mul", reached, _row(b, _least(b, loop.block(self.g, -1))), hint="g_until")
            gamma = b.reduce("sum", until, -1, keepdim=False, hint="gamma_block")
        return loop.collected(gamma, -1, "gamma")

    def settled(self, gamma: Value) -> tuple[Value, Value]:
        """What the tokens of each chunk change if the state before it is 0, [.., t, dv], and the rows [.., t, dk] by
        which they change less if it is not. With a = beta * (k @ k.T) * decay below the diagonal, (1 + a) @ change is
        beta * v."""
        b = self.b
        with self.loop() as loop:
            k, v = (self.rows(loop, x) for x in (self.k, self.v))
            gamma, beta = (loop.block(x, -1) for x in (gamma, self.beta))
            alike = _product(b, k, b.transpose(k, "k_t"), "kk")
            a = b.binary("mul", alike, _since(b, loop, gamma, own=False), hint="a_decayed")
            a = b.binary("mul", a, _column(b, beta), hint="a")
            change = b.binary("mul", _inverse(b, loop, a), _row(b, beta), hint="change")
            less = b.binary("mul", change, b.unary("exp", _row(b, gamma), hint="left"), hint="less")
            u = _product(b, b.cast(change, v.dtype, hint="change_low"), v, "u_block")
            w = b.cast(_product(b, b.cast(less, k.dtype, hint="less_low"), k, "w_wide"), k.dtype, hint="w_block")
        return loop.collected(u, -2, "u"), loop.collected(w, -2, "w")

    def passed_on(self, gamma: Value, u: Value, w: Value, state: Value) -> tuple[Value, Value, Value]:
        """What the tokens change, and what their queries recall of the state before their chunk, both [.., t, dv] and
        but for decays inside of the chunk; and the last state."""
        b = self.b
        with self.loop() as loop:
            q, k = (self.rows(loop, x) for x in (self.q, self.k))
            u, w = (loop.block(x, -2) for x in (u, w))
            g, gamma = (loop.block(x, -1) for x in (self.g, gamma))
            (carry,) = loop.carry(state=state)
            before = b.cast(carry, k.dtype, hint="state_low")
            change = b.binary("sub", u, _product(b, w, before, "known"), hint="change")
            whole = b.reduce("sum", _row(b, _least(b, g)), -1, hint="gamma_end")
            kept = b.unary("exp", b.binary("sub", whole, _column(b, gamma), hint="to_end"), hint="kept")
            lasting = b.cast(b.binary("mul", change, kept, hint="lasting"), k.dtype, hint="lasting_low")
            left = b.binary("mul", carry, b.unary("exp", whole, hint="left"), hint="state_left")
            loop.follow(b.binary("add", left, _product(b, b.transpose(k, "k_t"), lasting, "added"), hint="state_next"))
            change = b.cast(change, k.dtype, hint="change_block")
            recalled = _product(b, q, before, "recalled_block")
        (last,) = loop.carried()
        return loop.collected(change, -2, "change"), loop.collected(recalled, -2, "recalled"), last

    def read(self, gamma: Value, change: Value, recalled: Value, scale: Any) -> Value:
        """What the queries read of the state before their chunk and of what has changed since: [.., t, dv]."""
        b = self.b
        with self.loop() as loop:
            q, k = (self.rows(loop, x) for x in (self.q, self.k))
            change, recalled = (loop.block(x, -2) for x in (change, recalled))
            gamma = loop.block(gamma, -1)
            scores = _product(b, q, b.transpose(k, "k_t"), "qk")
            p = b.binary("mul", scores, _since(b, loop, gamma, own=True), hint="p")
            new = _product(b, b.cast(p, q.dtype, hint="p_low"), change, "new")
            old = b.binary("mul", recalled, b.unary("exp", _column(b, gamma), hint="left"), hint="old")
            read = _scaled(b, b.binary("add", old, new, hint="read"), scale)
            read = b.cast(read, q.dtype, hint="read_block")
        return loop.collected(read, -2, "read")


def _inverse(b: Builder, loop: BlockLoop, a: Value) -> Value:
    """1 / (1 + a) of a strictly lower triangle. Its blocks on the diagonal are inverted, two by two: with d the inverse
    of those before, and c what joins two of them, that of the next ones is d - d @ c @ d."""
    column, row = _places(b, loop, "int32")
    apart = b.cast(b.binary("bitwise_xor", column, row, hint="apart"), "fp32", hint="apart_number")
    near = b.unary("neg", apart, hint="near")

    def within(size: int) -> Value:
        """1 in the blocks of so many rows, which is a power of two, else 0."""
        return _clip(b, b.binary("add", near, b.scalar(size), hint=f"near_{size}"), f"within_{size}")

    size = 2
    joint = b.binary("mul", a, within(size), hint="joint_2")
    inverse, rest = b.binary("sub", within(1), joint, hint="inverse_2"), b.binary("sub", a, joint, hint="rest_2")
    while size < loop.tile:
        size *= 2
        joint = rest
        if size < loop.tile:
            joint = b.binary("mul", rest, within(size), hint=f"joint_{size}")
            rest = b.binary("sub", rest, joint, hint=f"rest_{size}")
        corner = _product(b, inverse, _product(b, joint, inverse, f"joined_{size}"), f"corner_{size}")
        inverse = b.binary("sub", inverse, corner, hint=f"inverse_{size}")
    return inverse


def _since(b: Builder, loop: BlockLoop, gamma: Value, own: bool) -> Value:
    """What is left, at the token of a row, of what that of a column changed: 0 where it comes later, and of its ``own``
    change all or nothing."""
    column, row = _places(b, loop, "fp32")
    far = b.scalar(sympy.Float(FAR))
    own_far = b.binary("add", column, b.scalar(sympy.Float(0.5 if own else -0.5)), hint="column_own")
    limit = b.binary("sub", b.binary("mul", own_far, far, hint="column_far"), b.binary("mul", row, far, hint="row_far"))
    passed = b.binary("sub", _column(b, gamma), _row(b, gamma), hint="passed")
    return b.unary("exp", b.binary("minimum", passed, limit, hint="passed_masked"), hint="since")


def _places(b: Builder, loop: BlockLoop, dtype: str) -> tuple[Value, Value]:
    """The numbers of a chunk's tokens as a column and as a row."""
    shapes = (("column", (loop.size, _ONE)), ("row", (loop.size,)))
    column, row = (
        b.cast(b.positions(shape, 0, word, in_block=True), dtype, hint=f"{word}_at") for word, shape in shapes
    )
    return column, row


def _least(b: Builder, g: Value) -> Value:
    return b.binary("maximum", g, b.scalar(FORGOTTEN), hint="g_least")


def _scaled(b: Builder, x: Value, scale: Any) -> Value:
    return x if scale == 1 else b.binary("mul", x, b.scalar(scale), hint="read_scaled")


def _clip(b: Builder, x: Value, hint: str) -> Value:
    """Whole numbers to 0 and 1."""
    return b.binary("minimum", b.binary("maximum", x, b.scalar(0), hint=f"{hint}_least"), b.scalar(1), hint=hint)


def _column(b: Builder, x: Value) -> Value:
    return b.reshape(x, (*x.shape, _ONE), "column")


def _row(b: Builder, x: Value) -> Value:
    return b.reshape(x, (*x.shape[:-1], _ONE, x.shape[-1]), "row")


def _product(b: Builder, left: Value, right: Value, hint: str) -> Value:
    return selection.batch_matmul(b, left, right, "fp32", hint)


def _check(b: Builder, q: Value, k: Value, v: Value, g: Value, beta: Value, state: Value | None) -> None:
    """Raises PTG109, PTG204, PTG205, PTG206."""
    if b.loop:
        fix = "put it into a stage of its own"
        raise b.fault("PTG109", "gated_delta_rule inside of a loop is not supported yet", fix=fix)
    b.need_float(q, "gated_delta_rule")
    group = len(v.shape) - len(q.shape)
    if len(q.shape) < 3 or group not in (0, 1):
        shapes = " and ".join(show_shape(x.shape) for x in (q, v))
        expected = "q [.., t, heads, dk], and v [.., t, heads, dv] or [.., t, heads, group, dv]"
        raise b.fault("PTG204", f"gated_delta_rule of q {shapes} as v", expected=expected)
    _need(b, "k", k, q.dtype, q.shape)
    _need(b, "v", v, q.dtype, (*q.shape[:-1], *v.shape[len(q.shape) - 1 :]))
    _need(b, "g", g, "fp32", v.shape[:-1])
    _need(b, "beta", beta, "fp32", v.shape[:-1])
    if state is not None:
        _need(b, "state", state, "fp32", _state_shape(q, v))


def _state_shape(q: Value, v: Value) -> Shape:
    tokens = len(q.shape) - 3
    return (*v.shape[:tokens], *v.shape[tokens + 1 : -1], q.shape[-1], v.shape[-1])


def _need(b: Builder, name: str, x: Value, dtype: str, shape: Shape) -> None:
    """Raises PTG204, PTG205, PTG206 for another shape or dtype of an argument."""
    what = f"`{name}` of gated_delta_rule is {x.dtype}{show_shape(x.shape)}"
    expected = f"{dtype}{show_shape(shape)}"
    if len(x.shape) != len(shape):
        raise b.fault("PTG204", what, expected=expected)
    if x.dtype != dtype:
        raise b.fault("PTG206", what, expected=expected, fix=f"cast it: `cast(…, {dtype})`")
    if not b.dims.same_shape(x.shape, shape):
        raise b.fault("PTG205", what, expected=expected, fix=unrelated(b.dims, x.shape, shape))
