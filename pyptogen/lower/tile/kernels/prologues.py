"""Elementwise work that only a reduction of long axes reads, a move, or an order (`orders`), is made in that kernel.

before: d = sub(x, y); q = mul(d, d); s = sum(q: [n], axis=0)        n at most 1048576
after:  one kernel {sub, mul, sum}: for n0: load x, y; sub; mul; sum, in place of two kernels and `q` in GM

Such a reduction is a kernel of its own (`standalone`), with its own loops. What leads to it joins that kernel where it
has the shape of the operand, belongs to the same stage, and has no other reader. It does not where another value would
have to be written in its place: that saves nothing, and more is read. On a processor slow work stays on all threads,
and so does all work ahead of moves.

before: q = exp(x); y = permute(q: [s, h], [1, 0])
after:  one kernel {exp, permute}: for s0: load x; transpose; exp; store, where cube and vector cores are separate
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import BINARY, BITWISE, COMPARE, PACKED, REDUCE, UNARY, VIEWS, Op, Program, Value
from pyptogen.lower.tensor.views import read_with, root, value_views
from pyptogen.lower.tile.kernels.overwritten import Edges

SLOW = frozenset({"exp", "log", "sqrt", "rsqrt", "reciprocal", "div"})
MOST_SLOW = 1
"""Of such operations, where cube and vector cores are one: the reduction runs on one thread there if it gives one tile,
and elementwise work on all. Of a million numbers and two threads of an Intel Cascade Lake one `exp` gains a quarter so,
and a chain of seven would lose a third."""
MOVED, WHOLE = frozenset({"copy", "permute"}), frozenset({"reshape", "transpose", "reorder"})
"""What puts elements elsewhere, each once, and the views that it may have of all of a value."""
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
    kinds = REDUCE | {"prod"} | (frozenset() if platform.unified else MOVED)
    own = [op for op in program.ops if op.kind in kinds and is_standalone(op)]
    if not own:
        return {}
    readers = Readers(program, is_standalone)
    found: dict[str, str] = {}
    for op in own:
        names = joining(program, op, readers, unfused)
        slow = sum(readers.defining[name].kind in SLOW for name in names)
        if not platform.unified or slow <= MOST_SLOW:
            found |= dict.fromkeys(names, op.result.name)
    return found


def joining(program: Program, reduction: Op, readers: Readers, unfused: Edges) -> set[str]:
    """The results that the kernel of a reduction, of what is moved or of an order makes."""
    operand = _operand(reduction, readers.defining)
    only_here = {reduction.result.name, *_views_between(reduction, readers)}
    leading: list[Op] = []
    for op in reversed(program.ops[: program.ops.index(reduction)]):
        name = op.result.name
        apart = any((reader, name) in unfused for reader in (*only_here, name))
        if readers.direct.get(name, set()) <= only_here and _may_join(op, reduction, operand) and not apart:
            only_here.add(name)
            leading.append(op)
    found: set[str] = set()
    behind = readers.behind(reduction)
    for op in reversed(leading):
        values = [value for value in op.operands if isinstance(value, Value)]
        if all(v.name in found or readers.lies_in_gm(v, operand, reduction, behind) for v in values):
            found.add(op.result.name)
    return found if operand.name in found else set()


def _operand(reduction: Op, defining: Mapping[str, Op]) -> Value:
    """What is reduced, or moved as views show it."""
    (operand,) = reduction.operands
    assert isinstance(operand, Value)
    base = root(operand.name, defining)
    return defining[base].result if reduction.kind in MOVED and base in defining else operand


def _views_between(reduction: Op, readers: Readers) -> set[str]:
    """The views by which something is moved that nothing else reads; those that show all of it, or a part."""
    (operand,) = reduction.operands
    assert isinstance(operand, Value)
    views, reader, found = value_views(readers.defining, operand.name), reduction.result.name, set[str]()
    if reduction.kind not in MOVED or any(view.kind not in WHOLE for view in views):
        return found
    for view in reversed(views):
        if readers.direct[view.result.name] != {reader}:
            break
        reader = view.result.name
        found.add(reader)
    return found


def _may_join(op: Op, reduction: Op, operand: Value) -> bool:
    """Whether an operation makes an element of what is reduced from those in the same place. Several elements of a byte
    are taken apart before they are moved."""
    result, moves = op.result, reduction.kind in MOVED
    made = [result, *(v for v in op.operands if moves and isinstance(v, Value))]
    of_kind = op.kind in BY_ELEMENT and not op.loop and op.stage == reduction.stage
    return of_kind and result.shape == operand.shape and not any(value.dtype in PACKED for value in made)


class Readers:
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

    def lies_in_gm(self, value: Value, operand: Value, reduction: Op, behind: set[str]) -> bool:
        """Whether a value that another kernel makes is in GM for other readers than the reduction's kernel, or takes
        little there."""
        name = root(value.name, self.defining)
        if value.shape != operand.shape or name not in self.defining or "" in self.direct[value.name]:
            return True
        made = self.defining[name]
        return self._is_elsewhere(made, reduction) or any(
            op.result.name in behind or self._is_elsewhere(op, reduction) for op in self.through_views[name]
        )

    def alone(self, names: Collection[str], order: Op) -> bool:
        """Whether these operations save a kernel: nothing that they read would be made in one for them alone."""
        read = {name for each in names for name in self._read(self.defining[each])} - {*names}
        made = (self.defining[name] for name in read if name in self.defining)
        return all(self._is_elsewhere(op, order) or self._others(op, names) for op in made)

    def _others(self, op: Op, names: Collection[str]) -> bool:
        """Whether others than these operations read a result."""
        readers = {other.result.name for other in self.through_views[op.result.name]}
        return "" in self.direct.get(op.result.name, set()) or not readers <= {*names}

    def _is_elsewhere(self, op: Op, reduction: Op) -> bool:
        """Whether an operation belongs to another kernel for sure."""
        return op is not reduction and (bool(op.loop) or op.stage != reduction.stage or self.is_standalone(op))
