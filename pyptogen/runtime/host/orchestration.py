"""Orchestrations of level host: Python functions ``orch(o, args)`` that submit tasks and pass handles on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.layout.packing import PackedWeight
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.host import collectives
from pyptogen.runtime.host.handles import Group, TaskHandle, TensorHandle
from pyptogen.runtime.host.kernels import by_name
from pyptogen.runtime.host.recording import Recording
from pyptogen.runtime.host.task_graph import Task
from pyptogen.runtime.host.trace import Files

if TYPE_CHECKING:
    from pyptogen.runtime.host.host import HostRuntime

_Kept = TypeVar("_Kept")
_REMEMBERED = 1024
_NO_FILES = Files()


@dataclass(frozen=True, slots=True)
class Program:
    """What ``register`` made known; ``orch`` is None for a single kernel."""

    name: str
    orch: Callable[..., Any] | None
    kernels: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for a task that says nothing else: where, how often anew, how long at most."""

    chip: int | None = None
    retries: int = 0
    timeout: float | None = None


class Scope:
    """The tensors that were made inside a ``with o.scope()``."""

    def __init__(self) -> None:
        self.made: list[TensorHandle] = []
        self._kept: set[int] = set()

    def keep(self, value: _Kept) -> _Kept:
        """Let a tensor (or the outputs of a task) outlive the scope."""
        tensors = value.outputs.values() if isinstance(value, TaskHandle) else [value]
        self._kept.update(id(tensor) for tensor in tensors)
        return value

    def free(self) -> None:
        """Free the rest; tasks that still use them come first."""
        for tensor in self.made:
            if id(tensor) not in self._kept:
                tensor.free()


class Orchestration:
    """What an orchestration function is given as ``o``. All calls return at once, with handles."""

    def __init__(
        self,
        host: HostRuntime,
        program: Program,
        options: Options = Options(),
        recording: Recording | None = None,
    ) -> None:
        self._host = host
        self._program = program
        self._options = options
        self._recording = recording
        self._scopes: list[Scope] = []
        # Not their handles: those keep tensors.
        self._tasks: list[Task] = []
        self.chips = host.chips
        """The numbers of the chips."""

    def submit(
        self,
        kernel: str | Callable[..., Any],
        *,
        chip: int | None = None,
        args: Any = None,
        after: Sequence[TaskHandle] = (),
        retries: int | None = None,
        timeout: float | None = None,
        **named: Any,
    ) -> TaskHandle:
        """Submit a task: a kernel of this program by name, or a Python function from the top of a module.

        Arguments by name, or as ``args``. It starts when the tensors that it uses are ready and everything in
        ``after`` has finished. Where ``chip``, ``retries`` and ``timeout`` are not given, those of the run hold.
        """
        run = self._options
        found = self._kernel(kernel)
        given = by_name(found.names(), found.name, args) | named
        tasks = [before.task for before in after]
        options: dict[str, Any] = {} if self._recording is None else {"recording": self._recording}
        handle = self._host.start(
            found,
            given,
            chip=run.chip if chip is None else chip,
            after=tasks,
            retries=run.retries if retries is None else retries,
            timeout=run.timeout if timeout is None else timeout,
            **options,
        )
        self._made(*handle.outputs.values())
        if len(self._tasks) >= _REMEMBERED:
            self._tasks[:] = [task for task in self._tasks if not task.finished or task.error]
        self._tasks.append(handle.task)
        return handle

    def group(
        self,
        kernel: str | Callable[..., Any],
        args: Sequence[Any],
        *,
        chips: Sequence[int] | None = None,
        **options: Any,
    ) -> Group:
        """The same kernel on several chips (default: all): ``args[i]`` are the arguments on the i-th."""
        places = self.chips if chips is None else chips
        if len(places) != len(args):
            raise ValueError(f"{len(args)} sets of arguments for {len(places)} chips")
        pairs = zip(places, args, strict=True)
        return Group([self.submit(kernel, chip=chip, args=given, **options) for chip, given in pairs])

    def call(self, program: str, args: Any = None) -> Any:
        """Another registered orchestration as part of this one: what its function returns, handles included."""
        inner = self._host.program(program)
        if inner.orch is None:
            return self.submit(next(iter(inner.kernels.values())), args=args)
        o = Orchestration(self._host, inner, self._options, self._recording)
        o._tasks, o._scopes = self._tasks, self._scopes
        return inner.orch(o, arguments(self._host, args)[0])

    def tensor(self, value: Any, *, chip: int | None = None) -> TensorHandle:
        """A copy of an array in the memory of a chip."""
        return self._made(self._host.tensor(value, chip=chip))

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> TensorHandle:
        """A new tensor in the memory of a chip."""
        return self._made(self._host.empty(shape, dtype, chip=chip))

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """Tensors made inside are freed at its end, except those that ``keep`` was called for."""
        scope = Scope()
        self._scopes.append(scope)
        try:
            yield scope
        finally:
            self._scopes.remove(scope)
            scope.free()

    def copy(self, tensor: Any, chip: int) -> TensorHandle:
        """A copy in the memory of another chip."""
        return collectives.copy(self, tensor, chip)

    def broadcast(self, tensor: Any, chips: Sequence[int] | None = None) -> list[TensorHandle]:
        """The tensor in the memory of every chip."""
        return collectives.broadcast(self, tensor, self.chips if chips is None else chips)

    def all_reduce(self, tensors: Sequence[Any], op: str = "sum") -> list[TensorHandle]:
        """The tensors combined ("sum", "prod", "max", "min"), for every chip."""
        return collectives.all_reduce(self, tensors, op)

    def reduce_scatter(self, tensors: Sequence[Any], op: str = "sum", axis: int = 0) -> list[TensorHandle]:
        """The tensors combined and cut along ``axis``: a slice for each chip."""
        return collectives.reduce_scatter(self, tensors, op, axis)

    def all_gather(self, tensors: Sequence[Any], axis: int = 0) -> list[TensorHandle]:
        """The tensors one after the other along ``axis``, for every chip."""
        return collectives.all_gather(self, tensors, axis)

    def all_to_all(self, tensors: Sequence[Any], axis: int = 0) -> list[TensorHandle]:
        """Slice i of every tensor, for chip i."""
        return collectives.all_to_all(self, tensors, axis)

    def finish(self) -> None:
        """Wait for all tasks. Raises what the first failed one raised."""
        for task in self._tasks:
            self._host.dispatcher.wait(task, None)
        for task in self._tasks:
            if task.error is not None:
                raise task.error

    def _made(self, *tensors: TensorHandle) -> TensorHandle:
        if self._scopes:
            self._scopes[-1].made.extend(tensors)
        return tensors[0] if tensors else None  # type: ignore[return-value]

    def _kernel(self, kernel: Any) -> Any:
        if not isinstance(kernel, str):
            return kernel if hasattr(kernel, "definition") else self._host.kernel(kernel.__name__, kernel)
        try:
            return self._program.kernels[kernel]
        except KeyError:
            known = sorted(self._program.kernels)
            raise fault(
                "PTG404",
                f"`{self._program.name}` has no kernel `{kernel}`",
                None,
                expected=f"one of {', '.join(known)}" if known else "kernels={…} at `register`",
                fix=did_you_mean(kernel, known),
            ) from None


class RunHandle:
    """A run of an orchestration. The function runs on a thread of its own, or on the caller's in ``run``."""

    def __init__(
        self,
        host: HostRuntime,
        program: Program,
        args: Any,
        options: Options = Options(),
        files: Files = _NO_FILES,
    ) -> None:
        self._host = host
        self._program = program
        self._options = options
        self._files = files
        self._args, self._outputs = arguments(host, args)
        self._over = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def start(self) -> None:
        """Let it run on a thread."""
        threading.Thread(target=self.work, name=f"run {self._program.name}", daemon=True).start()

    def work(self) -> None:
        """Run the function, wait for its tasks, and collect what it returned."""
        recording = self._files.recording()
        if recording is not None:
            self._host.logs.begin()
        o = Orchestration(self._host, self._program, self._options, recording)
        assert self._program.orch is not None
        try:
            returned = self._program.orch(o, self._args)
            o.finish()
            self._value = collect(returned)
            for array, tensor in self._outputs:
                array[...] = tensor.numpy()
        except Exception as error:  # it belongs to whoever asks for the result
            self._error = error
        finally:
            if recording is not None:
                self._record(recording)
            self._over.set()

    def _record(self, recording: Recording) -> None:
        try:
            self._host.write(self._files, recording)
        except OSError as error:
            self._error = self._error or error
        finally:
            self._host.logs.end()

    def done(self) -> bool:
        """Whether it has finished or failed."""
        return self._over.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has finished or failed, at most ``timeout`` seconds; whether it has."""
        return self._over.wait(timeout)

    def result(self, timeout: float | None = None) -> Any:
        """What the function returned, with arrays for handles. Raises what it or one of its tasks raised."""
        if not self._over.wait(timeout):
            raise TimeoutError(f"run of `{self._program.name}` is not finished after {timeout} s")
        if self._error is not None:
            raise self._error
        return self._value

    def __repr__(self) -> str:
        state = "running" if not self.done() else "failed" if self._error else "done"
        return f"RunHandle({self._program.name!r}, {state})"


def alone(program: Program, args: Any) -> Program:
    """A program of a single kernel as an orchestration that submits it with ``args``."""
    (kernel,) = program.kernels

    def orch(o: Orchestration, _: Any) -> TaskHandle:
        return o.submit(kernel, args=args)

    return Program(program.name, orch, program.kernels)


def arguments(host: HostRuntime, args: Any) -> tuple[Any, list[tuple[Any, TensorHandle]]]:
    """The arguments of an orchestration, with handles for arrays, as an object with an attribute each (a list
    stays a list); and the caller's arrays that take outputs.
    """
    outputs: list[tuple[Any, TensorHandle]] = []

    def enter(name: str, value: Any) -> Any:
        arg = value if isinstance(value, Arg) else Arg("input", value)
        inner = arg.value
        if isinstance(inner, (TensorHandle, TaskHandle)) or arg.direction == "scalar":
            return inner
        if inner is None and arg.shape is not None:
            return host.empty(arg.shape, arg.dtype)
        if not isinstance(inner, (np.ndarray, PackedWeight)) and not hasattr(inner, "__dlpack__"):
            return inner
        array = host.array(name, inner)
        handle = None if isinstance(array, PackedWeight) else host.adopt(array)
        if handle is None:
            handle = host.tensor(array)
            if arg.writes:
                outputs.append((array, handle))
        return handle

    if args is None or isinstance(args, Mapping):
        given: Any = SimpleNamespace(**{name: enter(name, value) for name, value in (args or {}).items()})
    else:
        given = [enter(str(number), value) for number, value in enumerate(args)]
    return given, outputs


def collect(value: Any) -> Any:
    """What a function returned, with arrays in place of handles."""
    if isinstance(value, (TaskHandle, Group)):
        return value.result()
    if isinstance(value, TensorHandle):
        return value.numpy()
    if isinstance(value, Mapping):
        return {key: collect(item) for key, item in value.items()}
    if isinstance(value, tuple):
        items = [collect(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [collect(item) for item in value] if isinstance(value, list) else value
