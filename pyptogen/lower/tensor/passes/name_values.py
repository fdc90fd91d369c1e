"""Pass: gives every value its final name.

before: ``%0 = cast(q_h); %1 = abs(%0); %2 = amax(%1)``
after:  ``q_f = cast(q_h); q_s_1 = abs(q_f); q_s_2 = amax(q_s_1)``

A value that the spec names has that name, the last one where there are several: in the iterations of a loop a name may
mean another value than behind it. One that a function names has ``q_f`` after the value it serves; temporaries carry
the name of the value they serve and a word or a number. Afterwards names are unique, also among inputs, dims and attrs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.records import replace


@dataclass(slots=True)
class Names:
    """Names from the spec by temporary."""

    bound: dict[str, str] = field(default_factory=dict)
    suggested: dict[str, str] = field(default_factory=dict)

    def bind(self, value: Value, name: str) -> None:
        """The spec calls ``value`` so; its first name stays."""
        if value.name.startswith("%"):
            self.bound.setdefault(value.name, name)

    def suggest(self, value: Value, name: str) -> None:
        """A function calls ``value`` so; used where the graph has no name for it and it is free."""
        if value.name.startswith("%"):
            self.suggested.setdefault(value.name, name)


def run(program: Program, names: Names, hints: Mapping[str, tuple[str, str]]) -> Program:
    """``hints`` gives for each temporary the name it serves and a word for it, or ""."""
    taken = {value.name for value in program.inputs} | {dim.name for dim in program.dims}
    taken |= {attr.name for attr in program.attrs} | set(names.bound.values())
    last = {name: identity for identity, name in names.bound.items()}
    final: dict[str, str] = {}
    for op in program.ops:
        identity = op.result.name
        bound = names.bound.get(identity)
        if bound is not None and last[bound] == identity:
            final[identity] = bound
            continue
        prefix, word = (bound, "round") if bound is not None else hints[identity]
        name = names.suggested.get(identity) or (f"{prefix}_{word}" if word else "")
        final[identity] = _free(name, prefix, taken)
        taken.add(final[identity])
    values = {op.result.name: replace(op.result, name=final[op.result.name]) for op in program.ops}
    ops = tuple(_renamed(op, values) for op in program.ops)
    outputs = tuple((name, values.get(value.name, value)) for name, value in program.outputs)
    loops = tuple(
        replace(loop, carried=tuple((final[carry], final.get(value, value)) for carry, value in loop.carried))
        for loop in program.loops
    )
    spoken = frozenset(final[op.result.name] for op in program.ops if op.result.name in names.bound)
    return replace(program, ops=ops, outputs=outputs, loops=loops, spoken=spoken)


def _free(name: str, prefix: str, taken: set[str]) -> str:
    if name and name not in taken:
        return name
    stem, number = (name, 2) if name else (prefix, 1)
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def _renamed(op: Op, values: Mapping[str, Value]) -> Op:
    operands = tuple(values.get(o.name, o) if isinstance(o, Value) else o for o in op.operands)
    return replace(op, operands=operands, result=values[op.result.name])
