"""The native part of the runtime: simulated chips that run compiled operators."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
from pathlib import Path

from pyptogen.diagnostics import fault
from pyptogen.runtime.cache import Cache, digest
from pyptogen.runtime.compiler import find_compiler
from pyptogen.runtime.cxx_errors import first_error
from pyptogen.runtime.headers import BUNDLED

_SOURCES = Path(__file__).parent / "native"
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-w")
_MESSAGE_BYTES = 1024


class RunError(RuntimeError):
    """An operator failed while it ran: an exception in a kernel or in the orchestration, or memory ran out.

    Outputs and in-place arguments of that call have undefined content.
    """


def build_scheduler(cache: Cache | None = None) -> Path:
    """The shared object of the scheduler, compiled at first use. Raises PTG501, PTG502."""
    cache = cache or Cache()
    compiler = find_compiler()
    sources = sorted(_SOURCES.glob("*.cpp"))
    files = [*sources, *sorted(_SOURCES.glob("*.hpp")), BUNDLED / "pto" / "runtime.hpp"]
    key = digest("scheduler", compiler.identity, *_FLAGS, *(part for f in files for part in (f.name, f.read_bytes())))

    def make(output: Path) -> None:
        said = compiler.run([*_FLAGS, f"-I{BUNDLED}", *map(str, sources), "-o", str(output)])
        if said.returncode != 0:
            raise fault("PTG502", f"the native scheduler does not compile: {first_error(said.stderr)}", None)

    return cache.file("scheduler", key, ".so", make)


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(build_scheduler()))
    library.pto_chip_create.argtypes = [ctypes.c_int]
    library.pto_chip_create.restype = ctypes.c_void_p
    library.pto_chip_destroy.argtypes = [ctypes.c_void_p]
    library.pto_chip_destroy.restype = None
    library.pto_chip_run.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    library.pto_chip_run.restype = ctypes.c_int
    return library


class Chip:
    """A simulated chip with ``cores`` cores. The calling thread of a run is one of them; the others are its
    threads.

    With one core everything runs on the calling thread. Calls from several Python threads take turns.
    """

    def __init__(self, cores: int) -> None:
        if cores < 1:
            raise ValueError(f"a chip needs at least one core, not {cores}")
        self.cores = cores
        self._library = _library()
        self._run = self._library.pto_chip_run
        self._handle: int | None = self._library.pto_chip_create(cores)
        if not self._handle:
            raise RunError(f"the system does not allow {cores} threads")

    def run(self, entry: int, arguments: bytes) -> float:
        """Run the operator whose entry function is at address ``entry`` on its packed argument struct.

        Returns the seconds spent in native code; the interpreter lock is released meanwhile. Raises
        ``RunError``.
        """
        if self._handle is None:
            raise RunError("the chip is closed")
        seconds = ctypes.c_double()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        if self._run(self._handle, entry, arguments, ctypes.addressof(seconds), message, _MESSAGE_BYTES):
            raise RunError(message.value.decode(errors="replace"))
        return seconds.value

    def close(self) -> None:
        """Stop the threads and free the workspace. No run may be in progress."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.pto_chip_destroy(handle)

    def forget(self) -> None:
        """After a fork: the threads exist in the parent only, so there is nothing to stop."""
        self._handle = None


_chips: dict[int, Chip] = {}
_chips_lock = threading.Lock()


def shared_chip(cores: int) -> Chip:
    """The process's chip with this many cores, made at first use and kept."""
    chip = _chips.get(cores)
    if chip is None:
        with _chips_lock:
            chip = _chips.get(cores) or _chips.setdefault(cores, Chip(cores))
    return chip


def _close_all() -> None:
    for chip in list(_chips.values()):
        chip.close()
    _chips.clear()


def _after_fork_in_child() -> None:
    global _chips_lock
    _chips_lock = threading.Lock()
    for chip in list(_chips.values()):
        chip.forget()
    _chips.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork_in_child)


@functools.cache
def load_entry(path: Path, symbol: str) -> int:
    """Address of a function in a shared object, which stays loaded for the life of the process."""
    library = ctypes.CDLL(str(path))
    _keep.append(library)
    address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
    if address is None:
        raise RunError(f"{path.name} has no function {symbol}")
    return address


_keep: list[ctypes.CDLL] = []
