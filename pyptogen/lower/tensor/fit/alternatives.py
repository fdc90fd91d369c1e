"""Values that share their memory with others: those of which one counts in each call, and tensors whose rows change.

before: y = either(a: a view, b: an input)        after: a_copy = copy(a); b_copy = copy(b); y = either(a_copy, b_copy)
        z = scatter_update(x, index, rows)               x_copy = copy(x); z = scatter_update(x_copy, index, rows)
        old = x[1:3]; z = scatter_update(x, …); y = old  old_before = copy(x[1:3]); z = …; y = old_before

Copies belong to the stages that the alternatives name, so each is made only in calls in which it counts. What leads to
an output in the memory of an input is there already; a value that nobody else reads becomes the result itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import VIEWS, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.records import replace

SHARED = frozenset({"either", "scatter_update"})
"""Operations whose result lies in the memory of operands: of all, and of the first."""


def sharing(op: Op) -> tuple[Value, ...]:
    """The operands in whose memory the result of one of these operations lies."""
    operands = op.operands if op.kind == "either" else op.operands[:1]
    return tuple(operand for operand in operands if isinstance(operand, Value))


def updated_in_place(program: Program, copied: Set[str]) -> frozenset[str]:
    """The values on the way from an input to the output that takes its memory, by updates alone, and not those of
    another input; none for an output that is ``copied`` there."""
    defining = {op.result.name: op for op in program.ops}
    found: set[str] = set()
    open_ = [
        (value, program.inplace[name])
        for name, value in program.outputs
        if name in program.inplace and name not in copied
    ]
    while open_:
        at, tensor = open_.pop()
        base, op = root(at.name, defining), defining.get(at.name)
        if base not in defining and base != tensor:
            continue
        found.add(at.name)
        if op is not None and op.kind in VIEWS:
            open_ += [(operand, tensor) for operand in op.operands if isinstance(operand, Value)]
        elif op is not None and op.kind in SHARED:
            open_ += [(operand, tensor) for operand in sharing(op)]
    return frozenset(found)


def either(f: Fitter, op: Op) -> Value:
    """An alternative stands as it is if it was computed in its own stage and nobody else has its memory."""
    operands: list[Value] = []
    for operand, stage in zip(sharing(op), op.attrs["stages"], strict=True):
        value = f.fitted[operand.name]
        f.at = replace(op, stage=stage)
        if op.result.dtype == "bool":
            value = f.cast(value, "uint8")
        operands.append(_own(f, op, operand, value, stage, operands))
    f.at = op
    return f.emit(op.kind, [*operands], operands[0].dtype, op.result.shape, attrs=op.attrs)


def update(f: Fitter, op: Op) -> Value:
    """The tensor before the update is one that nobody reads any more."""
    _keep_views(f, op)
    before, index, rows = (f.operand(operand) for operand in op.operands)
    original = op.operands[0]
    assert isinstance(before, Value) and isinstance(original, Value)
    used = sum(v.name == original.name for o in f.program.ops for v in o.operands if isinstance(v, Value))
    made = next((other.stage for other in f.ops if other.result.name == before.name), op.stage)
    stage = made if f.program.stage(made).condition is None else op.stage
    before = _own(f, op, original, before, stage, [before] if used > 1 else [])
    return f.emit(op.kind, [before, index, rows], before.dtype, op.result.shape, attrs=op.attrs)


def _keep_views(f: Fitter, update: Op) -> None:
    """Views of the tensor before the update that are read after it: copied in their own stages, which come before."""
    defining = {other.result.name: other for other in f.program.ops}
    at = next(i for i, other in enumerate(f.program.ops) if other is update)
    changed = root(sharing(update)[0].name, defining)
    later = {v.name for other in f.program.ops[at + 1 :] for v in other.operands if isinstance(v, Value)}
    for view in f.program.ops[:at]:
        read_later = view.kind in VIEWS and not view.loop and view.result.name in later
        if read_later and root(view.result.name, defining) == changed:
            f.at = view
            value = f.fitted[view.result.name]
            f.fitted[view.result.name] = f.emit("copy", [value], value.dtype, value.shape, "before")
    f.at = update


def _own(f: Fitter, op: Op, original: Value, value: Value, stage: str, others: list[Value]) -> Value:
    """``value`` where its memory may be that of the result, else a copy."""
    if {original.name, op.result.name} <= updated_in_place(f.program, f.copied):
        return value
    defining = {other.result.name: other for other in f.ops}
    taken = {v.name for other in f.ops if other.kind in SHARED for v in sharing(other)}
    outputs = {output.name for _, output in f.program.outputs}
    own = value.name in defining and defining[value.name].kind not in VIEWS and defining[value.name].stage == stage
    if own and value.name not in taken and original.name not in outputs and value not in others:
        return value
    return f.emit("copy", [value], value.dtype, value.shape)


RULES: Mapping[str, Rule] = {"either": either, "scatter_update": update}
