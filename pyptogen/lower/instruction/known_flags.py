"""Flags that were planned before, for kernels in which the same has to wait for the same.

Of a kernel flags hang on its loops, on the pipes of its instructions, and on which of them touch the same bytes, not on
which bytes these are. Tables of tile sizes that are tried for one kernel, the ways to lower an operator and its kernels
with other numbers of rows mostly have that in common. So what `question` says of a kernel is looked up first; what is
planned, and proved, for one kernel is so for all with the same question.
"""

from __future__ import annotations

from dataclasses import field
from itertools import product

from pyptogen.lower.instruction.effects import Lying, Touches
from pyptogen.lower.instruction.event_ids import Flags
from pyptogen.lower.instruction.ir import Barrier, Choose, For, Instr, InstrKernel, Node, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.trips import Counted
from pyptogen.lower.tile.ir import distributed_nest
from pyptogen.records import dataclass, replace

Question = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class KnownFlags:
    """By question, the flags that the first walk of a kernel asks for, with whether it asks for no more, and those of
    all walks, proved and thinned out."""

    begun: dict[Question, tuple[Flags, bool]] = field(default_factory=dict)
    proved: dict[Question, Flags] = field(default_factory=dict)


def moved(flags: Flags, kernel: InstrKernel) -> Flags:
    """The same plan for another kernel of the same question, to go on with."""
    return replace(
        flags,
        kernel=kernel,
        orders=list(flags.orders),
        barriers=dict(flags.barriers),
        places={place: list(syncs) for place, syncs in flags.places.items()},
        links=set(flags.links),
    )


def question(kernel: InstrKernel, touches: Touches) -> Question:
    """All that the flags of a kernel hang on; ``touches`` knows all of its accesses afterwards."""
    reader = _Reader(touches, {n.slot: n.slots for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None})
    told = reader.nodes(kernel.body, "")
    met = tuple(
        (me, tuple((at, tuple(numbers)) for at, numbers in others.items()), tuple(own))
        for me, others, own, _ in touches.met
    )
    return kernel.platform, told, met


class _Reader:
    def __init__(self, touches: Touches, copies: dict[str, int]) -> None:
        self.touches, self.copies = touches, copies
        self.zero = dict.fromkeys(copies, 0)
        self.lying: dict[tuple[str, int], int] = {}
        """Numbers of the places in L0 where fractals lie."""

    def nodes(self, nodes: tuple[Node, ...], around: str) -> Question:
        return tuple([self._node(node, around) for node in nodes])

    def _node(self, node: Node, around: str) -> object:
        if isinstance(node, For):
            counted = Counted.of(node)
            ends = counted.distance, counted.ends_early, counted.behind_first, len(distributed_nest(node))
            stage = node.ahead(around) if node.once else None
            return node.slot, node.slots, stage, ends, self.nodes(node.body, around if node.once else node.var)
        if isinstance(node, Instr | Choose):
            return self._access(node if isinstance(node, Instr) else node.other)
        # What is there already is a sync; what else there is takes a place, and nobody waits for it.
        return node if isinstance(node, SetFlag | WaitFlag | Barrier) else None

    def _access(self, instr: Instr) -> object:
        """The access of an instruction, for each copy of its tiles."""
        names = self.touches.counters(instr, self.zero)
        found = []
        for numbers in product(*(range(self.copies[name]) for name in names)):
            touch = self.touches.of(instr, {**self.zero, **dict(zip(names, numbers, strict=True))})
            slots = tuple([region.slot for region in (*touch.reads, *touch.writes)])
            found.append((touch.number, len(touch.reads), slots, self._lying(touch.takes), self._lying(touch.leaves)))
        return instr.pipe, instr.span, names, tuple(found)

    def _lying(self, lying: tuple[Lying, ...]) -> tuple[object, ...]:
        return tuple([(self.lying.setdefault(place, len(self.lying)), apart) for place, apart in lying])
