"""Parts of a kernel that have nothing in common: no value, and no run-time dim to loop over together.

before: one kernel: y = x: [a, d] * 2          after: kernel for y, over a
                    w = z: [b, d] + 1                 kernel for w, over b

In one nest of loops the inner part would be done again in every iteration of the outer one, and by every core. Parts of
which one has its rows where the other has its columns, as of y: [t, d] and w: [t, d, e], share no loops either: those
columns would be taken one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.records import dataclass


def islands(ops: Sequence[Op], program: Program, defining: Mapping[str, Op]) -> list[list[Op]]:
    """The operations in groups, each in the given order. Of two connected parts in a group, one loops over all run-time
    dims of the other, and neither has rows along the other's columns: they can share the loops."""
    axes = Axes(program)
    groups: list[list[_Part]] = []
    for connected in _connected(ops, defining):
        part = _Part.of(connected, axes)
        fitting = [group for group in groups if all(map(part.can_share_loops, group))]
        if not fitting:
            groups.append([])
        (fitting or groups[-1:])[0].append(part)
    names = [{op.result.name for part in group for op in part.ops} for group in groups]
    return [[op for op in ops if op.result.name in found] for found in names]


@dataclass(frozen=True, slots=True)
class _Part:
    """Connected operations, the run-time dims that loops around them go over, and the dims known now of the rows and of
    the columns of their tiles."""

    ops: list[Op]
    dims: frozenset[str]
    rows: frozenset[str]
    columns: frozenset[str]

    @staticmethod
    def of(ops: list[Op], axes: Axes) -> _Part:
        shapes = [axes.axes(looped(op).shape) for op in ops]
        rows = {factor.dim for shape in shapes for axis in shape[:-1] for factor in axis if factor.dim}
        last = [[factor.dim for factor in shape[-1] if factor.dim] for shape in shapes if shape]
        columns = {dims[-1] for dims in last if dims}
        known = axes.static.keys()
        run_time = frozenset({*rows, *(dim for dims in last for dim in dims)} - known - axes.over.keys())
        return _Part(ops, run_time, frozenset(rows & known), frozenset(columns & known))

    def can_share_loops(self, other: _Part) -> bool:
        nested = self.dims <= other.dims or other.dims <= self.dims
        return nested and not self.rows & other.columns and not other.rows & self.columns


def _connected(ops: Sequence[Op], defining: Mapping[str, Op]) -> list[list[Op]]:
    """Operations that are joined by values that one of them makes, or by a loop that they are in."""
    parts: list[tuple[set[str], list[Op]]] = []
    mine = {op.result.name for op in ops}
    for op in ops:
        read = {root(v.name, defining) for v in op.operands if isinstance(v, Value)} & mine
        marks = read | {op.result.name} | ({f" {op.loop}"} if op.loop else set())
        joined = [part for part in parts if part[0] & marks]
        parts = [part for part in parts if not part[0] & marks]
        parts.append((marks.union(*(m for m, _ in joined)), [o for _, found in joined for o in found] + [op]))
    return [found for _, found in parts]


def looped(op: Op) -> Value:
    """What the loops around an operation go over: the rows that it writes where it updates a tensor in place."""
    value = op.operands[2] if op.kind == "scatter_update" else op.result
    assert isinstance(value, Value)
    return value
