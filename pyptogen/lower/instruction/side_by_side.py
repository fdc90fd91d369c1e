"""The two programs of a mixed kernel together: what passes between their cores, proved.

Flags between the pipes of one core are proved by `replay`, program by program; between the cores only the rings order.
So the programs are replayed side by side as far as their rings go: a push waits for a free slot, a pop for a filled
one. Both run with the same trip counts of the loops around a push and its pop, from 0 to two more than a ring holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.instruction.ir import Choose, For, GmWindow, Instr, InstrKernel, Node, Queue
from pyptogen.lower.instruction.replay import loop_trips
from pyptogen.lower.verify import require

Event = tuple[str, str]
"""What happens, and to which ring: push, pop, load (from its popped slot) or free."""

_WORDS = {"TPUSH": "push", "TPOP": "pop", "TFREE": "free"}


def pairs(kernels: Sequence[InstrKernel]) -> list[tuple[InstrKernel, InstrKernel]]:
    """Cube and vector program of each mixed kernel, which stand one after the other."""
    found = [kernel for kernel in kernels if kernel.fifos]
    return list(zip(found[::2], found[1::2], strict=True))


def events(kernel: InstrKernel, trips: int, inner: int) -> list[Event]:
    """What a program does to its rings, with ``trips`` rounds of outer loops and ``inner`` ones of loops within."""
    slots = {fifo.slot: fifo.name for fifo in kernel.fifos}
    found: list[Event] = []

    def walk(nodes: Sequence[Node], outermost: bool, turn: tuple[str, int, int]) -> None:
        for node in nodes:
            if isinstance(node, For):
                rounds = loop_trips(node, trips if outermost else inner, turn)
                for n in range(rounds):
                    walk(node.body, False, (node.var, n, rounds))
            instr = node.other if isinstance(node, Choose) else node
            if isinstance(instr, Instr):
                for operand in instr.operands:
                    if isinstance(operand, Queue):
                        found.append((_WORDS[instr.name], operand.name))
                    elif isinstance(operand, GmWindow) and operand.tensor in slots:
                        found.append(("load", slots[operand.tensor]))

    walk(kernel.body, True, ("", 0, 1))
    return found


class _Rings:
    """Slots of all rings: filled, and popped but not given back."""

    def __init__(self, slots: Mapping[str, int]) -> None:
        self.slots = slots
        self.filled = dict.fromkeys(slots, 0)
        self.popped = dict.fromkeys(slots, 0)

    def ready(self, event: Event) -> bool:
        what, ring = event
        if what == "push":
            return self.filled[ring] + self.popped[ring] < self.slots[ring]
        return what != "pop" or self.filled[ring] > 0

    def take(self, event: Event) -> str | None:
        """Let it happen; what is wrong with it, if anything."""
        what, ring = event
        if what in ("load", "free") and self.popped[ring] != 1:
            return f"{what} of {ring} with {self.popped[ring]} slots popped"
        self.filled[ring] += {"push": 1, "pop": -1}.get(what, 0)
        self.popped[ring] += {"pop": 1, "free": -1}.get(what, 0)
        return None


def faults(cube: InstrKernel, vector: InstrKernel) -> list[str]:
    """What goes wrong between two programs, for all small trip counts: nothing, if they are sound."""
    slots = {fifo.name: fifo.slots for fifo in cube.fifos}
    most = max(slots.values(), default=0) + 2
    found: list[str] = []
    for trips in range(most + 1):
        for inner in range(most + 1) if trips else (0,):
            found += _together(events(cube, trips, inner), events(vector, trips, inner), slots)
            if found:
                return [f"{text} (loops of {trips}, within them {inner} rounds)" for text in found]
    return []


def _together(cube: Sequence[Event], vector: Sequence[Event], slots: Mapping[str, int]) -> list[str]:
    rings, found = _Rings(slots), []
    sides, at = (cube, vector), [0, 0]
    moved = True
    while moved:
        moved = False
        for side, sequence in enumerate(sides):
            while at[side] < len(sequence) and rings.ready(sequence[at[side]]):
                fault = rings.take(sequence[at[side]])
                found += [fault] if fault else []
                at[side] += 1
                moved = True
    stuck = [" of ".join(sequence[i]) for sequence, i in zip(sides, at, strict=True) if i < len(sequence)]
    if stuck:
        return [*found, f"deadlock: {' against '.join(stuck)}"]
    return [*found, *(f"{ring} is not empty at the end" for ring in slots if rings.filled[ring] or rings.popped[ring])]


def require_order(kernels: Sequence[InstrKernel]) -> None:
    """Prove all mixed kernels.

    Raises:
        IllegalIR: their programs do not go together (a fault of the compiler).
    """
    for cube, vector in pairs(kernels):
        found = faults(cube, vector)
        require(not found, f"kernels {cube.name} and {vector.name}: {found[0] if found else ''}", cube.span)
