"""Parts of a kernel that have nothing in common: no value, and no run-time dim to loop over together.

before: one kernel: y = x: [a, d] * 2          after: kernel for y, over a
                    w = z: [b, d] + 1                 kernel for w, over b

In one nest of loops the inner part would be done again in every round of the outer one, and by every core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes


def islands(ops: Sequence[Op], program: Program, made_by: Mapping[str, Op]) -> list[list[Op]]:
    """The operations in groups, each in the given order. Of two connected parts in a group, one loops over all run-time
    dims of the other: they can share the loops."""
    axes = Axes(program)
    groups: list[list[tuple[frozenset[str], list[Op]]]] = []
    for part in _connected(ops, made_by):
        dims = frozenset().union(*(_run_time_dims(op, axes) for op in part))
        fitting = [group for group in groups if all(dims <= other or other <= dims for other, _ in group)]
        if not fitting:
            groups.append([])
        (fitting or groups[-1:])[0].append((dims, part))
    names = [{op.result.name for _, part in group for op in part} for group in groups]
    return [[op for op in ops if op.result.name in found] for found in names]


def _connected(ops: Sequence[Op], made_by: Mapping[str, Op]) -> list[list[Op]]:
    """Operations that are joined by values that one of them makes, or by a loop that they are in."""
    parts: list[tuple[set[str], list[Op]]] = []
    mine = {op.result.name for op in ops}
    for op in ops:
        read = {root(v.name, made_by) for v in op.operands if isinstance(v, Value)} & mine
        marks = read | {op.result.name} | ({f" {op.loop}"} if op.loop else set())
        joined = [part for part in parts if part[0] & marks]
        parts = [part for part in parts if not part[0] & marks]
        parts.append((marks.union(*(m for m, _ in joined)), [o for _, found in joined for o in found] + [op]))
    return [found for _, found in parts]


def _run_time_dims(op: Op, axes: Axes) -> frozenset[str]:
    """Run-time dims that loops around the operation go over; those of its rows where it updates a tensor in place."""
    value = op.operands[2] if op.kind == "scatter_update" else op.result
    assert isinstance(value, Value)
    named = {factor.dim for axis in axes.axes(value.shape) for factor in axis}
    return frozenset(dim for dim in named if dim and dim not in axes.static and dim not in axes.over)
