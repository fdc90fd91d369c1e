"""Flags that were planned before, for kernels in which the same has to wait for the same.

Of a kernel flags hang on its loops, on the pipes of its instructions, and on which of them access the same bytes, not
on which bytes these are, nor on the lines of the spec. Tables of tile sizes that are tried for one kernel, the ways to
lower an operator, its kernels with other numbers of rows and many kernels of a library have that in common. So what
`question` says of a kernel is looked up first; what is planned, and proved, for one kernel is so for all with the same
question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from itertools import product
from typing import Any, Generic, TypeVar

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.effects import KernelEffects, Lying
from pyptogen.lower.instruction.event_ids import Flags
from pyptogen.lower.instruction.handover import Handover, Place
from pyptogen.lower.instruction.ir import Barrier, Choose, For, Instr, InstrKernel, Node, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.trips import Counted
from pyptogen.lower.tile.ir import distributed_nest
from pyptogen.records import dataclass, replace

MOST = 2048
"""Questions whose answers a process keeps: a library of 96 operators asks 700."""


@dataclass(frozen=True, slots=True)
class Question:
    """All that the flags of a kernel hang on, where ``spans``, its lines of the spec, are told by their numbers."""

    asks: tuple[object, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Flags without the kernel that they were planned for, and the lines of the spec that they point at."""

    flags: Flags
    spans: tuple[Span, ...]

    @staticmethod
    def of(flags: Flags, asked: Question) -> Plan:
        """A plan to keep: the kernel itself is not kept."""
        return Plan(_copied(flags, replace(flags.kernel, body=()), lambda span: span), asked.spans)

    def moved(self, kernel: InstrKernel, asked: Question) -> Flags:
        """The same plan for another kernel of the same question, to go on with."""
        here = dict(zip(self.spans, asked.spans, strict=True))
        return _copied(self.flags, kernel, (lambda span: span) if self.spans == asked.spans else here.__getitem__)


def _copied(flags: Flags, kernel: InstrKernel, span: Callable[[Span], Span]) -> Flags:
    def at(one: Any) -> Any:
        there = span(one.span)
        return one if there is one.span else replace(one, span=there)

    return replace(
        flags,
        kernel=kernel,
        orders=list(map(at, flags.orders)),
        barriers={path: at(barrier) for path, barrier in flags.barriers.items()},
        places={place: list(map(at, syncs)) for place, syncs in flags.places.items()},
        links=set(flags.links),
    )


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Answers(Generic[Answer]):
    """Answers by question, not more than `MOST`: a process lowers any number of operators."""

    known: dict[tuple[object, ...], Answer] = field(default_factory=dict)

    def get(self, asks: tuple[object, ...]) -> Answer | None:
        """The answer, None where there is none yet."""
        return self.known.get(asks)

    def keep(self, asks: tuple[object, ...], answer: Answer) -> Answer:
        """The answer, which is known from now on."""
        if len(self.known) >= MOST:
            self.known.clear()
        self.known[asks] = answer
        return answer


@dataclass(frozen=True, slots=True)
class KnownFlags:
    """By question and walk, the flags that the first walk of a kernel asks for, with whether it asks for no more; by
    question and walks, those of all of them, proved and thinned out."""

    begun: Answers[tuple[Plan, bool]] = field(default_factory=Answers)
    proved: Answers[Plan] = field(default_factory=Answers)


KNOWN = KnownFlags()
"""Those of all operators that this process lowers."""


def question(kernel: InstrKernel, effects: KernelEffects) -> Question:
    """All that the flags of a kernel hang on; ``effects`` knows all of its accesses afterwards."""
    reader = _Reader(effects, {n.slot: n.slots for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None})
    told = reader.nodes(kernel.body, "")
    met = tuple(
        [
            (me, tuple([(at, *numbers) for at, numbers in others.items()]), tuple(own), tuple(about.items()))
            for (me, others, own, _), about in zip(effects.met, effects.about, strict=True)
        ]
    )
    return Question((kernel.platform, told, met), tuple(reader.spans))


class _Reader:
    def __init__(self, effects: KernelEffects, copies: dict[str, int]) -> None:
        self.effects, self.copies = effects, copies
        self.zero = dict.fromkeys(copies, 0)
        self.spans: dict[Span, int] = {}
        """Lines of the spec, with their numbers."""
        self.lying: dict[tuple[str, int], int] = {}
        """Numbers of the places in L0 where fractals lie."""
        self.handed: dict[Place, int] = {}
        """Numbers of the places in L0C that are handed over by unit flags."""

    def nodes(self, nodes: tuple[Node, ...], around: str) -> tuple[object, ...]:
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
        names = self.effects.counters(instr, self.zero)
        found = []
        for numbers in product(*(range(self.copies[name]) for name in names)):
            effects = self.effects.of(instr, {**self.zero, **dict(zip(names, numbers, strict=True))})
            slots = tuple([region.slot for region in (*effects.reads, *effects.writes)])
            lying = self._lying(effects.takes), self._lying(effects.leaves)
            found.append((effects.number, len(effects.reads), slots, *lying, self._handed(effects.handover)))
        return instr.pipe, self.spans.setdefault(instr.span, len(self.spans)), names, tuple(found)

    def _handed(self, handover: Handover | None) -> object:
        """What an access does to unit flags, and of which place; others that lie across it are told by `met`."""
        if handover is None:
            return None
        return handover.does, handover.loops, self.handed.setdefault(handover.place, len(self.handed))

    def _lying(self, lying: tuple[Lying, ...]) -> tuple[object, ...]:
        return tuple([(self.lying.setdefault(place, len(self.lying)), apart) for place, apart in lying])
