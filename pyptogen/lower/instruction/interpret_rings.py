"""The rings of a mixed kernel as the interpreters play them, and its two programs side by side.

Each program runs on a thread of its own. What is pushed is kept as an array; the slot that is popped lies in GM as the
tensor that the loads name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition, Thread

import numpy as np

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.interpret_fault import MachineFault
from pyptogen.lower.instruction.interpret_gm import GlobalMemory, GmArray
from pyptogen.lower.tensor.numerics import Array
from pyptogen.lower.tile.ir import Fifo


class Rings:
    """The rings of one block. Whoever waits while nobody else can go on is in a deadlock."""

    def __init__(self, fifos: Sequence[Fifo], memory: GlobalMemory) -> None:
        self.fifos = {fifo.name: fifo for fifo in fifos}
        self.memory = memory
        self.changed = Condition()
        self.waiting: list[Callable[[], bool]] = []
        self.running = 0
        self.filled: dict[str, list[Array]] = {name: [] for name in self.fifos}
        self.popped = dict.fromkeys(self.fifos, 0)

    def push(self, ring: str, tile: Array, span: Span) -> None:
        """Waits for a free slot."""
        fifo = self.fifos[ring]
        self._wait(lambda: len(self.filled[ring]) + self.popped[ring] < fifo.slots, f"a free slot of {ring}", span)
        if tile.shape[0] > fifo.rows or tile.shape[1] > fifo.cols:
            raise MachineFault("bounds", f"a tile of {tile.shape} is pushed into {ring}", span, memory=f"GM {ring}")
        with self.changed:
            self.filled[ring].append(np.array(tile))
            self.changed.notify_all()

    def pop(self, ring: str, span: Span) -> None:
        """Waits for a filled slot, and binds the tensor of the ring's slot to it."""
        self._wait(lambda: bool(self.filled[ring]), f"a filled slot of {ring}", span)
        with self.changed:
            tile = self.filled[ring].pop(0)
            self.popped[ring] += 1
            self.memory.arrays[self.fifos[ring].slot] = GmArray(tile.reshape(-1))

    def free(self, ring: str) -> None:
        """Gives the popped slot back; what it held is lost."""
        with self.changed:
            self.popped[ring] -= 1
            del self.memory.arrays[self.fifos[ring].slot]
            self.changed.notify_all()

    def _wait(self, ready: Callable[[], bool], what: str, span: Span) -> None:
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
