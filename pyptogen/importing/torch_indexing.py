"""Operations of PyTorch that read and write by index: gather, scatter, brackets with tensors in them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import ATOM, OR, Expression, call, infix, number, subscript
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.torch_site import Site
from pyptogen.importing.torch_table import TABLE, takes
from pyptogen.importing.writing import Value


@takes("gather")
def _gather(at: Site, x: Value, dim: int, index: Value, **_: Any) -> Value:
    at.indexes(index, x.shape[dim % x.rank])
    for axis, (own, size) in enumerate(zip(x.shape, index.shape, strict=True)):
        if axis != dim % x.rank and own != size:
            cut = (*x.shape[:axis], size, *x.shape[axis + 1 :])
            x = v.slice_(x, axis, "", size, 1, cut)
    text = call("gather", x.expression, str(dim % x.rank), v.indices(index).expression)
    return Value(text, x.dtype, at.shape, "gathered")


@takes("index_select")
def _index_select(at: Site, x: Value, dim: int, index: Value) -> Value:
    at.indexes(index, x.shape[dim % x.rank])
    return v.index_rows(x, dim, index, at.shape)


@takes("embedding")
def _embedding(at: Site, weight: Value, index: Value, *_: Any) -> Value:
    return _index_select(at, weight, 0, index)


Given = Sequence[Value | None]
"""What stands between the brackets: None is a whole axis."""


def _indexed_axes(given: Given, what: str) -> tuple[int, list[Value]]:
    """The first axis that is indexed, and the indices from there on."""
    if any(one is not None and one.dtype in ("bool", "uint8") for one in given):
        raise NotTakenError(f"{what} by a mask", "use torch.where")
    first = next(axis for axis, one in enumerate(given) if one is not None)
    places = [one for one in given[first:] if one is not None]
    if len(places) != len(given) - first:
        raise NotTakenError(f"{what} with a whole axis between its tensors", "move these axes together")
    return first, places


@takes("index.Tensor")
def _index(at: Site, x: Value, given: Given) -> Value:
    first, places = _indexed_axes(given, "an index")
    behind = first + len(places)
    for place, size in zip(places, x.shape[first:], strict=False):
        at.indexes(place, size)
    if len(places) == 1:
        return v.index_rows(x, first, places[0], at.shape)
    if x.rank == len(given) == 2 and places[1].rank == 1 and _is_whole_axis(places[0], x.shape[0]):
        column = (*places[1].shape, "1")  # one element of each row
        found = call("gather", x.expression, "1", v.indices(v.unsqueeze(places[1], 1, column)).expression)
        return v.reshape(Value(found, x.dtype, column, "picked"), at.shape)
    merged = v.reshape(x, (*x.shape[:first], "-1", *x.shape[behind:]))
    flat = _as_one_index(at, places, x.shape[first:behind], number(-1))
    return v.index_rows(merged, first, flat, at.shape)


def _is_whole_axis(index: Value, size: str) -> bool:
    return index.expression.text in (f"arange({size})", f"arange({size}, dtype=int64)")


def _as_one_index(at: Site, places: Sequence[Value], sizes: Sequence[str], outside: Expression) -> Value:
    """Indices along axes as one along all of these as a single axis. A number that is no place of its own axis would
    be a place of another row there: it becomes ``outside``, which is none."""
    dtype = "int64" if any(place.dtype == "int64" for place in places) else "int32"
    flat, inside = None, None
    for place, size in zip(places, map(_size, sizes), strict=True):
        known = place.expression.text.startswith("arange(")
        place = v.cast(v.indices(place), dtype)
        place = place if known else at.named(place)
        flat = place.expression if flat is None else infix(infix(flat, "*", size), "+", place.expression)
        if not known:
            for bound in (infix(place.expression, ">=", number(0)), infix(place.expression, "<", size)):
                inside = bound if inside is None else infix(inside, "&", bound)
    assert flat is not None
    whole = flat if inside is None else call("where", inside, flat, outside)
    return at.settled(Value(whole, dtype, _broadcast([place.shape for place in places]), "place"))


def _size(text: str) -> Expression:
    return Expression(text, ATOM if text.isalnum() else OR)


def _broadcast(shapes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The shape that these have together."""
    rank = max(map(len, shapes))
    axes = zip(*(("1",) * (rank - len(shape)) + shape for shape in shapes), strict=True)
    return tuple(next((size for size in sizes if size != "1"), "1") for sizes in axes)


@takes("index_put")
def _index_put(at: Site, x: Value, given: Given, values: Value, accumulate: bool = False) -> Value:
    mask = given[0] if len(given) == 1 else None
    if mask is not None and mask.dtype == "bool" and values.rank == 0 and not accumulate:
        apart = v.reshape(mask, (*mask.shape, *("1" for _ in range(x.rank - mask.rank))))
        return v.where(apart, values, x, at.dtype, at.shape)
    first, places = _indexed_axes(given, "an update")
    behind = first + len(places)
    for place, size in zip(places, x.shape[first:], strict=False):
        at.indexes(place, size)
    named = _broadcast([place.shape for place in places])
    sizes, rest = x.shape[:behind], x.shape[behind:]
    if behind > 1:
        whole = [_whole_axis(size, first + len(named) - 1 - axis) for axis, size in enumerate(sizes[:first])]
        total = functools.reduce(lambda one, size: infix(one, "*", size), map(_size, sizes))
        index = _as_one_index(at, [*whole, *places], sizes, total)
    else:
        index = v.indices(places[0])
    rows = v.cast(v.expand(values, (*sizes[:first], *named, *rest)), x.dtype)
    if index.rank != 1:
        index, rows = v.reshape(index, ("-1",)), v.reshape(rows, ("-1", *rest))
    merged = v.reshape(x, ("-1", *rest)) if behind > 1 else x
    options = {"accumulate": "true"} if accumulate else {}
    text = call("index_put", merged.expression, index.expression, rows.expression, **options)
    return v.reshape(Value(text, x.dtype, merged.shape, "updated"), at.shape)


def _whole_axis(size: str, behind: int) -> Value:
    """All places of an axis, with as many axes behind it."""
    text = call("arange", size, dtype="int64")
    return Value(
        subscript(text, ":", *["None"] * behind) if behind else text, "int64", (size, *["1"] * behind), "places"
    )


@takes("index_copy")
def _index_copy(at: Site, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _index_put(at, x, [*[None] * (dim % x.rank), index], source)


@takes("index_add")
def _index_add(at: Site, x: Value, dim: int, index: Value, source: Value, alpha: float = 1) -> Value:
    at.indexes(index, x.shape[dim % x.rank])
    options = {} if alpha == 1 else {"alpha": number(alpha).text}
    parts = (x.expression, str(dim % x.rank), v.indices(index).expression, v.cast(source, x.dtype).expression)
    return Value(call("index_add", *parts, **options), x.dtype, at.shape, "updated")


def _scattered(at: Site, x: Value, dim: int, index: Value, source: Value, **options: str) -> Value:
    at.indexes(index, x.shape[dim % x.rank])
    for axis, (own, size) in enumerate(zip(source.shape, index.shape, strict=True)):
        if own != size:
            source = v.slice_(source, axis, "", size, 1, (*source.shape[:axis], size, *source.shape[axis + 1 :]))
    parts = (x.expression, str(dim % x.rank), v.indices(index).expression, v.cast(source, x.dtype).expression)
    return Value(call("scatter", *parts, **options), x.dtype, at.shape, "scattered")


@takes("scatter.src")
def _scatter(at: Site, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _scattered(at, x, dim, index, source)


@takes("scatter.value")
def _scatter_value(at: Site, x: Value, dim: int, index: Value, value: float) -> Value:
    return _scattered(at, x, dim, index, v.full(index.shape, value, x.dtype))


@takes("scatter_add")
def _scatter_add(at: Site, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _scattered(at, x, dim, index, source, reduce="add")


@takes("one_hot")
def _one_hot(at: Site, x: Value, classes: int = -1) -> Value:
    at.indexes(x, at.shape[-1])
    return replace(Value(call("one_hot", v.cast(x, "int32").expression, at.shape[-1]), "int32", at.shape, "one_hot"))


@takes("unfold")
def _unfold(at: Site, x: Value, dim: int, size: int, step: int) -> Value:
    """Windows along an axis, as a new last one."""
    axis = dim % x.rank
    counts, windows = at.shape[axis], call("arange", str(size))
    begins = call("arange", counts) if step == 1 else infix(call("arange", counts), "*", number(step))
    places = infix(subscript(begins, ":", "None"), "+", subscript(windows, "None"))
    shape = (*x.shape[:axis], counts, str(size), *x.shape[axis + 1 :])
    found = v.index_rows(x, axis, at.settled(Value(places, "int32", (counts, str(size)), "places")), shape)
    others = [place for place in range(len(shape)) if place != axis + 1]
    return replace(v.permute(found, [*others, axis + 1]), shape=at.shape)


def _of_data_sizes(name: str, fix: str) -> None:
    def refuse(at: Site, *_: Any, **__: Any) -> Value:
        raise NotTakenError(f"`{name}`, whose size only the data tell", fix)

    TABLE[name] = refuse


for _name, _fix in {
    "bincount": "add ones to zeros of a size that is known, by `scatter_add`",
    "nonzero": "use torch.where of three arguments",
    "masked_select": "use torch.where",
    "unique": "",
    "_unique2": "",
}.items():
    _of_data_sizes(_name, _fix)
