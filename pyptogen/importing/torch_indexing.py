"""Operations of PyTorch that read and write by index: gather, scatter, brackets with tensors in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import call, infix, number, subscript
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.several_indices import read_at, write_at
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
    for place, size in zip(places, x.shape[first:], strict=False):
        at.indexes(place, size)
    if x.rank == len(given) == 2 and places[1].rank == 1 and _is_whole_axis(places[0], x.shape[0]):
        column = (*places[1].shape, "1")  # one element of each row
        found = call("gather", x.expression, "1", v.indices(v.unsqueeze(places[1], 1, column)).expression)
        return v.reshape(Value(found, x.dtype, column, "picked"), at.shape)
    return read_at(at.writer, x, first, places, at.shape)


def _is_whole_axis(index: Value, size: str) -> bool:
    return index.expression.text in (f"arange({size})", f"arange({size}, dtype=int64)")


@takes("index_put")
def _index_put(at: Site, x: Value, given: Given, values: Value, accumulate: bool = False) -> Value:
    mask = given[0] if len(given) == 1 else None
    if mask is not None and mask.dtype == "bool" and values.rank == 0 and not accumulate:
        apart = v.reshape(mask, (*mask.shape, *("1" for _ in range(x.rank - mask.rank))))
        return v.where(apart, values, x, at.dtype, at.shape)
    first, places = _indexed_axes(given, "an update")
    sizes = x.shape[first : first + len(places)]
    if accumulate:
        for place, size in zip(places, sizes, strict=True):
            at.indexes(place, size)
    else:
        at.updates(places, sizes)
    return write_at(at.writer, x, first, places, values, accumulate)


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
    found = v.index_rows(x, axis, at.settled(Value(places, "int32", (counts, str(size)), "positions")), shape)
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
