"""Indices along several axes, which the language has along one: the axes together are one."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import ATOM, OR, Expression, call, infix, number, subscript
from pyptogen.importing.writing import Value, Writer


def read_at(writer: Writer, x: Value, first: int, places: Sequence[Value], shape: tuple[str, ...]) -> Value:
    """The slices of ``x`` that the indices along the axes from ``first`` on name."""
    behind = first + len(places)
    if len(places) == 1:
        return v.index_rows(x, first, places[0], shape)
    merged = v.reshape(x, (*x.shape[:first], "-1", *x.shape[behind:]))
    return v.index_rows(merged, first, _as_one(writer, places, x.shape[first:behind], number(-1)), shape)


def write_at(
    writer: Writer, x: Value, first: int, places: Sequence[Value], values: Value, accumulate: bool = False
) -> Value:
    """``x`` with the slices that the indices along the axes from ``first`` on name replaced by those of ``values``, or
    these added to them."""
    behind, named = first + len(places), _broadcast([place.shape for place in places])
    sizes, rest = x.shape[:behind], x.shape[behind:]
    index = v.indices(places[0])
    if behind > 1:
        whole = [_whole_axis(size, first + len(named) - 1 - axis) for axis, size in enumerate(sizes[:first])]
        total = functools.reduce(lambda one, size: infix(one, "*", size), map(_size, sizes))
        index = _as_one(writer, [*whole, *places], sizes, total)
    rows = v.cast(v.expand(values, (*sizes[:first], *named, *rest)), x.dtype)
    if index.rank != 1:
        index, rows = v.reshape(index, ("-1",)), v.reshape(rows, ("-1", *rest))
    merged = v.reshape(x, ("-1", *rest)) if behind > 1 else x
    options = {"accumulate": "true"} if accumulate else {}
    text = call("index_put", merged.expression, index.expression, rows.expression, **options)
    return v.reshape(Value(text, x.dtype, merged.shape, "updated"), x.shape)


def _as_one(writer: Writer, places: Sequence[Value], sizes: Sequence[str], outside: Expression) -> Value:
    """The index along all axes together. A number that is no place of its own axis would be a place of another row
    there: it becomes ``outside``, which is none."""
    dtype = "int64" if any(place.dtype == "int64" for place in places) else "int32"
    flat, inside = None, None
    for given, size in zip(places, map(_size, sizes), strict=True):
        place, known = v.cast(v.indices(given), dtype), given.expression.text.startswith("arange(")
        place = place if known or place.at_hand else writer.named(place, "place")
        flat = place.expression if flat is None else infix(infix(flat, "*", size), "+", place.expression)
        for bound in () if known else (infix(place.expression, ">=", number(0)), infix(place.expression, "<", size)):
            inside = bound if inside is None else infix(inside, "&", bound)
    assert flat is not None
    whole = flat if inside is None else call("where", inside, flat, outside)
    return writer.settle(Value(whole, dtype, _broadcast([place.shape for place in places]), "place"), "", 1)


def _whole_axis(size: str, behind: int) -> Value:
    """All places of an axis, with as many axes behind it."""
    text = call("arange", size, dtype="int64")
    return Value(subscript(text, ":", *["None"] * behind) if behind else text, "int64", (size, *["1"] * behind))


def _size(text: str) -> Expression:
    return Expression(text, ATOM if text.isalnum() else OR)


def _broadcast(shapes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The shape that these have together."""
    rank = max(map(len, shapes))
    axes = zip(*(("1",) * (rank - len(shape)) + shape for shape in shapes), strict=True)
    return tuple(next((size for size in sizes if size != "1"), "1") for sizes in axes)
