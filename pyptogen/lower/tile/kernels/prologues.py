"""Elementwise work that only a reduction of long axes reads is made in the reduction's kernel, tile by tile.

before: d = sub(x, y); q = mul(d, d); s = sum(q: [n], axis=0)        n at most 1048576
after:  one kernel {sub, mul, sum}: for n0: load x, y; sub; mul; sum, in place of two kernels and `q` in GM

Such a reduction is a kernel of its own (`standalone`), with its own loops. What leads to it joins that kernel where it
has the shape of the operand, belongs to the same stage, and has no other reader. It does not where another value would
have to be written in its place: that saves nothing, and more is read. On a processor slow work stays on all threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import BINARY, BITWISE, COMPARE, PACKED, REDUCE, UNARY, VIEWS, Op, Program, Value
from pyptogen.lower.tensor.views import read_with, root
from pyptogen.lower.tile.kernels.overwritten import Edges

SLOW = frozenset({"exp", "log", "sqrt", "rsqrt", "reciprocal", "div"})
MOST_SLOW = 1
"""Of such operations, where cube and vector cores are one: the reduction runs on one thread there if it gives one tile,
and elementwise work on all. Of a million numbers and two threads of an Intel Cascade Lake one `exp` gains a quarter so,
and a chain of seven would lose a third."""
BY_ELEMENT = UNARY | BINARY | COMPARE | BITWISE | {"cast", "where", "bitwise_not"}


def run(
    program: Program, platform: Platform, is_standalone: Callable[[Op], bool], unfused: Edges = frozenset()
) -> Mapping[str, str]:
    """The reduction whose kernel makes an operation's result, by the name of that result.

    Args:
        program: the operator.
        platform: where it will run.
        is_standalone: which operations are kernels of their own.
        unfused: pairs of (reader, value) that must not be in one kernel.
    """
    reductions = [op for op in program.ops if op.kind in REDUCE | {"prod"} and is_standalone(op)]
    if not reductions:
        return {}
    readers = _Readers(program, is_standalone)
    found: dict[str, str] = {}
    for op in reductions:
        joining = _joining(program, op, readers, unfused)
        if not platform.unified or sum(readers.defining[name].kind in SLOW for name in joining) <= MOST_SLOW:
            found |= dict.fromkeys(joining, op.result.name)
    return found


def _joining(program: Program, reduction: Op, readers: _Readers, unfused: Edges) -> set[str]:
    """The results that the kernel of a reduction makes."""
    operand = _operand(reduction)
    only_here = {reduction.result.name}
    leading: list[Op] = []
    for op in reversed(program.ops[: program.ops.index(reduction)]):
        name = op.result.name
        apart = any((reader, name) in unfused for reader in (*only_here, name))
        if readers.direct.get(name, set()) <= only_here and _may_join(op, reduction) and not apart:
            only_here.add(name)
            leading.append(op)
    joining: set[str] = set()
    behind = readers.behind(reduction)
    for op in reversed(leading):
        values = [value for value in op.operands if isinstance(value, Value)]
        if all(v.name in joining or readers.lies_in_gm(v, reduction, behind) for v in values):
            joining.add(op.result.name)
    return joining if operand.name in joining else set()


def _operand(reduction: Op) -> Value:
    (operand,) = reduction.operands
    assert isinstance(operand, Value)
    return operand


def _may_join(op: Op, reduction: Op) -> bool:
    """Whether an operation makes an element of what is reduced from those in the same place."""
    result = op.result
    of_kind = op.kind in BY_ELEMENT and not op.loop and op.stage == reduction.stage
    return of_kind and result.shape == _operand(reduction).shape and result.dtype not in PACKED


class _Readers:
    """Who reads the values of a program."""

    def __init__(self, program: Program, is_standalone: Callable[[Op], bool]) -> None:
        self.program, self.is_standalone = program, is_standalone
        self.defining = {op.result.name: op for op in program.ops}
        self.direct: dict[str, set[str]] = {}
        """The results that are made of a value, views among them; "" for the caller."""
        self.through_views: dict[str, list[Op]] = {}
        """The operations that read a value with data of its own."""
        for op in program.ops:
            for value in op.operands:
                if isinstance(value, Value):
                    self.direct.setdefault(value.name, set()).add(op.result.name)
            for name in () if op.kind in VIEWS else self._read(op):
                self.through_views.setdefault(name, []).append(op)
        for _, value in program.outputs:
            self.direct.setdefault(value.name, set()).add("")

    def _read(self, op: Op) -> set[str]:
        return {n for v in op.operands if isinstance(v, Value) for n in read_with(v.name, self.defining)}

    def behind(self, op: Op) -> set[str]:
        """The results that follow from that of an operation."""
        found = {op.result.name}
        for other in self.program.ops[self.program.ops.index(op) + 1 :]:
            if found & self._read(other):
                found.add(other.result.name)
        return found

    def lies_in_gm(self, value: Value, reduction: Op, behind: set[str]) -> bool:
        """Whether a value that another kernel makes is in GM for other readers than the reduction's kernel, or takes
        little there."""
        name = root(value.name, self.defining)
        if value.shape != _operand(reduction).shape or name not in self.defining or "" in self.direct[value.name]:
            return True
        made = self.defining[name]
        return self._is_elsewhere(made, reduction) or any(
            op.result.name in behind or self._is_elsewhere(op, reduction) for op in self.through_views[name]
        )

    def _is_elsewhere(self, op: Op, reduction: Op) -> bool:
        """Whether an operation belongs to another kernel for sure."""
        return op is not reduction and (bool(op.loop) or op.stage != reduction.stage or self.is_standalone(op))
