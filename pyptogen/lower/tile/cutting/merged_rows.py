"""Leading axes that all values of a kernel have together: their elements are the rows of one tile.

before: y: [t, 8, 64] = x: [t, 8, 64] * s: [t, 8, 1]       tiles of 8 rows, one t each
after:  the same in tiles of t: 8, which are 64 rows

A value that has one of the axes without the others, as `[t, 1, 64]` has, keeps them apart: its tile would have other
rows than the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pyptogen.lower.tensor.ir import INTEGER, REDUCE, ROUNDING, Op, Value
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.cutting.axes import Axes, Factor
from pyptogen.lower.tile.kernels.prologues import BY_ELEMENT
from pyptogen.records import dataclass

MOST_INSIDE = 32
"""Rows that the inner axes may have: a tile of more needs none of the outer one."""
ROW_BY_ROW = BY_ELEMENT | ROUNDING | INTEGER | {"full", "scatter_update"}
"""What does the same for each row of a tile, whatever axes rows come from."""


@dataclass(frozen=True, slots=True)
class MergedRows:
    """The dim ``outer`` with the axes ``inside`` of it, which nothing cuts; ``each``: the rows of one of its
    elements."""

    outer: str
    inside: frozenset[str | None]
    each: int


def merged_rows(ops: Sequence[Op], axes: Axes) -> MergedRows | None:
    """The leading axes that the rows of a kernel's tiles go over together; None where there is one such axis, or where
    not all values have the same."""
    found: tuple[tuple[str | None, int | None], ...] = ()
    beside: set[str | None] = set()
    for op in ops:
        if op.loop or not (op.kind in ROW_BY_ROW or _along_columns(op)):
            return None
        for value in _values(op):
            if not _lies_row_after_row(value, axes):
                return None
            *leading, columns = axes.axes(value.shape) or ((),)
            beside |= {factor.dim for factor in columns}
            here = tuple((f.dim, f.extent.constant) for axis in leading for f in axis if not _is_one(f))
            if here and found and here != found:
                return None
            found = here or found
    for at, (dim, _) in enumerate(found[:-1]):
        inside = found[at + 1 :]
        each = prod(size or MOST_INSIDE + 1 for _, size in inside)
        if dim is not None and each <= MOST_INSIDE:
            names = frozenset(name for name, _ in inside)
            return None if beside & {dim, *(names - {None})} else MergedRows(dim, names, each)
    return None


def _values(op: Op) -> list[Value]:
    """The values whose tiles have an operation's rows: not the index of an update, which the scalar unit reads, nor the
    tensor that is updated."""
    if op.kind == "scatter_update":
        return [value for value in op.operands[2:] if isinstance(value, Value)]
    return [op.result, *(value for value in op.operands if isinstance(value, Value))]


def _lies_row_after_row(value: Value, axes: Axes) -> bool:
    """Whether the rows of a value are at equal distances in GM, if it is there."""
    program, defining = axes.program, axes.defining
    if value.layout != "nd" or value.strides:
        return False
    ways = [value_views(defining, value.name)]
    for name, output in program.outputs:
        if root(output.name, defining) == value.name:
            ways.append(value_views(defining, output.name))
            if name in program.laid_out:
                return False
    return all(_keeps_rows(view) for views in ways for view in views)


def _keeps_rows(view: Op) -> bool:
    along_columns = view.kind == "slice" and int(view.attrs["axis"]) == len(view.result.shape) - 1
    return view.kind == "reshape" or along_columns


def _along_columns(op: Op) -> bool:
    source = op.operands[0] if op.operands else None
    is_reduction = op.kind in REDUCE | {"prod"} and isinstance(source, Value)
    return is_reduction and int(op.attrs["axis"]) == len(source.shape) - 1  # type: ignore[union-attr]


def _is_one(factor: Factor) -> bool:
    return factor.extent.constant == 1
