"""Values of which one counts in each call: every alternative in memory that the others may share.

before: y = either(a: a view, b: an input)        after: a_copy = copy(a); b_copy = copy(b); y = either(a_copy, b_copy)

Copies belong to the stages that the alternatives name, so each is made only in calls in which it counts. What an
update in place leaves is already there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import VIEWS, Op, Value


def either(f: Fitter, op: Op) -> Value:
    """An alternative stands as it is if it was computed in its own stage and nobody else has its memory."""
    updated = memory_of(op.result.name, {o.result.name: o for o in f.program.ops}) in f.program.inplace.values()
    taken = {v.name for other in f.ops if other.kind == "either" for v in other.operands if isinstance(v, Value)}
    outputs = {value.name for _, value in f.program.outputs}
    operands: list[Value] = []
    for operand, stage in zip(op.operands, op.attrs["stages"], strict=True):
        assert isinstance(operand, Value)
        value = f.fitted[operand.name]
        f.at = replace(op, stage=stage)
        if op.result.dtype == "bool":
            value = f.cast(value, "uint8")
        made_by = {other.result.name: other for other in f.ops}
        own = value.name in made_by and made_by[value.name].kind not in VIEWS and made_by[value.name].stage == stage
        shared = value.name in taken or operand.name in outputs or value in operands
        if not updated and (shared or not own):
            value = f.emit("copy", [value], value.dtype, value.shape)
        operands.append(value)
    f.at = op
    return f.emit(op.kind, [*operands], operands[0].dtype, op.result.shape, attrs=op.attrs)


def memory_of(name: str, made_by: Mapping[str, Op]) -> str:
    """The input in whose memory a value is made by updates alone; else the value itself."""
    op = made_by.get(name)
    if op is None:
        return name
    if op.kind == "either":
        found = {memory_of(v.name, made_by) for v in op.operands if isinstance(v, Value)}
        return found.pop() if len(found) == 1 else name
    first = op.operands[0] if op.operands else None
    if op.kind in ("scatter_update", "reshape") and isinstance(first, Value):
        return memory_of(first.name, made_by)
    return name


RULES: Mapping[str, Rule] = {"either": either}
