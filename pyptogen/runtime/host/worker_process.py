"""The host's side of a worker: its process, its socket, and the tasks that it has been sent."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress

from pyptogen.runtime.host.shared_memory import Arena
from pyptogen.runtime.host.task_graph import Task
from pyptogen.runtime.host.wire import DEFINE, HEAD

DEPTH = 4
"""Tasks that a worker is sent ahead, so that it does not wait for the host between two of them."""

_START = "import sys, json; c = json.loads(sys.argv[1]); sys.path[:] = c['path']; " + (
    "from pyptogen.runtime.host.worker import main; main(c)"
)


class WorkerProcess:
    """A process for one chip. It is started, not forked: it shares nothing with the host but the arena
    and its chip's log."""

    def __init__(self, chip: int, place: int, arena: Arena, log: int, threads: int) -> None:
        self.chip = chip
        self.place = place
        self.sent: deque[Task] = deque()
        """What it has not answered yet; the first one is running."""
        self.ready = False
        self.stopped: Task | None = None
        """The task that ran too long, for which the process was killed."""
        self._defined: set[int] = set()
        arena.clear_note(place)
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        config = {
            "socket": there.fileno(), "memory": arena.file, "size": arena.size, "parent": os.getpid(),
            "log": log, "threads": threads, "path": sys.path, "place": place,
        }  # fmt: skip
        with there:
            # A session of its own: Ctrl-C in the terminal is the host's affair.
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps(config)],
                pass_fds=(there.fileno(), arena.file, log),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        here.setblocking(False)
        self.line = here
        try:
            self.life = os.pidfd_open(self.process.pid)
        except (OSError, AttributeError):
            # Without it the end of the process shows as the end of the socket.
            self.life = -1

    def send(self, task: Task) -> None:
        """Send a task, and before it what its kernel is. A dead worker is noticed elsewhere."""
        self.sent.append(task)
        kernel = task.kernel
        try:
            if kernel.number not in self._defined:
                self._defined.add(kernel.number)
                text = json.dumps(kernel.definition).encode()
                self.line.send(HEAD.pack(DEFINE, kernel.number, 0) + text)
            self.line.send(task.message)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def begun(self, arena: Arena) -> Task | None:
        """The task that it was running when it ended: the first one sent, if it got so far."""
        return self.sent[0] if self.sent and arena.noted(self.place) == self.sent[0].number else None

    def files(self) -> list[int]:
        """The descriptors that tell that it has something to say, or has ended."""
        return [self.line.fileno(), *([self.life] if self.life >= 0 else [])]

    def has_ended(self) -> bool:
        """Whether the process has ended. It keeps its number until ``ending`` or ``reap``."""
        if self.process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            # Somebody else in this process has waited for all children.
            return True

    def ending(self) -> str:
        """How the process ended, in words. It is about to, or is killed after a second; so is what it started."""
        end = time.monotonic() + 1
        while not self.has_ended() and time.monotonic() < end:
            time.sleep(0.001)
        ended = self.has_ended()
        self.kill()
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            ended = False
        if not ended:
            return "stopped answering"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def kill(self) -> None:
        """End the process, whatever it does, and what it started."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                # The process leads its own group.
                os.killpg(self.process.pid, signal.SIGKILL)

    def discard(self) -> None:
        """Close the socket: an idle worker then ends by itself."""
        self.line.close()
        if self.life >= 0:
            os.close(self.life)
            self.life = -1

    def reap(self, seconds: float) -> None:
        """Wait for the end of the process, and kill it when it takes longer."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
