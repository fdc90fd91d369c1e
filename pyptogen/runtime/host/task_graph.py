"""The host's task graph: tasks, and their dependencies as found from the tensors that they use.

Each block of shared memory remembers who reads and writes which of its bytes. A new task waits for the last
writers of what it reads (read after write), and for the readers and writers of what it writes (write after
read, write after write). Only the first kind, and ``after=``, carries data: when such a task fails, so does
the one that waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.runtime.faults import TaskError
from pyptogen.runtime.host.shared_memory import Block

if TYPE_CHECKING:
    from pyptogen.runtime.host.recording import Recording


@dataclass(slots=True)
class Effect:
    """What a task does to bytes ``[start, end)`` of a block."""

    block: Block
    start: int
    end: int
    reads: bool
    writes: bool


class Access:
    """One task's effect, as the block remembers it."""

    __slots__ = ("end", "start", "task", "writes")

    def __init__(self, start: int, end: int, task: Task, writes: bool) -> None:
        self.start = start
        self.end = end
        self.task = task
        self.writes = writes


class Task:
    """One kernel on one chip. ``kernel`` says what a worker must load, ``message`` is what it is sent."""

    __slots__ = (
        "attempts",
        "chip",
        "deadline",
        "dependents",
        "error",
        "event",
        "finished",
        "intact",
        "keep",
        "kernel",
        "message",
        "name",
        "number",
        "on_success",
        "recordings",
        "retries",
        "span",
        "timeout",
        "waiting",
    )  # fmt: skip

    def __init__(self, number: int, kernel: Any, chip: int, message: bytes) -> None:
        self.number = number
        self.kernel = kernel
        self.name: str = kernel.name
        self.chip = chip
        self.message = message
        self.timeout: float | None = None
        self.deadline: float | None = None
        self.retries = 0
        self.attempts = 0
        self.intact = True
        """Whether its inputs are as they were when it has been interrupted: it updates nothing in place."""
        self.waiting = 0
        self.dependents: list[tuple[Task, bool]] = []
        self.keep: Sequence[Effect] = ()
        self.on_success: Callable[[], None] | None = None
        self.finished = False
        self.error: BaseException | None = None
        self.event: threading.Event | None = None
        self.recordings: Sequence[Recording] = ()
        """Those that want to know what happens to it."""
        self.span = (0, 0)
        """When it ran, in nanoseconds of the system's monotonic clock."""

    def __repr__(self) -> str:
        state = "failed" if self.error else "done" if self.finished else "open"
        return f"Task({self.name!r}, chip={self.chip}, {state})"


def link(task: Task, effects: Sequence[Effect], after: Sequence[Task]) -> BaseException | None:
    """Count what ``task`` waits for, and enter its effects into the blocks.

    Returns the error of a task that it needed and that has failed. The caller holds the graph's lock.
    """
    failed: BaseException | None = None
    for before in after:
        failed = _wait_for(task, before, True) or failed
    for effect in effects:
        accesses = effect.block.accesses
        if accesses:
            failed = _meet(task, effect, accesses) or failed
    for effect in effects:
        effect.block.accesses.append(Access(effect.start, effect.end, task, effect.writes))
    task.keep = effects
    return failed


def _meet(task: Task, effect: Effect, accesses: list[Access]) -> BaseException | None:
    """Wait for what overlaps; forget what has no more say."""
    failed: BaseException | None = None
    kept = []
    for access in accesses:
        overlaps = access.start < effect.end and effect.start < access.end
        if overlaps and access.task is not task and (effect.writes or access.writes):
            failed = _wait_for(task, access.task, effect.reads and access.writes) or failed
        replaced = effect.writes and not effect.reads and effect.start <= access.start and access.end <= effect.end
        # A failed writer stays known until its bytes are written anew.
        if not access.task.finished or (access.writes and access.task.error is not None and not replaced):
            kept.append(access)
    accesses[:] = kept
    return failed


def _wait_for(task: Task, before: Task, carries_data: bool) -> BaseException | None:
    if not before.finished:
        before.dependents.append((task, carries_data))
        task.waiting += 1
        return None
    return before.error if carries_data else None


def writer_error(block: Block, start: int, end: int) -> BaseException | None:
    """The error of a failed task that should have written some of these bytes."""
    for access in block.accesses:
        if access.writes and access.start < end and start < access.end:
            error: BaseException | None = access.task.error
            if error is not None:
                return error
    return None


def open_tasks(block: Block, start: int, end: int, *, readers: bool) -> list[Task]:
    """The unfinished tasks that write these bytes, and those that read them if ``readers``."""
    return [
        access.task
        for access in block.accesses
        if not access.task.finished and access.start < end and start < access.end and (readers or access.writes)
    ]


def because_of(task: Task, cause: BaseException) -> TaskError:
    """The error of a task whose input was never made."""
    error = TaskError(f"task `{task.name}` on chip {task.chip} was not run: what it needs has failed: {cause}")
    error.__cause__ = cause
    return error
