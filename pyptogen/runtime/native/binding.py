"""The native part of the runtime: simulated chips that run compiled operators."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import re
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import fault
from pyptogen.processors import available_processors
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import Compiler, find_compiler
from pyptogen.runtime.toolchain.cxx_errors import first_error
from pyptogen.runtime.toolchain.headers import BUNDLED

NATIVE_SOURCES = Path(__file__).parent
POLICIES = {"critical_path": 0, "breadth": 1, "depth": 2}
"""As ``Policy`` in ``native/ready_queue.hpp``."""
_MOST_CORES = 256
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-pthread", "-fvisibility=hidden", "-w")
_MESSAGE_BYTES = 1024


class RunError(RuntimeError):
    """An operator failed while it ran: an exception in a kernel or in the orchestration, or memory ran out.

    Outputs and in-place arguments of that call have undefined content.
    """


class WrongIndexError(RunError):
    """A kernel read an index that is not below its bound: ``site`` is the number of the operation
    (`index_sites`), 0 where that is not known."""

    def __init__(self, index: int, bound: int, site: int) -> None:
        super().__init__(f"an index is {index}, and the axis has {bound} elements")
        self.index, self.bound, self.site = index, bound, site

    def __reduce__(self) -> tuple[type[WrongIndexError], tuple[int, int, int]]:
        return type(self), (self.index, self.bound, self.site)


_WRONG_INDEX = re.compile(r"wrong index: (-?\d+) of (\d+), site (\d+)")
"""As ``include/pto/cpu/core/indices.hpp`` says it."""


def run_error(said: str) -> RunError:
    """The error of a run that failed with this message."""
    wrong = _WRONG_INDEX.fullmatch(said)
    return WrongIndexError(*map(int, wrong.groups())) if wrong else RunError(said)


def _source_files() -> list[Path]:
    return [
        *sorted(NATIVE_SOURCES.glob("*.cpp")),
        *sorted(NATIVE_SOURCES.glob("*.hpp")),
        BUNDLED / "pto" / "runtime.hpp",
    ]


@functools.cache
def scheduler_key() -> str:
    """What a prebuilt scheduler and operators must have been made from to go with this version."""
    return digest("scheduler", *(part for f in _source_files() for part in (f.name, f.read_bytes())))


def build_scheduler(cache: Cache | None = None, compiler: Compiler | None = None) -> Path:
    """The shared object of the scheduler, compiled at first use, by ``compiler`` if one is given (that of another
    machine). Raises PTG501, PTG502."""
    cache = cache or Cache()
    compiler = compiler or find_compiler()
    parts = (part for f in _source_files() for part in (f.name, f.read_bytes()))
    key = digest("scheduler", compiler.identity, *_FLAGS, *parts)

    def run(arguments: Sequence[str]) -> None:
        said = compiler.run([*_FLAGS, *arguments])
        if said.returncode != 0:
            raise fault("PTG502", f"the native scheduler does not compile: {first_error(said.stderr)}", None)

    def make(output: Path) -> None:
        with cache.scratch() as folder:
            units = _units(folder)
            objects = [str(unit.with_suffix(".o")) for unit in units]
            pairs = zip(units, objects, strict=True)
            commands = [[f"-I{BUNDLED}", f"-I{NATIVE_SOURCES}", "-c", str(unit), "-o", made] for unit, made in pairs]
            with ThreadPoolExecutor(max_workers=available_processors()) as pool:
                list(pool.map(run, commands))
            run(["-shared", *objects, "-o", str(output)])

    return cache.file("scheduler", key, ".so", make)


def _units(folder: Path) -> list[Path]:
    """Two units that include the sources between them: most of the time of one source is the library's headers, so
    ten sources by themselves take three times as long."""
    sources = sorted(path.name for path in NATIVE_SOURCES.glob("*.cpp"))
    units = [folder / "first_half.cpp", folder / "second_half.cpp"]
    for unit, names in zip(units, (sources[::2], sources[1::2]), strict=True):
        unit.write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    return units


_prebuilt: list[Path] = []


def use_scheduler(path: Path) -> None:
    """Take a shared object for the scheduler, unless one is compiled or taken already: it is loaded once. It must be of
    this version (``scheduler_key``)."""
    if not _prebuilt:
        _prebuilt.append(path)


@functools.cache
def scheduler() -> Path:
    """The scheduler of this process: what ``use_scheduler`` said, else one that is compiled. Raises PTG501, PTG502."""
    return _prebuilt[0] if _prebuilt else build_scheduler()


@functools.cache
def native_library() -> ctypes.CDLL:
    """The scheduler, loaded once, with the types of its functions."""
    library = ctypes.CDLL(str(scheduler()))
    library.pto_chip_create.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_uint32]
    library.pto_chip_create.restype = ctypes.c_void_p
    library.pto_chip_destroy.argtypes = [ctypes.c_void_p]
    library.pto_chip_destroy.restype = None
    library.pto_chip_share.argtypes = [ctypes.c_int, ctypes.c_void_p]
    library.pto_chip_share.restype = None
    library.pto_chip_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.pto_chip_run.restype = ctypes.c_int
    library.pto_driver_create.argtypes = [ctypes.c_void_p]
    library.pto_driver_create.restype = ctypes.c_void_p
    library.pto_driver_destroy.argtypes = [ctypes.c_void_p]
    library.pto_driver_destroy.restype = None
    library.pto_driver_start.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.pto_driver_start.restype = None
    library.pto_driver_wait.argtypes = [ctypes.c_void_p, ctypes.c_double]
    library.pto_driver_wait.restype = ctypes.c_int
    library.pto_driver_cancel.argtypes = [ctypes.c_void_p]
    library.pto_driver_cancel.restype = None
    library.pto_driver_abandon.argtypes = [ctypes.c_void_p]
    library.pto_driver_abandon.restype = ctypes.c_int
    library.pto_log_whole.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.pto_log_whole.restype = ctypes.c_size_t
    library.pto_log_write_trace.argtypes = [
        ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int64,
        ctypes.POINTER(ctypes.c_uint64),
    ]  # fmt: skip
    library.pto_log_write_trace.restype = ctypes.c_int
    return library


class _Call(ctypes.Structure):
    """The ``pto_chip_call`` of ``native/c_api.cpp``."""

    _fields_ = (
        ("entry", ctypes.c_void_p),
        ("args", ctypes.c_char_p),
        ("trace_path", ctypes.c_char_p),
        ("graph_path", ctypes.c_char_p),
        ("process_name", ctypes.c_char_p),
        ("pid", ctypes.c_int64),
        ("policy", ctypes.c_int32),
        ("message_bytes", ctypes.c_uint32),
        ("message", ctypes.c_void_p),
        ("seconds", ctypes.c_double),
        ("submit_seconds", ctypes.c_double),
        ("launches", ctypes.c_uint64),
        ("fifo", ctypes.c_uint64),
        ("log_task", ctypes.c_uint64),
        ("log_file", ctypes.c_int32),
        ("brief", ctypes.c_int32),
    )


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run: its seconds in native code, how many of them until the orchestration had submitted everything,
    the number of launches, and how many launches the chip could hold at a time (0: a chip of one core, which
    runs a launch when it is submitted).
    """

    seconds: float
    submit_seconds: float
    launches: int
    fifo: int


class NativeCall:
    """One run as native code takes it; it must live until the run is over."""

    def __init__(
        self,
        entry: int,
        arguments: bytes,
        policy: str,
        trace: str | Path | None,
        graph: str | Path | None,
        title: str,
        log: tuple[int, int] | None = None,
    ) -> None:
        self._message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        call = self._call = _Call(entry, arguments, None, None, None, os.getpid(), POLICIES[policy], _MESSAGE_BYTES)
        call.message = ctypes.addressof(self._message)
        call.process_name = title.encode()
        if trace is not None:
            call.trace_path = os.fsencode(trace)
        if graph is not None:
            call.graph_path = os.fsencode(graph)
        call.log_file, call.log_task = log or (-1, 0)
        self.address = ctypes.addressof(call)

    def report(self, status: int) -> RunReport:
        """The report of the run that returned ``status``. Raises ``RunError`` and ``OSError``."""
        call = self._call
        if status == 1:
            raise run_error(self._message.value.decode(errors="replace"))
        if status == 2:
            raise OSError(f"cannot write {os.fsdecode(self._message.value)}")
        return RunReport(call.seconds, call.submit_seconds, call.launches, call.fifo)


class Chip:
    """A simulated chip.

    With ``cores`` alone, every core runs every kind of launch, and the calling thread of a run is one of them;
    with one core everything runs on the calling thread. ``cores=(cube, vector)`` is a chip with cores of two
    kinds (mixed launches run on cube cores); the calling thread then only orchestrates. ``fifo`` bounds the
    launches that are held at a time (default: as the graphs need, up to 16384). Calls from several Python
    threads take turns.
    """

    def __init__(self, cores: int | tuple[int, int], *, fifo: int = 0) -> None:
        cube, vector = cores if isinstance(cores, tuple) else (0, 0)
        unified = 0 if isinstance(cores, tuple) else cores
        if min(cores if isinstance(cores, tuple) else (cores,)) < 1:
            raise ValueError(f"a chip needs at least one core of each kind, not {cores}")
        if unified + cube + vector > _MOST_CORES:
            raise ValueError(f"a chip has at most {_MOST_CORES} cores, not {unified + cube + vector}")
        self.cores = cores
        self.library = native_library()
        self._run = self.library.pto_chip_run
        self._handle: int | None = self.library.pto_chip_create(unified, cube, vector, fifo)
        if not self._handle:
            raise RunError(f"the system does not allow {unified + cube + vector} threads")
        _alive.add(self)

    def run(
        self,
        entry: int,
        arguments: bytes,
        *,
        policy: str = "critical_path",
        trace: str | Path | None = None,
        graph: str | Path | None = None,
        title: str = "pyptogen",
        log: tuple[int, int] | None = None,
    ) -> RunReport:
        """Run the operator whose entry function is at address ``entry`` on its packed argument struct.

        ``policy`` orders the ready launches ("critical_path", "breadth", "depth"). ``trace`` and ``graph``
        are files for what happened and for the task graph; ``title`` names the chip in the trace. ``log`` is a
        descriptor that what happened is appended to, and the number that it gets there (``host/chip_logs.py``).
        The interpreter lock is released meanwhile. Raises ``RunError``, and ``OSError`` when the run went well
        but a file could not be written.
        """
        call = NativeCall(entry, arguments, policy, trace, graph, title, log)
        return call.report(self._run(self.handle, call.address))

    @property
    def handle(self) -> int:
        """The native chip. Raises ``RunError`` when it is closed."""
        if self._handle is None:
            raise RunError("the chip is closed")
        return self._handle

    def close(self) -> None:
        """Stop the threads and free the workspace. No run may be in progress."""
        handle, self._handle = self._handle, None
        if handle:
            self.library.pto_chip_destroy(handle)

    def forget(self) -> None:
        """After a fork: the threads exist in the parent only, so there is nothing to stop."""
        self._handle = None


_chips: dict[int, Chip] = {}
_chips_lock = threading.Lock()
_alive: weakref.WeakSet[Chip] = weakref.WeakSet()
"""All chips of this process; a fork takes their threads away."""


def shared_chip(cores: int) -> Chip:
    """The process's chip with this many cores, made at first use and kept."""
    chip = _chips.get(cores)
    if chip is None:
        with _chips_lock:
            chip = _chips.get(cores)
            if chip is None:
                chip = _chips[cores] = Chip(cores)
                chip.library.pto_chip_share(cores, chip.handle)
    return chip


def _close_all() -> None:
    """At the end of the process. Threads that are left now (daemons) may be in a run, or about to begin one: then the
    chips go with the process."""
    if threading.active_count() > 1:
        return
    for chip in list(_chips.values()):
        chip.close()
    _chips.clear()


def _after_fork_in_child() -> None:
    global _chips_lock
    _chips_lock = threading.Lock()
    for chip in list(_alive):
        chip.forget()
    for cores, chip in _chips.items():
        chip.library.pto_chip_share(cores, None)
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
