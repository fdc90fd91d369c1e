"""The fifos of a mixed kernel as the interpreters play them, and its programs side by side: that of the cube core, and
that of its one or two vector cores.

Each core runs on a thread of its own. What is pushed is kept as an array; a slot that is popped is memory of the core
that popped it. Two vector cores push a tile in parts, and pop and free every tile both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition, Thread

import numpy as np

from pyptogen.diagnostics import Span
from pyptogen.lower.tile.ir import Fifo
from pyptogen.numerics.operations import Array
from pyptogen.records import dataclass
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.gm import GmArray

Part = tuple[int, Array]
"""Rows of a tile, from the first one's number on."""


class _FifoState:
    """One fifo: the parts that each producer has pushed, and how many tiles each consumer has popped and freed."""

    def __init__(self, fifo: Fifo, subblocks: int) -> None:
        self.fifo = fifo
        self.parts: list[list[Part]] = [[] for _ in range(subblocks if fifo.to == "cube" else 1)]
        self.popped = [0] * (subblocks if fifo.to == "vector" else 1)
        self.freed = list(self.popped)

    @property
    def filled(self) -> int:
        """Tiles that all producers have pushed."""
        return min(map(len, self.parts))

    def has_room(self, subblock: int) -> bool:
        return len(self.parts[subblock]) - min(self.freed) < self.fifo.slots

    def tile(self, number: int, span: Span) -> Array:
        """All rows of a tile. Raises MachineFault: a row is missing, or two cores push it differently."""
        parts = [producer[number] for producer in self.parts]
        first = parts[0][1]
        whole = np.zeros((max(row + part.shape[0] for row, part in parts), first.shape[1]), first.dtype)
        there = np.zeros(whole.shape[0], bool)
        for row, part in parts:
            rows = slice(row, row + part.shape[0])
            twice = there[rows]
            if whole[rows][twice].tobytes() != part[twice].tobytes():
                raise MachineFault("order", f"two cores push different rows into {self.fifo.name}", span)
            whole[rows], there[rows] = part, True
        if not there.all():
            raise MachineFault("unwritten", f"no core pushes a row of a tile into {self.fifo.name}", span)
        return whole


class Fifos:
    """The fifos of one block. Whoever waits while nobody else can go on is in a deadlock."""

    def __init__(self, fifos: Sequence[Fifo], subblocks: int = 1) -> None:
        self.fifos = {fifo.name: _FifoState(fifo, subblocks) for fifo in fifos}
        self.changed = Condition()
        self.waiting: list[Callable[[], bool]] = []
        self.running = 0

    def wait(self, ready: Callable[[], bool], what: str, span: Span) -> None:
        """Let other cores go on until ``ready`` holds. Raises MachineFault: it never will."""
        with self.changed:
            self.waiting.append(ready)
            while not ready():
                if len(self.waiting) >= self.running and not any(other() for other in self.waiting):
                    self.changed.notify_all()
                    raise MachineFault("order", f"a program waits for {what} and will for ever", span)
                self.changed.wait()
            self.waiting.remove(ready)

    def run(self, programs: Sequence[Callable[[], None]]) -> None:
        """Run all programs to their end. Raises what one of them raises, MachineFault for a deadlock."""
        faults: list[BaseException] = []
        self.running = len(programs)

        def play(program: Callable[[], None]) -> None:
            try:
                with np.errstate(all="ignore"):
                    program()
            except BaseException as error:
                faults.append(error)
            with self.changed:
                self.running -= 1
                self.changed.notify_all()

        threads = [Thread(target=play, args=(program,)) for program in programs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if faults:
            raise faults[0]


@dataclass(frozen=True, slots=True)
class Port:
    """One core's end of the fifos; ``subblock`` is the number of a vector core."""

    fifos: Fifos
    subblock: int = 0

    def _at(self, to: str, fifo: _FifoState) -> int:
        """The core among the producers or consumers of a fifo."""
        return self.subblock if fifo.fifo.to == to else 0

    def slot(self, fifo: str) -> str:
        """What loads call the popped slot of a fifo."""
        return self.fifos.fifos[fifo].fifo.slot

    def push(self, name: str, tile: Array, span: Span, row: int = 0) -> None:
        """Waits for a free slot, and puts rows into it, from ``row`` on."""
        fifo = self.fifos.fifos[name]
        subblock = self._at("cube", fifo)
        self.fifos.wait(lambda: fifo.has_room(subblock), f"a free slot of {name}", span)
        if row < 0 or row + tile.shape[0] > fifo.fifo.rows or tile.shape[1] > fifo.fifo.cols:
            raise MachineFault("bounds", f"a tile of {tile.shape} is pushed into {name}", span, memory=f"GM {name}")
        with self.fifos.changed:
            fifo.parts[subblock].append((row, np.array(tile)))
            self.fifos.changed.notify_all()

    def pop(self, name: str, span: Span) -> GmArray:
        """Waits for a filled slot."""
        fifo = self.fifos.fifos[name]
        subblock = self._at("vector", fifo)
        number = fifo.popped[subblock]
        self.fifos.wait(lambda: fifo.filled > number, f"a filled slot of {name}", span)
        with self.fifos.changed:
            fifo.popped[subblock] += 1
        return GmArray(fifo.tile(number, span).reshape(-1))

    def free(self, name: str) -> None:
        """Gives the popped slot back; what it held is lost."""
        fifo = self.fifos.fifos[name]
        with self.fifos.changed:
            fifo.freed[self._at("vector", fifo)] += 1
            self.fifos.changed.notify_all()
