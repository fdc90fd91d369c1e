"""What a walk through a kernel did, in order: instructions with the bytes that they access, flags, barriers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.effects import Effects, KernelEffects, Lying, Region
from pyptogen.lower.instruction.handover import Handover
from pyptogen.lower.instruction.ir import Barrier, Instr, InstrKernel, Node, SetFlag, WaitFlag
from pyptogen.lower.instruction.replay import Finding, Path, Replay, Trips
from pyptogen.records import dataclass, replace
from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.regions import NOTHING, Use

EVENT_OBJECTS = 1000
"""First number of flags that stand for Event objects: apart from the eight ids of a kernel's own."""
LONGEST = 10_000
"""Instructions of one walk: more than any schedule needs to repeat itself."""


class TooLong(Exception):
    """A walk has more instructions than its trace takes."""


@dataclass(slots=True)
class Trace:
    """One walk of at most ``most`` instructions."""

    most: int = LONGEST
    nodes: list[Node] = field(default_factory=list)
    accessed: dict[int, tuple[tuple[Region, ...], tuple[Region, ...]]] = field(default_factory=dict)
    """(reads, writes) by identity of the instruction."""
    lying: dict[int, tuple[tuple[Lying, ...], tuple[Lying, ...]]] = field(default_factory=dict)
    """How fractals lie behind it and before it, alike."""
    handovers: dict[int, Handover] = field(default_factory=dict)
    """What it does to unit flags, alike."""
    uses: dict[int, tuple[Use, ...]] = field(default_factory=dict)
    """What it does to its tiles and GlobalTensors, alike."""
    holders: int = 0
    """TASSIGNs so far."""
    events: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Event objects that are set: place in ``nodes`` and pipe."""
    pipes: dict[str, int] = field(default_factory=dict)
    """Slots of the fifos between the cores, by name."""
    fifos: list[tuple[str, str, Span]] = field(default_factory=list)
    """What happens to them: event, fifo and place."""
    forced: bool = False
    """A loop hung on an unknown value."""
    cut: bool = False
    """A loop was left before its last iteration, or a size is 0: then products may be missing that calls have."""
    decided: bool = False
    """A branch did."""
    outcomes: set[tuple[Token, bool]] = field(default_factory=set)
    """Which ways its branches went."""
    by_core: bool = False
    """The kernel asked which of the vector cores of its block it runs on."""
    registers: set[str] = field(default_factory=set)
    """Those of the core that the kernel has set, or that were told as not set."""
    faults: list[Finding] = field(default_factory=list)
    """What is wrong by itself, in whatever order pipes run."""

    def instruction(
        self,
        name: str,
        pipe: Any,
        span: Span,
        reads: list[Region],
        writes: list[Region],
        lying: tuple[tuple[Lying, ...], tuple[Lying, ...]] = NOTHING,
        uses: Sequence[Use] = (),
        handover: Handover | None = None,
    ) -> None:
        """``lying``: how fractals lie behind it, and how they have to lie before it; ``uses``: its tiles and
        GlobalTensors in order; ``handover``: what it does to unit flags. Raises TooLong."""
        instr = Instr(name, (), pipe, "", span)
        self.uses[id(instr)] = tuple(uses)
        if handover is not None:
            self.handovers[id(instr)] = handover
            reads, writes = ([replace(r, handed=r.memory == "Acc") for r in regions] for regions in (reads, writes))
        self.accessed[id(instr)] = tuple(reads), tuple(writes)
        if lying != NOTHING:
            self.lying[id(instr)] = lying
        self.nodes.append(instr)
        if len(self.nodes) > self.most:
            raise TooLong

    def barrier(self, pipe: Any, span: Span) -> None:
        self.nodes.append(Barrier(pipe, span))

    def flag(self, set_: bool, src: Any, dst: Any, event: int, span: Span) -> None:
        self.nodes.append((SetFlag if set_ else WaitFlag)(src, dst, event, "", span))

    def fifo(self, event: str, name: str, span: Span) -> None:
        self.fifos.append((event, name, span))

    def set_event(self, pipe: str) -> int:
        """An Event object takes the result of the last instruction."""
        number = len(self.events)
        self.events[number] = len(self.nodes), pipe
        return number

    def wait_event(self, number: int, pipe: Any, span: Span) -> None:
        """The next instruction of ``pipe`` waits for what the event was set by."""
        if number not in self.events:
            return
        at, src = self.events.pop(number)
        if src == pipe:
            self.nodes.append(Barrier(pipe, span))
            return
        source: Any = src
        self.nodes.insert(at, SetFlag(source, pipe, EVENT_OBJECTS + number, "", span))
        self.events = {n: (p + (p > at), s) for n, (p, s) in self.events.items()}
        self.nodes.append(WaitFlag(source, pipe, EVENT_OBJECTS + number, "", span))

    def counts(self) -> tuple[int, int]:
        """(instructions, flags and barriers)."""
        instructions = sum(isinstance(node, Instr) for node in self.nodes)
        return instructions, len(self.nodes) - instructions

    def like(self, other: Trace) -> bool:
        """Whether another walk did the same, so that judging one of them is enough."""
        return self._told() == other._told() and self.fifos == other.fifos

    def _told(self) -> list[Any]:
        return [(n.name, self.accessed[id(n)]) if isinstance(n, Instr) else n for n in self.nodes]

    def findings(self, name: str, span: Span, target: str) -> list[Finding]:
        """Races, missing barriers and flags that do not pair, and what is wrong by itself."""
        kernel = InstrKernel(name, "mixed", target, (), (), (), (), (), None, (), tuple(self.nodes), (), span)
        found = list(self.faults)
        _PlacedReplay(kernel, Trips((1,)), on_find=found.append, effects=_TraceEffects(kernel, self)).run()
        return found


class _PlacedReplay(Replay):
    """A replay of a walk: iterations of one line of the file are one place, as iterations of a loop are in the IR. The
    scalar unit issues the instructions of all pipes, so what it waits for, they have waited for."""

    def _held_up(self, pipe: str) -> Iterable[int]:
        return self.at.values() if pipe == "S" else (self.at[pipe],)

    def _instr(self, instr: Instr, path: Path, iteration: Path, me: int) -> None:
        super()._instr(instr, (instr.span.line, instr.span.col), path, me)


class _TraceEffects(KernelEffects):
    """Bytes as the walk saw them. Equal accesses share a number, so that pairs are compared once."""

    def __init__(self, kernel: InstrKernel, trace: Trace) -> None:
        super().__init__(kernel)
        self._trace = trace
        self._numbers: dict[Any, int] = {}

    def of(self, instr: Instr, slots: Any) -> Effects:
        reads, writes = self._trace.accessed[id(instr)]
        number = self._numbers.setdefault((reads, writes), len(self._numbers))
        handover = None if self._trace.cut else self._trace.handovers.get(id(instr))  # who waits is seen to the end
        return Effects(number, reads, writes, *self._trace.lying.get(id(instr), NOTHING), handover)
