"""What imported operations become, as values of the language: shared by all front ends.

A front end knows the shape and dtype of each result; these functions know how it is written, and convert what the
language does not convert by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyptogen.importing.expression import (
    ATOM,
    PRODUCT,
    SUM,
    Expression,
    along_axis,
    call,
    infix,
    listed,
    new_axis,
    number,
    prefix,
    subscript,
)
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.writing import Value

FLOATS = frozenset({"fp32", "fp16", "bf16"})
_INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")
Operand = Value | float
Shape = tuple[str, ...]


def cast(x: Value, dtype: str) -> Value:
    """``x`` in another dtype; floats become integers by cutting, as C has it."""
    if x.dtype == dtype:
        return x
    if dtype == "bool":
        return Value(infix(x.expression, "!=", number(0)), "bool", x.shape, "mask")
    if x.expression.truth_of is not None and dtype not in FLOATS:
        return cast(replace(x, expression=x.expression.truth_of, dtype="int32"), dtype)
    options = {"mode": "trunc"} if x.dtype in FLOATS and dtype not in FLOATS else {}
    return replace(x, expression=call("cast", x.expression, dtype, **options), dtype=dtype)


def truth(x: Value) -> Value:
    """Zeros and ones of int32 as truth values, which are these numbers again where numbers are asked for."""
    made = cast(x, "bool")
    return replace(made, expression=replace(made.expression, truth_of=x.expression))


def operand(x: Operand, dtype: str) -> Expression:
    """An operand of an operation in ``dtype``."""
    if isinstance(x, Value):
        return cast(x, dtype).expression
    return number(int(x) if dtype not in FLOATS and float(x).is_integer() else x)


def unary(word: str, x: Value, dtype: str, shape: Shape, **options: str) -> Value:
    return Value(call(word, operand(x, dtype), **options), dtype, shape, word)


def negative(x: Value, dtype: str) -> Value:
    return Value(prefix("-", operand(x, dtype)), dtype, x.shape, "negative")


def binary(a: Operand, operator: str, b: Operand, dtype: str, shape: Shape, word: str) -> Value:
    """``a operator b``, computed in ``dtype``."""
    return Value(infix(operand(a, dtype), operator, operand(b, dtype)), dtype, shape, word)


def comparison(a: Operand, operator: str, b: Operand, dtype: str, shape: Shape) -> Value:
    """Of two operands in ``dtype``."""
    if dtype == "bool":
        dtype = "int32"
    return Value(infix(operand(a, dtype), operator, operand(b, dtype)), "bool", shape, "mask")


def function(word: str, a: Operand, b: Operand, dtype: str, shape: Shape) -> Value:
    """A function of two operands."""
    return Value(call(word, operand(a, dtype), operand(b, dtype)), dtype, shape, word)


def where(condition: Value, a: Operand, b: Operand, dtype: str, shape: Shape) -> Value:
    parts = cast(condition, "bool").expression, operand(a, dtype), operand(b, dtype)
    if not isinstance(a, Value) and not isinstance(b, Value) and dtype != "fp32":
        return cast(Value(call("where", *parts), "fp32", shape), dtype)
    return Value(call("where", *parts), dtype, shape, "chosen")


def reduced(word: str, x: Value, axes: Sequence[int], keepdim: bool, dtype: str, shape: Shape, **options: str) -> Value:
    """A reduction over axes, which are counted from the front or from the back."""
    axis = str(_from_the_back(axes[0], x.rank)) if len(axes) == 1 else listed(sorted(a % x.rank for a in axes))
    if keepdim:
        options["keepdim"] = "true"
    return Value(call(word, operand(x, dtype), axis=axis, **options), dtype, shape, _SHORT.get(word, word))


_SHORT = {"amax": "highest", "amin": "lowest", "sum": "total"}


def _from_the_back(axis: int, rank: int) -> int:
    """The last axis as -1, which reads well whatever the rank."""
    axis %= max(rank, 1)
    return -1 if axis == rank - 1 else axis


def along(word: str, x: Value, axis: int, dtype: str, **options: str) -> Value:
    """An operation along one axis that keeps the shape."""
    given = operand(x, dtype)
    return Value(
        call(word, given, axis=str(_from_the_back(axis, x.rank)), **options), dtype, x.shape, word.removeprefix("cum")
    )


def reshape(x: Value, shape: Shape) -> Value:
    if x.shape == shape:
        return x
    for axis, size in enumerate(shape):
        if size == "1" and x.shape == (*shape[:axis], *shape[axis + 1 :]):
            return unsqueeze(x, axis, shape)
    return replace(x, expression=call("reshape", x.expression, listed(shape)), shape=shape)


def unsqueeze(x: Value, axis: int, shape: Shape) -> Value:
    return replace(x, expression=new_axis(x.expression, axis), shape=shape)


def transpose(x: Value, a: int, b: int) -> Value:
    a, b = sorted((a % x.rank, b % x.rank))
    shape = list(x.shape)
    shape[a], shape[b] = shape[b], shape[a]
    if a == b:
        return x
    if x.rank == 2:
        text = Expression(f"{x.expression.at(0)}.T")
    elif (a, b) == (x.rank - 2, x.rank - 1):
        text = call("transpose", x.expression, "-2", "-1")
    else:
        text = call("transpose", x.expression, str(a), str(b))
    return replace(x, expression=text, shape=tuple(shape))


def permute(x: Value, order: Sequence[int]) -> Value:
    order = [axis % x.rank for axis in order]
    moved = [i for i, axis in enumerate(order) if axis != i]
    if len(moved) < 3:
        return transpose(x, *moved) if moved else x
    shape = tuple(x.shape[axis] for axis in order)
    return replace(x, expression=call("permute", x.expression, listed(order)), shape=shape)


def expand(x: Value, shape: Shape) -> Value:
    if x.shape == shape:
        return x
    return replace(x, expression=call("expand_clone", x.expression, listed(shape)), shape=shape)


def on_axis(x: Value, rank: int, axis: int) -> Value:
    """A vector as it meets the axis ``axis`` of a tensor of this rank."""
    for _ in range(rank - 1 - axis % rank):
        x = unsqueeze(x, x.rank, (*x.shape, "1"))
    return x


def repeat(x: Value, times: Sequence[int]) -> Value:
    """``x`` so many times along each axis; the last axes are its own."""
    before = ("1",) * (len(times) - x.rank) + x.shape
    parts = list(zip(times, before, strict=True))
    repeated = [part for count, size in parts for part in ((str(count), size) if count != 1 else (size,))]
    single = [part for count, size in parts for part in (("1", size) if count != 1 else (size,))]
    whole = expand(reshape(x, tuple(single)), tuple(repeated))
    return reshape(whole, tuple(_times(count, size) for count, size in parts))


def _times(count: int, size: str) -> str:
    if size.isdigit():
        return str(count * int(size))
    return size if count == 1 else f"{count} * {Expression(size, ATOM if size.isalnum() else SUM).at(PRODUCT)}"


def slice_(x: Value, axis: int, begin: str, end: str, step: int, shape: Shape) -> Value:
    """``x[begin:end:step]`` along an axis; empty texts are the ends."""
    if not begin and not end and step == 1:
        return x
    part = f"{begin}:{end}" + (f":{step}" if step != 1 else "")
    return replace(x, expression=along_axis(x.expression, axis % x.rank, part), shape=shape)


def select(x: Value, axis: int, index: str, shape: Shape) -> Value:
    return replace(x, expression=along_axis(x.expression, axis % x.rank, index), shape=shape)


def concat(parts: Sequence[Value], axis: int, dtype: str, shape: Shape) -> Value:
    given = [operand(part, dtype) for part in parts]
    axis_text = str(_from_the_back(axis, parts[0].rank))
    return Value(call("concat", *given, axis=axis_text), dtype, shape, "joined")


def full(shape: Shape, value: float, dtype: str) -> Value:
    text = number(int(value) if dtype not in FLOATS else value)
    if dtype == "bool":
        return truth(full(shape, bool(value), "int32"))
    if value in (0, 1):
        return Value(call("ones" if value else "zeros", listed(shape), dtype), dtype, shape, "filled")
    return Value(call("full", listed(shape), text, dtype), dtype, shape, "filled")


def matmul(a: Value, b: Value, dtype: str, shape: Shape) -> Value:
    """The product, with vectors as PyTorch and NumPy take them."""
    if a.dtype != b.dtype:
        a, b = cast(a, dtype), cast(b, dtype)
    if a.dtype not in (*FLOATS, "int8"):
        raise NotTakenError(f"a matrix product of {a.dtype}", "cast its operands to a float")
    if a.rank == 1:
        whole = matmul(unsqueeze(a, 0, ("1", *a.shape)), b, dtype, (*shape[:-1], "1", *shape[-1:]))
        return replace(whole, expression=_dropped(whole, shape), shape=shape)
    if b.rank == 1:
        column = replace(b, expression=subscript(b.expression, ":", "None"), shape=(*b.shape, "1"))
        whole = matmul(a, column, dtype, (*shape, "1"))
        return replace(whole, expression=_dropped(whole, shape), shape=shape)
    if 2 <= a.rank < b.rank:
        a = replace(a, expression=subscript(a.expression, *["None"] * (b.rank - a.rank)))
    elif 2 < b.rank < a.rank:
        b = replace(b, expression=subscript(b.expression, *["None"] * (a.rank - b.rank)))
    options = {} if dtype == a.dtype else {"dtype": dtype}
    return Value(call("matmul", a.expression, b.expression, **options), dtype, shape, "product")


def _dropped(x: Value, shape: Shape) -> Expression:
    return call("reshape", x.expression, listed(shape))


def linear(x: Value, weight: Value, bias: Value | None, dtype: str, shape: Shape) -> Value:
    """``x @ weight.T + bias``: the bias is added before the result is rounded."""
    transposed = transpose(weight, 0, 1)
    if bias is None:
        return matmul(x, transposed, dtype, shape)
    whole = matmul(x, transposed, "fp32", shape)
    added = binary(whole, "+", bias, "fp32", shape, "linear")
    return cast(added, dtype)


def flip(x: Value, axis: int) -> Value:
    """The elements along an axis from the last to the first."""
    size = x.shape[axis % x.rank]
    last = infix(Expression(size), "-", number(1)) if not size.isdigit() else number(int(size) - 1)
    places = Value(infix(last, "-", call("arange", size, dtype="int64")), "int64", (size,), "positions")
    return replace(index_rows(x, axis, places, x.shape), word="flipped")


def index_rows(x: Value, axis: int, index: Value, shape: Shape) -> Value:
    """The slices of ``x`` along an axis that an index of any rank names."""
    axis %= x.rank
    index = indices(index)
    if index.rank == 1:
        return Value(call("index_select", x.expression, str(axis), index.expression), x.dtype, shape, "rows")
    flat = call("reshape", index.expression, "[-1]")
    found = call("index_select", x.expression, str(axis), flat)
    return Value(call("reshape", found, listed(shape)), x.dtype, shape, "rows")


def indices(x: Value) -> Value:
    """Indices as the language takes them."""
    return x if x.dtype in ("int32", "int64") else cast(x, "int32")


def promoted(a: str, b: str) -> str:
    """The dtype in which two integers meet."""
    return max(a, b, key=_INTEGERS.index)
