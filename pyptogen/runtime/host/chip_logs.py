"""What the cores of the chips did, while a trace is asked for: a log per chip, which its workers append to.

A log is a file without a name (``memfd_create``), so that what a worker has written stays when it is killed. Native
code writes it after each traced task and turns it into events of a trace (``native/trace_log.cpp``).
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class ChipLogs:
    """The logs of all chips. They are emptied when nobody records any more."""

    def __init__(self, chips: Sequence[int]) -> None:
        self._files = {chip: _nameless_file() for chip in chips}
        self._users = 0
        self._lock = threading.Lock()

    def file(self, chip: int) -> int:
        """The descriptor for the workers of a chip."""
        return self._files[chip]

    def begin(self) -> None:
        """Somebody records from now on."""
        with self._lock:
            self._users += 1

    def end(self) -> None:
        """Somebody records no longer."""
        with self._lock:
            self._users -= 1
            if not self._users:
                for file in self._files.values():
                    os.ftruncate(file, 0)

    def repair(self, chip: int) -> None:
        """Cut off what the chip's last worker was writing when it was killed. No worker may be running."""
        with self._lock, _mapped(self._files.get(chip)) as (address, size):
            if size:
                from pyptogen.runtime.native.binding import native_library

                os.ftruncate(self._files[chip], native_library().pto_log_whole(address, size))

    def write_events(self, path: str | os.PathLike[str], chip: int, tasks: Sequence[int], pid: int, arrow: int) -> int:
        """Append what the cores of a chip did in the tasks of these numbers to the trace in a file, which must end
        with an event. ``pid`` is the chip's process there, ``arrow`` the number of the first arrow; the number after
        the last one is returned. Raises ``OSError``.
        """
        following = ctypes.c_uint64(arrow)
        with self._lock, _mapped(self._files.get(chip)) as (address, size):
            if size:
                from pyptogen.runtime.native.binding import native_library

                numbers = struct.pack(f"={len(tasks)}Q", *sorted(tasks))
                write = native_library().pto_log_write_trace
                if write(os.fsencode(path), address, size, numbers, len(tasks), pid, following):
                    raise OSError(f"cannot write {os.fsdecode(path)}")
        return following.value

    def close(self) -> None:
        """Close the files; what the workers have of them ends with the workers. A trace that is written later has
        no cores.
        """
        with self._lock:
            files, self._files = self._files, {}
            for file in files.values():
                os.close(file)

    def forget(self) -> None:
        """After a fork, in the child: another thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        self.close()


def _nameless_file() -> int:
    file = os.memfd_create("pyptogen trace", os.MFD_CLOEXEC)
    os.fchmod(file, 0o600)
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file


@contextmanager
def _mapped(file: int | None) -> Iterator[tuple[int, int]]:
    """Address and size of a file's content as it is now; a size of 0 where there is nothing."""
    size = 0 if file is None else os.fstat(file).st_size
    if file is None or not size:
        yield 0, 0
        return
    with mmap.mmap(file, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        try:
            yield ctypes.addressof(first), size
        finally:
            # The mapping cannot be closed while something points into it.
            del first
