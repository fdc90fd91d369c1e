"""The runs that were submitted to a chip: one after the other, on a thread of their own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.native.binding import RunError
from pyptogen.runtime.operator.compiled import BoundCall


class ChipHandle:
    """A submitted run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._event = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Whether the run is over, well or not."""
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the run is over, at most ``timeout`` seconds; whether it is."""
        return self._event.wait(timeout)

    def result(self, timeout: float | None = None) -> Any:
        """The outputs, once the run is over. Raises what made it fail, or ``TimeoutError``."""
        if not self._event.wait(timeout):
            raise TimeoutError(f"`{self.name}` is not over after {timeout} s")
        if self._error is not None:
            raise self._error
        return self._result

    def finish(self, result: Any, error: BaseException | None) -> None:
        """The run is over: tell those that wait."""
        self._result, self._error = result, error
        self._event.set()

    def __repr__(self) -> str:
        state = "running" if not self.done() else "failed" if self._error else "done"
        return f"ChipHandle({self.name!r}, {state})"


@dataclass(frozen=True, slots=True)
class Job:
    """A run to make: its checked call, and how."""

    call: BoundCall
    handle: ChipHandle
    after: tuple[Any, ...] = ()
    trace: Path | None = None
    deps: Path | None = None
    timeout: float | None = None

    def wait_for_others(self) -> None:
        """Wait for the runs that come first. Raises ``RunError`` when one of them failed."""
        for handle in self.after:
            try:
                handle.result()
            except Exception as error:  # whatever made that run fail is the reason why this one does not take place
                raise RunError(f"`{self.call.name}` did not run, because `{handle!r}` failed: {error}") from error


class JobQueue:
    """Jobs in the order of submission; ``run`` makes one, ``name`` is that of the thread."""

    def __init__(self, run: Callable[[Job], None], name: str) -> None:
        self._run = run
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._aborted = False
        self._closed = False
        self.open = 0
        """Jobs that are not over."""

    def put(self, job: Job) -> None:
        """Add a job. Raises ``RuntimeClosed`` after ``close``: nobody would ever make it."""
        with self._lock:
            if self._closed:
                raise RuntimeClosed(f"`{job.call.name}` had not begun when the runtime closed")
            self.open += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._jobs.put(job)

    def close(self) -> None:
        """Wait until all jobs are over."""
        with self._lock:
            self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()

    def abort(self) -> None:
        """Let the jobs that have not begun fail with ``RuntimeClosed``."""
        self._aborted = True

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            result, error = None, None
            try:
                if not self._aborted:
                    job.wait_for_others()
                if self._aborted:
                    raise RuntimeClosed(f"`{job.call.name}` had not begun when the runtime closed")
                self._run(job)
                result = job.call.results
            except BaseException as raised:  # it belongs to whoever asks for the result
                error = raised
            with self._lock:
                self.open -= 1
            job.handle.finish(result, error)
