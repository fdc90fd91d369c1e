"""How far apart in bytes the reads of one place in GM lie: what L2 has to hold for the second one to find it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, For, GmWindow, Instr, InstrKernel, Node, Pass
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class _Access:
    """A window, and the loops around it from the outermost on, with how often each runs."""

    window: GmWindow
    loops: tuple[tuple[For, int], ...]

    def moves_with(self, loop: For) -> bool:
        return loop.var in self.window.offset.names()

    def bytes_within(self, depth: int) -> float:
        """Bytes of different places that all blocks access in one iteration of the loop at ``depth``."""
        total = float(self.window.rows.size * self.window.cols.size * DTYPES[self.window.dtype])
        for at, (loop, trips) in enumerate(self.loops):
            if self.moves_with(loop) and (at > depth or loop.parallel):
                total *= trips
        return total


def distances(kernels: Sequence[InstrKernel], numbers: Mapping[str, int], blocks: int) -> dict[str, float]:
    """By tensor, bytes that all ``blocks`` access between two reads of the same place: one iteration of the innermost
    loop that the tensor's window stands still in. Tensors that are read once are left out."""
    found: dict[str, float] = {}
    for kernel in kernels:
        accesses = list(_accesses(kernel.body, (), numbers, blocks))
        for access in accesses:
            still = [
                depth
                for depth, (loop, trips) in enumerate(access.loops)
                if trips > 1 and not loop.parallel and not access.moves_with(loop)
            ]
            if not still:
                found.setdefault(access.window.tensor, 0.0)
                continue
            around = access.loops[still[-1]][0]
            total = sum(
                other.bytes_within(depth)
                for other in accesses
                for depth, (loop, _) in enumerate(other.loops)
                if loop is around
            )
            found[access.window.tensor] = max(total, found.get(access.window.tensor, 0.0))
    return found


def _number(value: Poly, numbers: Mapping[str, int]) -> int:
    return value.evaluate({name: numbers.get(name, 0) for name in value.names()})


def _accesses(
    nodes: Sequence[Node], around: tuple[tuple[For, int], ...], numbers: Mapping[str, int], blocks: int
) -> Iterator[_Access]:
    for node in nodes:
        if isinstance(node, For):
            extent = _number(node.stop, numbers) - _number(node.start, numbers)
            trips = 1 if node.once else max(1, -(-extent // node.advance))
            if node.parallel:
                trips = min(trips, blocks)
            inside = {**numbers, **({node.valid: max(0, min(node.step, extent))} if node.valid is not None else {})}
            yield from _accesses(node.body, (*around, (node, trips)), inside, blocks)
            continue
        for instr in node.members if isinstance(node, Pass) else (node.other if isinstance(node, Choose) else node,):
            if isinstance(instr, Instr):
                windows = (o for o in instr.operands if isinstance(o, GmWindow))
                yield from (_Access(window, around) for window in windows)
