"""Operations that are connected by values, and may be one kernel: nothing outside reads of it and is read by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.views import read_with
from pyptogen.lower.tile.kernels.overwritten import Edges


class Connected:
    """Finds them in one program.

    Args:
        program: the operator.
        unfused: pairs of (reader, value) that must not be in one kernel.
    """

    def __init__(self, program: Program, unfused: Edges) -> None:
        self.program, self.unfused = program, unfused
        defining = {op.result.name: op for op in program.ops}
        self.reads = {
            op.result.name: frozenset(n for v in values(op.operands) for n in read_with(v.name, defining))
            for op in program.ops
        }
        """The values with data of their own that an operation reads, by its result."""

    def around(self, op: Op, able: Sequence[Op]) -> set[str]:
        """What is joined to an operation by values that one of the ``able`` makes and another reads."""
        found = {op.result.name}
        names = {op.result.name for op in able}
        before = 0
        while len(found) > before:
            before = len(found)
            for other in able:
                name = other.result.name
                read = {base for base in self.reads[name] & names if (name, base) not in self.unfused}
                if name in found:
                    found |= read
                elif read & found:
                    found.add(name)
        return found

    def convex(self, names: Collection[str], taken: Mapping[str, str]) -> set[str]:
        """The operations without those that read what another kernel makes of their values. Those of a loop are in one
        kernel, and so are those that are ``taken`` together."""
        found = set(names)
        while True:
            outside = self._behind(found, taken)
            apart = {name for name in found if self.reads[name] & outside or self._needs_own_kernel(name, found)}
            if not apart:
                return found
            found -= apart

    def _behind(self, found: Collection[str], taken: Mapping[str, str]) -> set[str]:
        """What other kernels make of the values of this one, and all that is made with it."""
        units = {op.result.name: op.loop or taken.get(op.result.name, op.result.name) for op in self.program.ops}
        behind: set[str] = set()
        before = -1
        while len(behind) > before:
            before = len(behind)
            for name, unit in units.items():
                read = self.reads[name]
                if name not in found and any(base in found or units.get(base) in behind for base in read):
                    behind.add(unit)
        return {name for name, unit in units.items() if name not in found and unit in behind}

    def _needs_own_kernel(self, name: str, found: Collection[str]) -> bool:
        """Whether an operation must not be in a kernel with one that it reads."""
        return any((name, base) in self.unfused for base in self.reads[name] if base in found)


def values(operands: Iterable[object]) -> list[Value]:
    """Those of operands that are no numbers."""
    return [value for value in operands if isinstance(value, Value)]
