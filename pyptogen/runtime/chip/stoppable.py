"""A chip whose runs can be stopped: by a timeout, by Ctrl-C, by closing the runtime.

Runs are made by a native thread, and the thread of Python that asked for one only waits, so it can always leave.
What is to stop gets no new blocks and ends by itself, mostly at once. A kernel that hangs is parked: its thread
sleeps for the rest of the program's life, and the chip is replaced by a new one.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from pyptogen.runtime.faults import RuntimeClosed, TaskTimeout
from pyptogen.runtime.native.binding import Chip, NativeCall, RunError, RunReport

_LOOK = 0.05
"""Seconds after which a waiting thread lets Python handle signals."""
_GRACE = 0.2
"""Seconds that a run which is to stop has to end by itself."""

_abandoned: list[Any] = []
"""What threads that hang may still refer to."""
_alive: weakref.WeakSet[StoppableChip] = weakref.WeakSet()
"""All chips of this process; a fork takes their threads away."""


class StoppableChip:
    """A chip as ``Chip`` describes it, with runs that end when they must. Calls from several threads take turns."""

    def __init__(self, cores: int | tuple[int, int], *, fifo: int = 0) -> None:
        self.cores = cores
        self.fifo = fifo
        self._turn = threading.Lock()
        self._stopping = False
        self._closed = False
        self._make()
        _alive.add(self)

    def _make(self) -> None:
        self._chip = Chip(self.cores, fifo=self.fifo)
        self._library = self._chip.library
        self._driver: int | None = self._library.pto_driver_create(self._chip.handle)
        if not self._driver:
            self._chip.close()
            raise RunError("the system does not allow another thread")

    def run(
        self,
        entry: int,
        arguments: bytes,
        *,
        name: str,
        policy: str = "critical_path",
        trace: str | Path | None = None,
        graph: str | Path | None = None,
        timeout: float | None = None,
        keep: Any = None,
    ) -> RunReport:
        """Run the operator ``name``, as ``Chip.run`` does, for at most ``timeout`` seconds.

        ``keep`` is what must live as long as a kernel may use it. Raises ``TaskTimeout`` for a run that took
        too long; what it wrote is undefined.
        """
        with self._turn:
            if self._closed or self._driver is None:
                raise RunError("the chip is closed")
            call = NativeCall(entry, arguments, policy, trace, graph, f"chip: {name}")
            held = (call, arguments, keep)
            end = None if timeout is None else time.monotonic() + timeout
            wait = self._library.pto_driver_wait
            late = False
            try:
                self._library.pto_driver_start(self._driver, call.address)
                while (status := wait(self._driver, _step(end))) < 0:
                    late = end is not None and time.monotonic() >= end
                    if late or self._stopping:
                        status = self._stop(held)
                        break
            except BaseException:
                self._stop(held)
                raise
            if status != 0 and self._stopping:
                raise RuntimeClosed(f"`{name}` was not over when the runtime closed")
            if status != 0 and late:
                raise TaskTimeout(f"`{name}` was stopped after {timeout} s")
            return call.report(status)

    def stop(self) -> None:
        """From another thread: end the run in progress, and close."""
        self._stopping = True
        self.close()

    def close(self) -> None:
        """Wait for the run in progress, then stop the threads. A second call does nothing."""
        with self._turn:
            self._closed = True
            driver, self._driver = self._driver, None
            if driver is not None:
                self._library.pto_driver_destroy(driver)
                self._chip.close()

    def forget(self) -> None:
        """After a fork, in the child: the threads are the parent's."""
        self._turn = threading.Lock()
        self._driver = None
        self._chip.forget()

    def _stop(self, held: Any) -> int:
        """End the run in progress: what it returned, or -1 when it had to be abandoned."""
        driver, self._driver = self._driver, None
        # First of all: a second Ctrl-C may come at any moment.
        _abandoned.append((held, self._chip))
        self._library.pto_driver_cancel(driver)
        status: int = self._library.pto_driver_wait(driver, _GRACE)
        if status < 0:
            self._library.pto_driver_abandon(driver)
            self._chip.forget()
            self._make()
        else:
            self._driver = driver
            _abandoned.pop()
        return status


def _step(end: float | None) -> float:
    return _LOOK if end is None else max(0.0, min(_LOOK, end - time.monotonic()))


def _after_fork_in_child() -> None:
    for chip in list(_alive):
        chip.forget()


os.register_at_fork(after_in_child=_after_fork_in_child)
