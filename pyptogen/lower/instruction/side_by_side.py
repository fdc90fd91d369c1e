"""The two programs of a mixed kernel together: what passes between their cores, proved.

Flags between the pipes of one core are proved by `replay`, program by program; between the cores only the fifos order.
So the programs are replayed side by side as far as their fifos go (`fifos`): a push waits for a free slot, a pop for a
filled one. Both run with the same trip counts of the loops around a push and its pop, from 0 to two more than a fifo
holds. Where iterations are distributed to blocks, no iteration does the work of another one: that is another block's,
with fifos of its own.

Two vector cores that run one program wait for what the cube core tells both, and the cube core for what both tell. So
they stand for one core as long as they keep step: no loop with a fifo in it may depend on which of them runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.fifos import Event, Iterations, Outline, first_fault, played
from pyptogen.lower.instruction.ir import Choose, FifoRef, For, GmWindow, Instr, InstrKernel, Node, walk
from pyptogen.lower.tile.ir import parts_of_tile
from pyptogen.lower.verify import require

_WORDS = {"TPUSH": ("claim", "fill"), "TPOP": ("pop",), "TFREE": ("free",)}


def pairs(kernels: Sequence[InstrKernel]) -> list[tuple[InstrKernel, InstrKernel]]:
    """Cube and vector program of each mixed kernel, which stand one after the other."""
    found = [kernel for kernel in kernels if kernel.fifos]
    return list(zip(found[::2], found[1::2], strict=True))


def outline(kernel: InstrKernel) -> Outline:
    """What a program does to its fifos."""
    slots = {fifo.slot: fifo.name for fifo in kernel.fifos}

    def of(nodes: Sequence[Node], around: str, tiles: dict[str, int]) -> Iterator[Event | Iterations]:
        for node in nodes:
            if isinstance(node, For):
                inside = {**tiles, **({node.valid: node.step} if node.valid is not None else {})}
                body = tuple(of(node.body, node.var, inside))
                most = parts_of_tile(node.start, node.stop, node.step, tiles)
                if body:
                    yield Iterations(body, node.ahead(around) if node.once else None, node.distance, most)
            instr = node.other if isinstance(node, Choose) else node
            if isinstance(instr, Instr):
                for operand in instr.operands:
                    if isinstance(operand, FifoRef):
                        yield from ((word, operand.name) for word in _WORDS[instr.name])
                    elif isinstance(operand, GmWindow) and operand.tensor in slots:
                        yield "load", slots[operand.tensor]

    return tuple(of(kernel.body, "", {}))


def events(kernel: InstrKernel, trips: int, inner: int) -> list[Event]:
    """What a program does to its fifos, with ``trips`` iterations of outer loops and ``inner`` ones of loops within."""
    return played(outline(kernel), trips, inner)


def out_of_step(vector: InstrKernel) -> str | None:
    """The variable of a loop with a fifo in it whose iterations depend on which vector core runs it, if there is
    one."""
    loops = [node for node in walk(vector.body) if isinstance(node, For)]
    by_core = {vector.subblock, *(loop.half[0] for loop in loops if loop.half)}
    for loop in loops:
        fifos = any(isinstance(n, Instr) and isinstance(n.operands[0], FifoRef) for n in walk(loop.body))
        bounds = [loop.start, loop.stop, *(p for p in (loop.after, loop.before) if p is not None)]
        bounds += loop.only.polys() if loop.only else ()
        if fifos and not by_core.isdisjoint(name for bound in bounds for name in bound.names()):
            return loop.var
    return None


def iteration_of_another_block(kernel: InstrKernel) -> str | None:
    """The variable of a loop that is distributed to blocks, and whose iterations do work of other iterations, if there
    is one."""
    for loop in (node for node in walk(kernel.body) if isinstance(node, For) and node.parallel):
        if any(isinstance(part, For) and part.once and part.start != Poly.of(loop.var) for part in loop.body):
            return loop.var
    return None


def faults(cube: InstrKernel, vector: InstrKernel) -> list[str]:
    """What goes wrong between two programs, for all small trip counts: nothing, if they are sound."""
    apart = out_of_step(vector)
    if apart is not None:
        return [f"the vector cores do not keep step in the loop {apart}"]
    for program in (cube, vector):
        distributed = iteration_of_another_block(program)
        if distributed is not None:
            return [f"{program.name} does the work of another block's iteration in the loop {distributed}"]
    fault = first_fault(outline(cube), outline(vector), tuple((fifo.name, fifo.slots) for fifo in cube.fifos))
    return [] if fault is None else [fault]


def require_order(kernels: Sequence[InstrKernel]) -> None:
    """Prove all mixed kernels.

    Raises:
        IllegalIR: their programs do not go together (a fault of the compiler).
    """
    for cube, vector in pairs(kernels):
        found = faults(cube, vector)
        require(not found, f"kernels {cube.name} and {vector.name}: {found[0] if found else ''}", cube.span)
