"""What happened to the tasks of level host, while it is asked for: who waited for whom and why, and what was queued.

A recording finds dependencies by itself, from the tensors that tasks use, so that what it says does not vary with
what had finished by the time of a submission.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from pyptogen.runtime.host.task_graph import Effect, Task

AFTER, READ_AFTER_WRITE = "after", "read after write"
WRITE_AFTER_WRITE, WRITE_AFTER_READ = "write after write", "write after read"


class Edge(NamedTuple):
    """Task ``to`` waits for task ``before``, by their numbers."""

    before: int
    to: int
    reason: str


class Use(NamedTuple):
    """What a task does to bytes ``[start, end)`` of tensor number ``tensor``."""

    task: int
    tensor: int
    start: int
    end: int
    reads: bool
    writes: bool


class Sample(NamedTuple):
    """The tasks that a chip has to do, and all that are open, at a moment (nanoseconds of the monotonic clock)."""

    at: int
    chip: int
    queued: int
    open: int


class Recording:
    """The tasks of a run, in the order of submission. Only the dispatcher writes it, under its lock. ``cores``:
    whether it shows what the cores of the chips do.
    """

    def __init__(self, *, cores: bool = False) -> None:
        self.cores = cores
        self.tasks: list[Task] = []
        self.submitted: list[int] = []
        """When each task was submitted, in nanoseconds of the monotonic clock."""
        self.edges: list[Edge] = []
        self.tensors: list[int] = []
        """The bytes of each block of memory."""
        self.uses: list[Use] = []
        self.samples: list[Sample] = []
        self._numbers: dict[int, int] = {}
        self._live: dict[int, tuple[list[Use], list[Use]]] = {}
        """The uses of each tensor that count: those that only read, and those that write. Most uses are reads, and
        a read has to look at the others only."""
        self._known: set[int] = set()

    def submit(self, task: Task, effects: Sequence[Effect], after: Sequence[Task]) -> None:
        """A task enters the graph."""
        self.tasks.append(task)
        self.submitted.append(time.monotonic_ns())
        reasons: dict[int, str] = {}
        for before in after:
            reasons.setdefault(before.number, AFTER)
        uses = [self._use(task, effect) for effect in effects]
        for use in uses:
            self._meet(use, reasons)
        for use in uses:
            readers, writers = self._live[use.tensor]
            (writers if use.writes else readers).append(use)
        self.uses.extend(uses)
        known = self._known
        known.add(task.number)
        self.edges.extend(Edge(before, task.number, reason) for before, reason in reasons.items() if before in known)

    def sample(self, chip: int, queued: int, opened: int) -> None:
        """The queues have changed."""
        self.samples.append(Sample(time.monotonic_ns(), chip, queued, opened))

    def _use(self, task: Task, effect: Effect) -> Use:
        number = self._numbers.get(effect.block.serial)
        if number is None:
            number = self._numbers[effect.block.serial] = len(self.tensors)
            self.tensors.append(effect.block.nbytes)
            self._live[number] = ([], [])
        return Use(task.number, number, effect.start, effect.end, effect.reads, effect.writes)

    def _meet(self, use: Use, reasons: dict[int, str]) -> None:
        """Wait for the earlier uses of these bytes that count, and forget those that no longer do."""
        readers, writers = self._live[use.tensor]
        for others in (writers, readers) if use.writes else (writers,):
            for other in others:
                if other.task != use.task and other.start < use.end and use.start < other.end:
                    reasons.setdefault(other.task, _reason(use, other))
            if use.writes:
                others[:] = [other for other in others if other.start < use.start or use.end < other.end]


def _reason(use: Use, before: Use) -> str:
    """Why a use waits for an earlier one of the same bytes, of which at least one writes."""
    if use.reads and before.writes:
        return READ_AFTER_WRITE
    return WRITE_AFTER_WRITE if before.writes else WRITE_AFTER_READ
