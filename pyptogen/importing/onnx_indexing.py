"""Operators of ONNX that read and write by index."""

from __future__ import annotations

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import call
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.onnx_table import Site, takes
from pyptogen.importing.several_indices import read_at, write_at
from pyptogen.importing.vocabulary import Operand
from pyptogen.importing.writing import Value


@takes("Gather")
def _gather(at: Site, x: Value, index: Operand) -> Value:
    axis = at.attributes.get("axis", 0)
    if not isinstance(index, Value):
        place = int(index) + (int(x.shape[axis]) if index < 0 else 0)
        return v.select(x, axis, str(place), at.shape)
    at.indexes(index, x.shape[axis])
    return v.index_rows(x, axis, index, at.shape)


@takes("GatherElements")
def _gather_elements(at: Site, x: Value, index: Value) -> Value:
    axis = at.attributes.get("axis", 0) % x.rank
    at.indexes(index, x.shape[axis])
    return Value(call("gather", x.expression, str(axis), v.indices(index).expression), x.dtype, at.shape, "gathered")


@takes("ScatterElements")
def _scatter_elements(at: Site, x: Value, index: Value, source: Value) -> Value:
    axis, how = at.attributes.get("axis", 0) % x.rank, at.attributes.get("reduction", "none")
    if how not in ("none", "add"):
        raise NotTakenError(f"`ScatterElements` by `{how}`")
    at.indexes(index, x.shape[axis])
    options = {"reduce": "add"} if how == "add" else {}
    parts = (x.expression, str(axis), v.indices(index).expression, source.expression)
    return Value(call("scatter", *parts, **options), x.dtype, at.shape, "scattered")


@takes("GatherND")
def _gather_nd(at: Site, x: Value, index: Value) -> Value:
    if at.attributes.get("batch_dims", 0):
        raise NotTakenError("`GatherND` with `batch_dims`")
    return read_at(at.writer, x, 0, _places(at, x, index), at.shape)


@takes("ScatterND")
def _scatter_nd(at: Site, x: Value, index: Value, rows: Value) -> Value:
    how = at.attributes.get("reduction", "none")
    if how not in ("none", "add"):
        raise NotTakenError(f"`ScatterND` by `{how}`")
    return write_at(at.writer, x, 0, _places(at, x, index, distinct=how == "none"), rows, how == "add")


def _places(at: Site, x: Value, index: Value, distinct: bool = False) -> list[Value]:
    """The indices along each axis, which lie together along the last axis of one tensor."""
    *shape, count = index.shape
    if not count.isdigit():
        raise NotTakenError("indices along as many axes as only calls know")
    sizes, made = x.shape[: int(count)], []
    at.indexes(index, min(sizes, key=int) if all(size.isdigit() for size in sizes) else sizes[0], distinct)
    for i in range(int(count)):
        made.append(v.select(index, index.rank - 1, str(i), tuple(shape)))
    return made
