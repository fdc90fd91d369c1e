"""Level host: one worker process per chip, tensors in shared memory, tasks dispatched as their inputs come."""

from __future__ import annotations

import atexit
import itertools
import math
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.layout.arrays import as_array
from pyptogen.layout.packing import PackedWeight
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.host.chip_logs import ChipLogs
from pyptogen.runtime.host.dispatch import Dispatcher
from pyptogen.runtime.host.handles import TaskHandle, TensorHandle
from pyptogen.runtime.host.kernels import NativeKernel, PythonKernel, by_name
from pyptogen.runtime.host.orchestration import Options, Program, RunHandle, alone
from pyptogen.runtime.host.recording import Recording
from pyptogen.runtime.host.shared_memory import Arena
from pyptogen.runtime.host.task_graph import Task
from pyptogen.runtime.host.trace import Files
from pyptogen.runtime.operator.package import CompiledPackage

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

_live: weakref.WeakSet[HostRuntime] = weakref.WeakSet()


class HostRuntime:
    """The chips of this machine.

    ``devices`` are the chips' numbers; ``threads`` the cores of each (default: the processors shared out);
    ``memory`` the most bytes that tensors may have at a time (default: that of the machine; it costs nothing
    until it is used); ``trace`` and ``deps`` files that get a Chrome trace and the graph of all tasks when the
    runtime closes.

    A plain array is copied into shared memory when it is submitted; ``tensor`` and ``empty`` make tensors
    that are there already, and results lie there too, so they are never copied.
    """

    def __init__(
        self,
        *,
        platform: str = "cpu",
        devices: Sequence[int] = (0,),
        device: int | None = None,
        threads: int | None = None,
        memory: int | None = None,
        trace: str | os.PathLike[str] | None = None,
        deps: str | os.PathLike[str] | None = None,
    ) -> None:
        chips = tuple(devices) if device is None else (device,)
        if not chips or len(set(chips)) != len(chips):
            raise ValueError(f"devices are different numbers, at least one, not {list(chips)}")
        self.platform = platform
        self.chips = chips
        self._foreign = False
        self._programs: dict[str, Program] = {}
        self._kernels: dict[Any, PythonKernel] = {}
        self._numbers = itertools.count(1)
        self._unsettled: list[tuple[int, int, Task]] = []
        self._runs: list[RunHandle] = []
        self._files = Files(trace, deps)
        self._recording = self._files.recording()
        self._arena = Arena(memory, len(chips))
        self.logs = ChipLogs(chips)
        if self._recording is not None:
            self.logs.begin()
        cores = threads or max(1, (len(os.sched_getaffinity(0))) // len(chips))
        self.dispatcher = Dispatcher(chips, self._arena, self.logs, cores)
        self._closing = threading.Lock()
        _live.add(self)

    def register(
        self,
        name: str,
        package: Any = None,
        *,
        orch: Callable[..., Any] | None = None,
        kernels: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a program known: one operator (or a Python function), or an orchestration with its kernels.

        An operator is compiled already; a function must be at the top of a module, because workers import it.
        An orchestration is called as ``orch(o, args)`` in this process (see ``Orchestration``).
        """
        self._check()
        if (package is None) == (orch is None):
            raise TypeError("register(name, operator) or register(name, orch=…, kernels={…})")
        given = dict(kernels or {}) if package is None else {name: package}
        made = {kernel: self.kernel(kernel, what) for kernel, what in given.items()}
        self._programs[name] = Program(name, orch, made)

    def kernel(self, name: str, what: Any) -> NativeKernel | PythonKernel:
        """The kernel for an operator, a package or a Python function. Raises ``TypeError`` for anything else."""
        if callable(what) and hasattr(what, "__qualname__"):
            known = self._kernels.get(what)
            if known is None:
                known = self._kernels[what] = PythonKernel(next(self._numbers), name, what)
            return known
        from pyptogen.runtime.native.binding import scheduler

        # Once here, rather than at the same time in every worker.
        scheduler()
        return NativeKernel(next(self._numbers), name, CompiledPackage.of(what))

    def program(self, name: str) -> Program:
        """A registered program. Raises PTG404."""
        try:
            return self._programs[name]
        except KeyError:
            known = sorted(self._programs)
            raise fault(
                "PTG404",
                f"no program `{name}` is registered",
                None,
                expected=f"one of {', '.join(known)}" if known else "a program that `register` has made known",
                fix=did_you_mean(name, known),
            ) from None

    def submit(
        self,
        name: str,
        args: Any = None,
        *,
        chip: int | None = None,
        retries: int = 0,
        timeout: float | None = None,
        trace: str | os.PathLike[str] | None = None,
        deps: str | os.PathLike[str] | None = None,
    ) -> TaskHandle | RunHandle:
        """Start a program: the handle of a task, or of a run when there is an orchestration.

        ``args`` is a mapping, or a list in the order of the contract. ``chip`` says where a task runs (default:
        the one with least to do), ``retries`` how often it starts anew when its worker dies, and ``timeout``
        after how many seconds of running it is stopped; for an orchestration they are the defaults of its
        tasks. ``trace`` and ``deps`` are files for a trace and for the graph of this run's tasks (the handle is
        then that of a run).
        """
        self._check()
        program = self.program(name)
        files = Files(trace, deps)
        if program.orch is None and files == Files():
            (kernel,) = program.kernels.values()
            named = by_name(kernel.names(), name, args)
            return self.start(kernel, named, chip=chip, retries=retries, timeout=timeout)
        run = self._handle(program, args, Options(chip, retries, timeout), files)
        self._runs = [other for other in self._runs if not other.done()]
        self._runs.append(run)
        run.start()
        return run

    def run(
        self,
        name: str,
        args: Any = None,
        *,
        chip: int | None = None,
        retries: int = 0,
        timeout: float | None = None,
        trace: str | os.PathLike[str] | None = None,
        deps: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Run a program and wait: its result. The options are those of ``submit``."""
        self._check()
        program = self.program(name)
        files = Files(trace, deps)
        if program.orch is None and files == Files():
            return self.submit(name, args, chip=chip, retries=retries, timeout=timeout).result()
        run = self._handle(program, args, Options(chip, retries, timeout), files)
        run.work()
        return run.result()

    def _handle(self, program: Program, args: Any, options: Options, files: Files) -> RunHandle:
        if program.orch is None:
            return RunHandle(self, alone(program, args), None, options, files)
        return RunHandle(self, program, args, options, files)

    def start(
        self,
        kernel: NativeKernel | PythonKernel,
        args: Mapping[str, Any],
        *,
        chip: int | None = None,
        retries: int = 0,
        timeout: float | None = None,
        after: Sequence[Task] = (),
        recording: Recording | None = None,
    ) -> TaskHandle:
        """Submit one task; ``recording`` is that of the run that it belongs to."""
        self._check()
        if chip is None:
            chip = self.dispatcher.least_busy()
        elif chip not in self.chips:
            raise fault("PTG404", f"there is no chip {chip}", None, expected=f"one of {list(self.chips)}")
        call = kernel.call(self, args, chip)
        number = next(self._numbers)
        recordings: Sequence[Recording] = ()
        if self._recording is not None or recording is not None:
            recordings = [one for one in (self._recording, recording) if one is not None]
        traced = any(one.cores for one in recordings)
        task = Task(number, kernel, chip, call.message(kernel.number, number, traced=traced))
        task.retries, task.timeout, task.recordings = retries, timeout, recordings
        for effect in call.effects:
            if effect.reads and effect.writes:
                task.intact = False
        if call.copies:
            for array, _ in call.copies:
                self._settle(array)
                start = array.__array_interface__["data"][0]
                self._unsettled.append((start, start + array.nbytes, task))
            task.on_success = call.finish
        self.dispatcher.submit(task, call.effects, after)
        return TaskHandle(self.dispatcher, task, call.outputs, call.given, call.make)

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> TensorHandle:
        """An uninitialised tensor in the memory of a chip (None: the host's)."""
        self._check()
        kind = NUMPY_DTYPES.get(dtype) if isinstance(dtype, str) else None
        kind = np.dtype(dtype) if kind is None else kind
        extent = tuple(int(size) for size in shape)
        block = self._arena.allocate(math.prod(extent) * kind.itemsize)
        return TensorHandle(self.dispatcher, block, 0, extent, kind, chip)

    def tensor(self, value: Any, *, chip: int | None = None) -> TensorHandle:
        """A copy of an array (numpy, torch, DLPack) or of a packed weight, as a tensor of a chip."""
        self._check()
        array = self.array("value", value)
        if isinstance(array, PackedWeight):
            data = array.data
            block = self._arena.allocate(data.nbytes)
            layout = f"{array.layout}:{array.target}"
            handle = TensorHandle(self.dispatcher, block, 0, array.shape, array.dtype, chip, layout, data.nbytes)
            handle.peek()[...] = data
            return handle
        self._settle(array)
        handle = self.empty(array.shape, array.dtype, chip=chip)
        handle.peek()[...] = array
        return handle

    def array(self, name: str, value: Any) -> npt.NDArray[Any] | PackedWeight:
        """An array as numpy sees it, without a copy. Raises PTG403."""
        return value if isinstance(value, PackedWeight) else as_array(name, value)

    def adopt(self, array: npt.NDArray[Any]) -> TensorHandle | None:
        """The handle of an array that lies in shared memory, or None for one that does not."""
        block = self._arena.find(array)
        if block is None or not array.flags.c_contiguous:
            return None
        offset = array.__array_interface__["data"][0] - self._arena.address - block.offset
        return TensorHandle(self.dispatcher, block, offset, array.shape, array.dtype, None)

    def processes(self) -> dict[int, int]:
        """The process number of each chip's worker, as it is now."""
        self._check()
        return self.dispatcher.processes()

    def write(self, files: Files, recording: Recording) -> None:
        """Write the files of a recording. Raises ``OSError``."""
        files.write(recording, self.logs, self.dispatcher.processes())

    def close(self) -> None:
        """Wait for what was submitted, then end the workers. Ctrl-C meanwhile ends them at once."""
        try:
            if not self.dispatcher.closed:
                for run in self._runs:
                    run.wait()
                self.dispatcher.drain()
        finally:
            self.abort()

    def abort(self) -> None:
        """End the workers at once; what is not finished fails with ``RuntimeClosed``."""
        if self._foreign:
            return
        with self._closing:
            written = self.dispatcher.closed
            self.dispatcher.close()
            self._arena.close()
            _live.discard(self)
            try:
                if self._recording is not None and not written:
                    self.write(self._files, self._recording)
            finally:
                self.logs.close()

    def forget(self) -> None:
        """After a fork, in the child."""
        self._foreign = True
        self.dispatcher.forget()
        self._arena.close()
        self.logs.forget()

    def _settle(self, array: npt.NDArray[Any]) -> None:
        """Wait for the tasks that will fill some of this array: only then does it have its value."""
        if not self._unsettled:
            return
        self._unsettled = [entry for entry in self._unsettled if not entry[2].finished]
        start = array.__array_interface__["data"][0]
        for first, last, task in self._unsettled:
            if first < start + array.nbytes and start < last:
                self.dispatcher.wait(task, None)

    def _check(self) -> None:
        if self.dispatcher.closed:
            if self._foreign:
                raise RuntimeClosed("this runtime belongs to the parent process; after a fork, make a new one")
            raise RuntimeClosed("the runtime is closed")

    def __enter__(self) -> Self:
        self._check()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _abort_all() -> None:
    for runtime in list(_live):
        runtime.abort()


def _after_fork_in_child() -> None:
    for runtime in list(_live):
        runtime.forget()
    _live.clear()


atexit.register(_abort_all)
os.register_at_fork(after_in_child=_after_fork_in_child)
