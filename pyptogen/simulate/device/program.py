"""What a core does, as the model of the device takes it: steps on pipes, flags, fifos, and loops of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Literal, NamedTuple

from pyptogen.lower.isa.cost import Price
from pyptogen.records import dataclass

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
NUMBER = {pipe: number for number, pipe in enumerate(PIPES)}
Flag = tuple[str, str, int]

UNIT_FLAGS = 1 << 16
"""From here on the numbers of events are places in L0C, whose blocks have flags of their own."""
RUN, SET, WAIT, BARRIER, BARRIER_ALL, CLAIM, FILL, POP, FREE, LOOP, RELEASE = range(11)


class Step(NamedTuple):
    """One step, a plain tuple, as a launch has very many: ``what`` is one of the words above. ``pipe``: the number of
    the pipe that runs it, or that a flag is set behind, or that waits; ``at``: of RUN its line in the list of prices,
    of a flag or a fifo its name, of LOOP how often ``body`` runs."""

    what: int
    pipe: int = 0
    at: int = 0
    body: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """An instruction's price, the tensor in GM that it moves from or to, and its name."""

    name: str
    price: Price
    tensor: str = ""


@dataclass(frozen=True, slots=True)
class InstrStream:
    """What one core does; ``copies``: how many cores of a block do the same at the same time. ``fifos``: slots of its
    fifos by name, in the order of their numbers; ``counts``: how often each line of ``work`` runs."""

    kind: str
    steps: tuple[Step, ...]
    work: tuple[Work, ...]
    fifos: tuple[tuple[str, int], ...] = ()
    copies: int = 1
    counts: tuple[int, ...] = ()


@dataclass(slots=True)
class Recorder:
    """Writes a stream down, step by step."""

    kind: str
    fifos: dict[str, int] = field(default_factory=dict)
    _works: dict[Work, int] = field(default_factory=dict)
    _flags: dict[Flag, int] = field(default_factory=dict)
    _steps: list[Step] = field(default_factory=list)
    _known: dict[Step, Step] = field(default_factory=dict)

    def run(self, pipe: str, name: str, price: Price, tensor: str = "") -> None:
        """An instruction."""
        self.work(pipe, Work(name, price, tensor))

    def work(self, pipe: str, work: Work) -> None:
        """Anything that a pipe does."""
        self._add(Step(RUN, NUMBER[pipe], self._works.setdefault(work, len(self._works))))

    def set(self, src: str, dst: str, event: int) -> None:
        """``set_flag``."""
        self._add(Step(SET, NUMBER[src], self._flag((src, dst, event))))

    def release(self, src: str, dst: str, event: int) -> None:
        """A unit flag: ``dst`` may overwrite what ``src`` has read, though what ``src`` writes is not there yet."""
        self._add(Step(RELEASE, NUMBER[src], self._flag((src, dst, event))))

    def hand_over(
        self, work: Callable[[], None], does: Literal["product", "store"], place: int, first: bool = True
    ) -> None:
        """``work`` on an accumulator that unit flags hand over, which begins at byte ``place`` of L0C: its ``first``
        product waits until it was read, a store until the last product is done."""
        event = UNIT_FLAGS + place
        if does == "store":
            self.wait("M", "FIX", event)
            work()
            self.release("FIX", "M", event)
            return
        if first:
            self.wait("FIX", "M", event)
        work()
        self.set("M", "FIX", event)

    def wait(self, src: str, dst: str, event: int) -> None:
        """``wait_flag``."""
        self._add(Step(WAIT, NUMBER[dst], self._flag((src, dst, event))))

    def barrier(self, pipe: str) -> None:
        """``pipe_barrier``; ALL of all pipes."""
        self._add(Step(BARRIER_ALL) if pipe == "ALL" else Step(BARRIER, NUMBER[pipe]))

    def fifo(self, what: int, name: str, pipe: str = "S") -> None:
        """CLAIM, FILL, POP or FREE of a slot; ``pipe``: behind whose work a slot is filled or freed."""
        self._add(Step(what, NUMBER[pipe], list(self.fifos).index(name)))

    def loop(self, bodies: Iterable[tuple[tuple[Step, ...], int]]) -> None:
        """Bodies made by `taken`, each so many times."""
        for body, times in bodies:
            if body and times:
                self._steps += body if times == 1 else [Step(LOOP, 0, times, body)]

    def taken(self) -> tuple[Step, ...]:
        """The steps so far, which are forgotten."""
        steps, self._steps = tuple(self._steps), []
        return steps

    def mark(self) -> list[Step]:
        """Begins a list of steps of its own; `back` ends it."""
        outside, self._steps = self._steps, []
        return outside

    def back(self, outside: list[Step]) -> tuple[Step, ...]:
        """The steps since `mark`."""
        steps, self._steps = tuple(self._steps), outside
        return steps

    def stream(self, copies: int = 1) -> InstrStream:
        """All that was written down."""
        counts = [0] * len(self._works)
        _count(self._steps, 1, counts)
        return InstrStream(
            self.kind, tuple(self._steps), tuple(self._works), tuple(self.fifos.items()), copies, tuple(counts)
        )

    def _add(self, step: Step) -> None:
        self._steps.append(self._known.setdefault(step, step))

    def _flag(self, flag: Flag) -> int:
        return self._flags.setdefault(flag, len(self._flags))


def _count(steps: Iterable[Step], times: int, counts: list[int]) -> None:
    for step in steps:
        if step.what == RUN:
            counts[step.at] += times
        elif step.what == LOOP:
            _count(step.body, times * step.at, counts)
