"""The worker process of one chip: takes tasks from its socket, one after the other, and runs them.

It ends when the socket closes, and at once when the process that started it is gone, however that ended.
"""

from __future__ import annotations

import json
import marshal
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from pyptogen.runtime.faults import encode_fault
from pyptogen.runtime.host.shared_memory import NOTE_BYTES, address_of, map_file
from pyptogen.runtime.host.wire import DEFINE, DONE, FAILED, HEAD, LONGEST, NOTE, READY, REPLY, TRACED

Kernel = Callable[[bytes], None]


def main(config: dict[str, Any]) -> None:
    """Serve until the socket closes. ``config`` is what ``WorkerProcess`` wrote on the command line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(config["parent"])
    memory = map_file(config["memory"], config["size"])
    os.close(config["memory"])
    with socket.socket(fileno=config["socket"]) as line:
        serve(line, _Chip(address_of(memory), memory, config["log"], config["threads"]), config["place"] * NOTE_BYTES)


def serve(line: socket.socket, chip: _Chip, note: int) -> None:
    """Run what arrives on the socket; the number of a task that is begun goes to ``note`` in shared memory."""
    kernels: dict[int, Kernel] = {}
    buffer = memoryview(bytearray(LONGEST))
    receive, send, now = line.recv_into, line.send, time.monotonic_ns
    begun, memory = NOTE.pack_into, chip.memory
    try:
        send(REPLY.pack(READY, 0, 0, 0, 0))
    except (BrokenPipeError, ConnectionResetError):
        # The host has closed meanwhile.
        return
    while True:
        try:
            size = receive(buffer)
        except ConnectionResetError:
            return
        if not size:
            return
        message = bytes(buffer[:size])
        kind, kernel, task = HEAD.unpack_from(message)
        begin = now()
        try:
            if kind == DEFINE:
                kernels[kernel] = chip.load(json.loads(message[HEAD.size :]))
                continue
            begun(memory, note, task)
            kernels[kernel](message)
        except Exception as error:  # whatever a kernel raises belongs to its task
            if kind == DEFINE:
                kernels[kernel] = _raising(error)
                continue
            reply = REPLY.pack(FAILED, 0, task, begin, now()) + encode_fault(error)
        else:
            reply = REPLY.pack(DONE, 0, task, begin, now())
        try:
            send(reply)
        except (BrokenPipeError, ConnectionResetError):
            return


class _Chip:
    """What a worker runs kernels on."""

    def __init__(self, base: int, memory: Any, log: int, threads: int) -> None:
        self.base = base
        self.log = log
        self.memory = memory
        self.threads = threads

    def load(self, what: dict[str, Any]) -> Kernel:
        """The function for a kernel's messages."""
        if what["form"] == "native":
            return self._native(what["library"], what["symbol"], what["pointers"], what["policy"])
        return self._python(what["module"], what["function"], what["file"])

    def _native(self, library: str, symbol: str, pointers: int, policy: str) -> Kernel:
        import struct
        from pathlib import Path

        from pyptogen.runtime.native.binding import load_entry, shared_chip

        run, entry = shared_chip(self.threads).run, load_entry(Path(library), symbol)
        slots = struct.Struct(f"={pointers}Q")
        start, end, base, file = HEAD.size, HEAD.size + slots.size, self.base, self.log
        unpack, pack = slots.unpack_from, slots.pack

        def kernel(message: bytes) -> None:
            arguments = pack(*(base + offset for offset in unpack(message, start))) + message[end:]
            if message[:1] == TRACED:
                run(entry, arguments, policy=policy, log=(file, HEAD.unpack_from(message)[2]))
            else:
                run(entry, arguments, policy=policy)

        return kernel

    def _python(self, module: str, function: str, file: str | None) -> Kernel:
        import numpy as np

        from pyptogen.runtime.host.python_kernels import find_function, wire_dtype

        call, memory = find_function(module, function, file), self.memory

        def kernel(message: bytes) -> None:
            given: dict[str, Any] = {}
            for name, value in marshal.loads(message[HEAD.size :]).items():
                if isinstance(value, dict):
                    array: Any = np.ndarray(value["shape"], wire_dtype(value["dtype"]), memory, value["at"])
                    array.flags.writeable = value["writes"]
                    given[name] = array
                else:
                    given[name] = value
            call(**given)

        return kernel


def _raising(error: Exception) -> Kernel:
    """A kernel that could not be loaded: each of its tasks says why."""

    def kernel(message: bytes) -> None:
        raise error

    return kernel


def _end_with(parent: int) -> None:
    """Make this process end when its parent does, even while a kernel hangs."""
    try:
        line = os.pidfd_open(parent)
    except (OSError, AttributeError):
        line = -1
    if os.getppid() != parent:
        os._exit(1)

    def watch() -> None:
        if line >= 0:
            poll = select.poll()
            poll.register(line, select.POLLIN)
            poll.poll()
        else:
            while os.getppid() == parent:
                time.sleep(0.05)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
