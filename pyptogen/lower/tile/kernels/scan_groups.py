"""Elementwise work around a scan, and other scans along the same axis, are one kernel with it.

before: n = floor_div(c, 64); s = cumsum(n: [t, e], axis=1); p = sub(s, n)
after:  one kernel {floor_div, cumsum, sub}, piece by piece of the axis: a scan gives an element for each of its operand

All values have the scan's shape and belong to its stage. What leads to a scan does not join it where others read it,
too, or where another value would have to be written in its place: that saves nothing. On a processor slow work stays on
all threads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import PACKED, SCAN, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.kernels.connected import Connected, values
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.kernels.prologues import BY_ELEMENT, MOST_SLOW, SLOW


def run(
    program: Program,
    platform: Platform,
    is_standalone: Callable[[Op], bool],
    taken: Mapping[str, str],
    unfused: Edges = frozenset(),
) -> Mapping[str, str]:
    """The operations of such kernels by their results, each with the result of the last one of its kernel.

    Args:
        program: the operator.
        platform: where it will run.
        is_standalone: which operations are kernels of their own else.
        taken: operations of other such kernels, with the result of the last one of each.
        unfused: pairs of (reader, value) that must not be in one kernel.
    """
    finder = _Finder(program, is_standalone, unfused)
    found: dict[str, str] = {}
    for op in program.ops:
        if op.kind in SCAN and not op.loop and op.result.name not in found:
            group = finder.group(op, {**taken, **found})
            if len(group) > 1 and not (platform.unified and finder.slow(group) > MOST_SLOW):
                found |= dict.fromkeys(group, group[-1])
    return found


class _Finder:
    """Finds the kernel around a scan."""

    def __init__(self, program: Program, is_standalone: Callable[[Op], bool], unfused: Edges) -> None:
        self.program, self.is_standalone, self.unfused = program, is_standalone, unfused
        self.connected = Connected(program, unfused)
        self.defining = {op.result.name: op for op in program.ops}
        self.readers: dict[str, set[str]] = {}
        """The results that follow from a value, by its name; "" for the caller."""
        for op in program.ops:
            for name in self.connected.reads[op.result.name]:
                self.readers.setdefault(name, set()).add(op.result.name)
        for _, value in program.outputs:
            self.readers.setdefault(root(value.name, self.defining), set()).add("")

    def group(self, scan: Op, taken: Mapping[str, str]) -> list[str]:
        """The results of the kernel, in the order of the program."""
        able = [op for op in self.program.ops if op.result.name not in taken and self._fits(op, scan)]
        while True:
            names = self.connected.convex(self.connected.around(scan, able), taken)
            group = [op for op in able if op.result.name in names and not self._reads_views(op, names)]
            kept = self._that_gain(group, scan)
            if len(kept) == len(able):
                return [op.result.name for op in kept]
            able = kept

    def slow(self, names: Collection[str]) -> int:
        """How many of the operations are slow."""
        return sum(self.defining[name].kind in SLOW for name in names)

    def _fits(self, op: Op, scan: Op) -> bool:
        """Whether an operation makes an element of values of the scan's shape from those in the same place, or along
        its axis."""
        along = op.kind in BY_ELEMENT or (op.kind in SCAN and op.attrs["axis"] == scan.attrs["axis"])
        alone = (op.result.name, op.result.name) in self.unfused
        same = op.result.shape == scan.result.shape and op.stage == scan.stage
        return along and same and not alone and not op.loop and op.result.dtype not in PACKED

    def _reads_views(self, op: Op, found: Collection[str]) -> bool:
        """Whether an operation reads a view of what the kernel makes."""
        made = [v for v in values(op.operands) if root(v.name, self.defining) in found]
        return any(value.name not in found for value in made)

    def _that_gain(self, group: Sequence[Op], scan: Op) -> list[Op]:
        """The scans, what follows from them, and what leads to them, where nobody else reads that, and it does not read
        what another kernel makes for this one alone."""
        names, behind = {op.result.name for op in group}, set[str]()
        for op in group:
            if op.kind in SCAN or self.connected.reads[op.result.name] & behind:
                behind.add(op.result.name)

        def gains(op: Op) -> bool:
            seen = self.readers.get(op.result.name, set()) <= names
            return seen and not any(self._is_made_for(v, names, scan) for v in values(op.operands))

        return [op for op in group if op.result.name in behind or gains(op)]

    def _is_made_for(self, value: Value, names: Collection[str], scan: Op) -> bool:
        """Whether a value of the scan's shape is made in its stage, for operations of these names alone, by one that
        need not be a kernel of its own."""
        made = self.defining.get(root(value.name, self.defining))
        if made is None or made.result.name in names or value.shape != scan.result.shape or self.is_standalone(made):
            return False
        return made.stage == scan.stage and not made.loop and self.readers[made.result.name] <= set(names)
