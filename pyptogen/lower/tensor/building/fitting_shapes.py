"""What to do about shapes that do not fit, for the fix that a diagnostic proposes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pyptogen.lower.tensor.building.dims import DimTable, show_shape, show_size
from pyptogen.lower.tensor.building.quotients import quotient_where_equal
from pyptogen.lower.tensor.ir import ARG_REDUCE, REDUCE, Op, Shape, Value


def to_broadcast(dims: DimTable, a: Shape, b: Shape, reduction: str = "") -> str:
    """How two shapes that do not broadcast may be made to; "" where nothing near does. ``reduction`` is the word of the
    operation that has dropped an axis of one of them."""
    short, long = sorted((a, b), key=len)
    index = _new_axes(dims, short, long)
    if index and reduction:
        return f"did you mean `{reduction}(…, keepdim=true)`, so that {show_shape(short)} keeps its axis of size 1?"
    if index:
        return (
            f"give the operand of shape {show_shape(short)} the missing axes, `…{index}`; a reduction keeps its own"
            " with `keepdim=true`"
        )
    for size in (size for shape in (a, b) for size in shape):
        block = next((s.name for s in getattr(size, "free_symbols", ()) if s.name.endswith(".tile")), None)
        if block is not None:
            over = block.removesuffix(".tile")
            return (
                f"blocks of `{over}` are not all of one size: take a block of something of all of `{over}`, such as"
                f" `n[{over}]` with `n: arange({over})` in a stage before"
            )
    return unrelated(dims, a, b)


def reduction_of(ops: Sequence[Op], *values: Value) -> str:
    """The reduction that one of these values is, without the axis that it had; "" where none is."""
    defining = {op.result.name: op for op in ops}
    for value in values:
        op = defining.get(value.name)
        while op is not None and op.kind == "reshape" and isinstance(op.operands[0], Value):
            op = defining.get(op.operands[0].name)
        if op is not None and op.kind in REDUCE | ARG_REDUCE:
            return op.kind
    return ""


def unrelated(dims: DimTable, a: Shape, b: Shape) -> str:
    """What a spec says where sizes that nothing relates are meant to be equal; "" where they can never be. Axes are
    compared from the last one on."""
    for one, other in zip(reversed(a), reversed(b), strict=False):
        if not dims.equal(one, other) and not dims.is_one(one) and not dims.is_one(other):
            if not dims.may_be_equal(one, other):
                return ""
            as_dim = quotient_where_equal(dims.resolve(one), dims.resolve(other), dims.dims)
            if as_dim:
                return as_dim
            sides = (size if dims.is_declared(size) else dims.resolve(size) for size in (one, other))
            left, right = map(show_size, sides)
            return f"if `{left}` is always `{right}`, say so: `requires: [{left} == {right}]`, or use one dim for both"
    return ""


def to_declared(dims: DimTable, declared: Shape, given: Shape) -> str:
    """The permutation that makes a value what was declared, or the axis that it lacks; "" where nothing near does."""
    if len(given) == len(declared) == 2 and dims.same_shape(given[::-1], declared):
        return "transpose it: `transpose(…)`"
    if len(given) == len(declared) + 1 and any(
        dims.is_one(size) and dims.same_shape((*given[:axis], *given[axis + 1 :]), declared)
        for axis, size in enumerate(given)
    ):
        return f"leave out the axis of size 1: `reshape(…, {show_shape(declared)})`"
    if len(given) + 1 == len(declared) and any(
        dims.is_one(size) and dims.same_shape((*declared[:axis], *declared[axis + 1 :]), given)
        for axis, size in enumerate(declared)
    ):
        return f"add the axis of size 1: `reshape(…, {show_shape(declared)})`, or `keepdim=true` of a reduction"
    return ""


def _new_axes(dims: DimTable, short: Shape, long: Shape) -> str:
    """The index with `None` that makes the shorter shape fit, such as `[:, None]`; "" where there is none."""
    if not 0 < len(short) < len(long):
        return ""
    for kept in combinations(range(len(long)), len(short)):
        if all(_fits(dims, size, long[axis]) for size, axis in zip(short, kept, strict=True)):
            inner = [":" if axis in kept else "None" for axis in range(kept[0], len(long))]
            return f"[{', '.join(inner)}]"
    return ""


def _fits(dims: DimTable, size: Any, other: Any) -> bool:
    return bool(dims.equal(size, other) or dims.is_one(size))
