"""The dispatcher of level host: sends tasks to workers when what they need is there, and watches the workers.

There is no thread between a waiting caller and the workers: whoever waits takes the answers off the sockets
itself (the leader). A background thread does it while nobody waits; it sleeps while a leader is at work, and
altogether when there is nothing to watch.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Sequence

from pyptogen.runtime.deadlines import remaining, until
from pyptogen.runtime.faults import RuntimeClosed, TaskTimeout, WorkerLost, decode_fault
from pyptogen.runtime.host.chip_logs import ChipLogs
from pyptogen.runtime.host.shared_memory import Arena
from pyptogen.runtime.host.task_graph import Effect, Task, because_of, link
from pyptogen.runtime.host.wire import DONE, FAILED, LONGEST, READY, REPLY
from pyptogen.runtime.host.worker_process import DEPTH, WorkerProcess

_NAP = 0.002
_NAPS = 25
"""An idle background thread looks again this often before it sleeps for good: waking it costs more than that."""

_STILLBORN = 3
"""So many workers in a row that end before they are ready: the chip is given up."""


class Dispatcher:
    """The workers of all chips, and the open tasks. Every public method may be called from any thread."""

    def __init__(self, chips: Sequence[int], arena: Arena, logs: ChipLogs, threads: int) -> None:
        self.chips = tuple(chips)
        self.arena = arena
        self.logs = logs
        self.threads = threads
        self.open = 0
        """Tasks that are neither finished nor failed."""
        self.closed = False
        self._lock = threading.RLock()
        self._leading = threading.Lock()
        self._awake = threading.Event()
        self._asleep = False
        self._inside = 0
        self._poll = select.epoll()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll.register(self._bell, select.EPOLLIN)
        self._sources: dict[int, WorkerProcess] = {}
        self._workers: dict[int, WorkerProcess] = {}
        self._ready: dict[int, deque[Task]] = {chip: deque() for chip in chips}
        self._stillborn = dict.fromkeys(chips, 0)
        self._timed: set[Task] = set()
        self._buffer = memoryview(bytearray(LONGEST))
        for chip in chips:
            self._start(chip)
        self._thread = threading.Thread(target=self._background, name="pyptogen dispatch", daemon=True)
        self._thread.start()

    def submit(self, task: Task, effects: Sequence[Effect], after: Sequence[Task]) -> None:
        """Enter a task into the graph, and send it if it waits for nothing."""
        with self._lock:
            if self.closed:
                raise RuntimeClosed("the runtime is closed")
            self.open += 1
            failed = link(task, effects, after)
            for recording in task.recordings:
                recording.submit(task, effects, after)
            if failed is not None:
                self._finish(task, because_of(task, failed))
            elif task.waiting == 0:
                self._release(task)
        if self._asleep:
            self._awake.set()

    def wait(self, task: Task, timeout: float | None) -> bool:
        """Wait until a task has finished or failed, at most ``timeout`` seconds; whether it has."""
        if task.finished:
            return True
        end = until(timeout)
        if self._leading.acquire(blocking=False):
            try:
                while not task.finished and (end is None or time.monotonic() < end) and not self.closed:
                    self._turn(None if end is None else remaining(end))
            finally:
                self._leading.release()
                if self._inside == threading.get_ident():
                    # Ctrl-C in the middle of an answer: the graph cannot be trusted.
                    self.close()
                elif self.open and not self.closed:
                    self._awake.set()
            return task.finished
        with self._lock:
            if task.finished:
                return True
            if task.event is None:
                task.event = threading.Event()
        return task.event.wait(timeout)

    def look(self, task: Task) -> bool:
        """Whether a task is finished, after a look at what has arrived."""
        if not self.closed and self._leading.acquire(blocking=False):
            try:
                self._turn(0)
            finally:
                self._leading.release()
        return task.finished

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until no task is open."""
        end = until(timeout)
        while self.open and not self.closed and (end is None or time.monotonic() < end):
            with self._lock:
                tasks = [task for worker in self._workers.values() for task in worker.sent]
            if tasks:
                self.wait(tasks[0], remaining(end))
            else:
                time.sleep(_NAP)
        return not self.open

    def least_busy(self) -> int:
        """The chip with the fewest tasks."""
        return min(self.chips, key=lambda chip: len(self._ready[chip]) + len(self._workers[chip].sent))

    def processes(self) -> dict[int, int]:
        """The process number of each chip's worker."""
        with self._lock:
            return {chip: worker.process.pid for chip, worker in self._workers.items()}

    def close(self) -> None:
        """End all workers; open tasks fail with ``RuntimeClosed``."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            workers = list(self._workers.values())
            for worker in workers:
                if worker.sent:
                    worker.kill()
                open_tasks = [*worker.sent, *self._ready[worker.chip]]
                worker.sent.clear()
                self._ready[worker.chip].clear()
                for task in open_tasks:
                    self._finish(task, RuntimeClosed(f"task `{task.name}` was not finished when the runtime closed"))
        self._fifo()
        self._awake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        # A leader on another thread leaves when it hears the bell.
        with self._leading:
            self._release_files()
        for worker in workers:
            worker.reap(1.0)

    def forget(self) -> None:
        """After a fork, in the child: the workers belong to the parent; let go of the descriptors only."""
        self.closed = True
        self._lock = threading.RLock()
        self._leading = threading.Lock()
        self._release_files()

    def _release_files(self) -> None:
        for worker in self._workers.values():
            worker.discard()
        self._poll.close()
        os.close(self._bell)

    def _start(self, chip: int) -> None:
        worker = WorkerProcess(chip, self.chips.index(chip), self.arena, self.logs.file(chip), self.threads)
        self._workers[chip] = worker
        for file in worker.files():
            self._sources[file] = worker
            self._poll.register(file, select.EPOLLIN)

    def _background(self) -> None:
        naps = 0
        while not self.closed:
            if self._leading.locked():
                self._awake.clear()
                if self._leading.locked():
                    self._awake.wait(0.05)
            elif self.open:
                naps = 0
                self._turn(None)
            elif naps < _NAPS:
                naps += 1
                time.sleep(_NAP)
            else:
                self._sleep()
                naps = 0

    def _sleep(self) -> None:
        self._asleep = True
        self._awake.clear()
        if not self.open and not self.closed:
            self._awake.wait()
        self._asleep = False

    def _fifo(self) -> None:
        """Wake whoever polls."""
        os.eventfd_write(self._bell, 1)

    def _turn(self, timeout: float | None) -> None:
        """Wait for something to happen, and deal with it."""
        if self._timed:
            timeout = self._until_deadline(timeout)
        events = self._poll.poll(timeout)
        here = threading.get_ident()
        background = here == self._thread.ident
        with self._lock:
            if self.closed:
                return
            self._inside = here
            for file, _ in events:
                worker = self._sources.get(file)
                if worker is not None:
                    self._hear(worker, file == worker.life)
                elif file == self._bell and not (background and self._leading.locked()):
                    self._unring()
            if self._timed:
                self._stop_late()
            self._inside = 0
        if background and self._leading.locked():
            # The leader may be waiting for what was just distributed with.
            self._fifo()
            self._awake.wait(_NAP)

    def _in_background(self) -> bool:
        return threading.get_ident() == self._thread.ident

    def _unring(self) -> None:
        try:
            os.eventfd_read(self._bell)
        except BlockingIOError:
            # Somebody else has heard it.
            return

    def _hear(self, worker: WorkerProcess, ended: bool) -> None:
        """Take all answers of a worker off its socket; replace it when it has ended."""
        if self._workers.get(worker.chip) is not worker:
            return
        # The event may be of its predecessor, whose descriptors had the same numbers.
        ended, heard = ended and worker.has_ended(), False
        while ended or worker.sent or not worker.ready:
            try:
                size = worker.line.recv_into(self._buffer)
            except BlockingIOError:
                break
            except ConnectionResetError:
                size = 0
            if size == 0:
                ended = True
                break
            heard = True
            self._answer(worker, bytes(self._buffer[:size]))
        # An idle worker says nothing: what is readable is its end.
        ended = ended or (not heard and not worker.sent and worker.has_ended())
        if ended:
            self._replace(worker)

    def _answer(self, worker: WorkerProcess, message: bytes) -> None:
        kind, _, number, begin, end = REPLY.unpack_from(message)
        if kind == READY:
            worker.ready = True
            self._stillborn[worker.chip] = 0
            if worker.sent:
                self._begin_clock(worker.sent[0])
            return
        if kind not in (DONE, FAILED) or not worker.sent or worker.sent[0].number != number:
            # A kernel has written to the socket: nothing it says can be trusted any more.
            worker.kill()
            return
        task = worker.sent.popleft()
        task.span = (begin, end)
        if worker.sent:
            self._begin_clock(worker.sent[0])
        if self._ready[worker.chip]:
            self._feed(worker)
        error: BaseException | None = None
        if kind == FAILED:
            error = decode_fault(message[REPLY.size :], f"task `{task.name}` on chip {task.chip}")
        self._finish(task, error)

    def _release(self, task: Task) -> None:
        self._ready[task.chip].append(task)
        if task.recordings:
            self._sample(task)
        self._feed(self._workers[task.chip])

    def _sample(self, task: Task) -> None:
        queued = len(self._ready[task.chip]) + len(self._workers[task.chip].sent)
        for recording in task.recordings:
            recording.sample(task.chip, queued, self.open)

    def _feed(self, worker: WorkerProcess) -> None:
        ready = self._ready[worker.chip]
        while ready and len(worker.sent) < DEPTH:
            task = ready.popleft()
            if not worker.sent and worker.ready:
                self._begin_clock(task)
            worker.send(task)

    def _begin_clock(self, task: Task) -> None:
        if task.timeout is not None:
            task.deadline = time.monotonic() + task.timeout
            self._timed.add(task)
            if not self._in_background():
                self._fifo()

    def _finish(self, task: Task, error: BaseException | None) -> None:
        """A task is over: tell those that wait for it. Follows failures down the graph."""
        over: list[tuple[Task, BaseException | None]] = [(task, error)]
        while over:
            task, error = over.pop()
            if task.finished:
                continue
            if task.timeout is not None:
                self._timed.discard(task)
            if error is None and task.on_success is not None:
                task.on_success()
            task.on_success = None
            task.keep = ()
            task.error = error
            task.finished = True
            self.open -= 1
            if task.recordings:
                self._sample(task)
            for dependent, carries_data in task.dependents:
                dependent.waiting -= 1
                if error is not None and (carries_data or self.closed):
                    over.append((dependent, because_of(dependent, error)))
                elif dependent.waiting == 0 and not dependent.finished:
                    self._release(dependent)
            task.dependents = []
            if task.event is not None:
                task.event.set()

    def _replace(self, worker: WorkerProcess) -> None:
        """A worker has ended: its running task fails or starts anew, the others go to its successor."""
        chip, ending = worker.chip, worker.ending()
        # A task that was late before it had begun is over too: its successor would be as late.
        running = worker.stopped if worker.stopped in worker.sent else worker.begun(self.arena)
        waiting = [task for task in worker.sent if task is not running]
        for file in worker.files():
            self._poll.unregister(file)
            del self._sources[file]
        worker.discard()
        if not worker.ready:
            self._stillborn[chip] += 1
        self._ready[chip].extendleft(reversed(waiting))
        self.logs.repair(chip)
        self._start(chip)
        if self._stillborn[chip] >= _STILLBORN:
            self._stillborn[chip] = 0
            lost = list(self._ready[chip])
            self._ready[chip].clear()
            for task in lost:
                self._finish(
                    task, WorkerLost(f"chip {chip} cannot be started: its worker {ending}, {_STILLBORN} times")
                )
        elif running is not None:
            self._lost(running, ending, worker.stopped)
        self._feed(self._workers[chip])

    def _lost(self, task: Task, ending: str, stopped: Task | None) -> None:
        """The task that a worker was running when it ended; ``stopped`` is the one for which it was killed."""
        where = f"task `{task.name}` on chip {task.chip}"
        if stopped is task:
            self._finish(task, TaskTimeout(f"{where} was stopped after {task.timeout} s"))
            return
        # A task that began just before its late predecessor's worker was killed is not to blame.
        if task.intact and (stopped is not None or task.attempts < task.retries):
            task.attempts += stopped is None
            self._ready[task.chip].appendleft(task)
            return
        more = ""
        if task.retries and not task.intact:
            more = "; it was not tried again, because it updates a tensor in place"
        elif task.retries:
            more = f"; so it did {task.attempts + 1} times"
        self._finish(task, WorkerLost(f"{where}: its worker {ending} while it ran{more}"))

    def _until_deadline(self, timeout: float | None) -> float:
        with self._lock:
            first = min((task.deadline or 0.0 for task in self._timed), default=float("inf"))
        left = max(0.0, first - time.monotonic())
        return min(left, 3600.0) if timeout is None else min(left, timeout)

    def _stop_late(self) -> None:
        now = time.monotonic()
        for task in [task for task in self._timed if task.deadline is not None and now >= task.deadline]:
            worker = self._workers[task.chip]
            self._timed.discard(task)
            if worker.sent and worker.sent[0] is task:
                worker.stopped = task
                worker.kill()
