"""When each buffer is in use.

A buffer is live from its first write to its last read, and through every loop that it crosses. An elementwise result
may take the place of an operand that dies there.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyptogen.lower.isa.device_rules import fills_first
from pyptogen.lower.isa.kinds import instruction_of
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, TileVal, walk
from pyptogen.lower.tile.ops import Binary, Unary


def _broadcasts_first(op: Binary, dst: TileVal, operands: list[TileVal]) -> bool:
    """Whether the first operand of a binary operation is broadcast into the result before the second is read: it is a
    column or a row, and the order matters or the other is one too."""
    whole = [(t.form, t.rows, t.cols) == (dst.form, dst.rows, dst.cols) for t in operands]
    return len(operands) == 2 and not whole[0] and (not op.commutes or not whole[1])


@dataclass(slots=True)
class Live:
    """Positions of a buffer: two ticks an operation, reads on the even one, writes on the odd one."""

    first: int
    last: int


class Liveness:
    """Live ranges of the buffers of one kernel for a platform, and of its outermost loops."""

    def __init__(self, kernel: TileKernel, platform: str) -> None:
        self.platform = platform
        self.parent = {t.name: t.parent or t.name for t in kernel.tiles}
        self.tiles = {t.name: t for t in kernel.tiles}
        self.ranges: dict[str, Live] = {}
        self.carried: set[str] = set()
        """What an iteration reads of an earlier one: read before it is written."""
        self.loops: list[Live] = []
        self.clock = 0
        for node in kernel.body:
            start = self.clock
            self._walk((node,))
            if isinstance(node, Loop):
                self.loops.append(Live(start, self.clock - 1))

    def _walk(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                start = self.clock
                before = set(self.ranges)
                self._walk(node.body)
                self._cross(node, before, start)
            else:
                self._access(node)

    def _access(self, op: TileOp) -> None:
        reads = [self.parent[s] for s in op.operands]
        overwritable = self._overwritable(op)
        if op.accumulates and op.dst in self.ranges:
            reads.append(op.dst)
        for name in reads:
            if name not in self.ranges:
                self.carried.add(name)
                self.ranges[name] = Live(self.clock, self.clock)
            until = self.clock if name in overwritable else self.clock + 1
            self.ranges[name].last = max(self.ranges[name].last, until)
        for scratch in op.scratches:
            self.ranges.setdefault(scratch, Live(self.clock, self.clock)).last = self.clock + 1
        if op.dst is not None:
            name = self.parent[op.dst]
            at = self.clock + 1 if overwritable else self.clock
            live = self.ranges.setdefault(name, Live(at, self.clock + 1))
            live.last = max(live.last, self.clock + 1)
        self.clock += 2

    def _overwritable(self, op: TileOp) -> set[str]:
        """Buffers of operands whose place the result may take: element for element at the same address."""
        if not isinstance(op, Unary | Binary) or op.dst is None or self.tiles[op.dst].parent is not None:
            return set()
        dst = self.tiles[op.dst]
        operands = [self.tiles[s] for s in op.operands]
        if isinstance(op, Binary) and _broadcasts_first(op, dst, operands):
            return set()
        number_first = not isinstance(op.srcs[0], str)
        name = instruction_of(op.fn, any(not isinstance(source, str) for source in op.srcs))
        if fills_first(self.platform, name, number_first):
            return set()
        same = {
            self.parent[t.name]
            for t in operands
            if (t.form, t.dtype, t.rows, t.cols) == (dst.form, dst.dtype, dst.rows, dst.cols) and t.col_offset == 0
        }
        return same - {self.parent[t.name] for t in operands if t.col_offset != 0}

    def _cross(self, loop: Loop, before: set[str], start: int) -> None:
        """What enters the loop from outside, or is accumulated or made some rows at a time in it, lives through all of
        it."""
        inside = {self.parent[n] for n in _names(loop.body)}
        accumulated = {self.parent[op.dst] for op in walk(loop.body) if op.accumulates and op.dst}
        if loop.role == "sub":
            made = [self.tiles[name] for name in {op.dst for op in walk(loop.body) if op.dst}]
            accumulated |= {self.parent[t.name] for t in made if loop.var in t.row_offset.names()}
        for name in inside:
            live = self.ranges[name]
            if name in before:
                live.last = max(live.last, self.clock)
            if name in accumulated or name in self.carried:
                live.first, live.last = min(live.first, start), max(live.last, self.clock)


def _names(nodes: tuple[Node, ...]) -> set[str]:
    return {name for op in walk(nodes) for name in op.tiles}
