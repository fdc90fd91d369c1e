"""Level chip: one simulated chip in this process, and the programs that it runs."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.native import POLICIES, Chip, RunError, RunReport

if TYPE_CHECKING:
    from typing_extensions import Self

    from pyptogen.runtime.compiled import BoundCall, CompiledOperator

Args = Mapping[str, Any] | Sequence[Any] | None


class Program(Protocol):
    """What can be registered, once it is compiled."""

    @property
    def name(self) -> str:
        """As in messages and traces."""

    def bind(self, args: Any) -> BoundCall:
        """A run with its arguments checked."""


@dataclass(frozen=True, slots=True)
class OperatorProgram:
    """An operator as a program: arguments by name, or by position in the order of the contract (inputs, outputs
    that are not in place, attrs).
    """

    operator: CompiledOperator

    @property
    def name(self) -> str:
        """The operator's."""
        return self.operator.contract.name

    def bind(self, args: Args) -> BoundCall:
        """The operator's own ``bind``, with outputs told from inputs by the contract. Raises PTG401 to PTG407."""
        contract = self.operator.contract
        fresh = [tensor.name for tensor in contract.outputs if tensor.name not in contract.inplace]
        if not isinstance(args, Mapping):
            names = [*(t.name for t in contract.inputs), *fresh, *(a.name for a in contract.attrs)]
            if len(args or ()) > len(names):
                raise fault(
                    "PTG404",
                    f"`{contract.name}` takes at most {len(names)} arguments, not {len(args or ())}",
                    contract.span,
                    expected=f"in this order: {', '.join(names)}",
                )
            args = dict(zip(names, args or (), strict=False))
        given: dict[str, Any] = {}
        out: dict[str, Any] = {}
        for name, value in args.items():
            plain = value.value if isinstance(value, Arg) else value
            if name in fresh:
                if plain is not None:
                    out[name] = plain
            else:
                given[name] = plain
        return self.operator.bind(given, out)


class ChipHandle:
    """A submitted run."""

    def __init__(self, name: str, runtime: ChipRuntime) -> None:
        self.name = name
        self._runtime = runtime
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

    def _finish(self, result: Any, error: BaseException | None) -> None:
        self._result, self._error = result, error
        self._event.set()

    def __repr__(self) -> str:
        state = "running" if not self.done() else "failed" if self._error else "done"
        return f"ChipHandle({self.name!r}, {state})"


@dataclass(frozen=True, slots=True)
class _Job:
    call: BoundCall
    handle: ChipHandle
    after: tuple[Any, ...]
    trace: Path | None
    deps: Path | None


class ChipRuntime:
    """One simulated chip and the programs registered with it; a context manager.

    ``cores`` is a number of cores that run everything, or ``(cube, vector)`` for cores of two kinds (default:
    the processors of this process for platform "cpu", the platform's own cores for others). ``ring`` bounds
    the launches that are held at a time. ``device`` tells chips apart in messages and traces. ``isa`` and
    ``portable`` are those of ``compile``, for what ``register`` compiles.
    """

    def __init__(
        self,
        *,
        platform: str = "cpu",
        device: int = 0,
        cores: int | tuple[int, int] | None = None,
        ring: int = 0,
        isa: str | Path | None = None,
        portable: bool = False,
    ) -> None:
        self.platform = platform
        self.device = device
        self.cores = _platform_cores(platform) if cores is None else cores
        self.last_report: RunReport | None = None
        """Of the last run that went well."""
        self._isa, self._portable = isa, portable
        self._programs: dict[str, Program] = {}
        self._chip = Chip(self.cores, ring=ring)
        self._pid = os.getpid()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._open_jobs = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def register(
        self,
        name: str,
        operator: Any = None,
        *,
        orch: str | Path | None = None,
        kernels: Sequence[str | Path] = (),
        entry: str | None = None,
        policy: str = "critical_path",
    ) -> None:
        """Make a program known as ``name``.

        Either ``operator``, a compiled operator, a spec or the path of one; or ``orch``, a C++ file with
        the orchestration, and ``kernels``, the C++ files of its kernels (their numbers are their places in
        the list). ``entry`` names the orchestration function, ``policy`` orders its ready tasks. Raises
        PTG404, PTG502, and what compiling a spec raises.
        """
        self._check_open()
        if (operator is None) == (orch is None):
            raise fault("PTG404", f"`{name}` needs either an operator or `orch=`", None, expected="one of the two")
        if policy not in POLICIES:
            raise fault(
                "PTG404",
                f"unknown policy `{policy}`",
                None,
                expected=f"one of {', '.join(POLICIES)}",
                fix=did_you_mean(policy, tuple(POLICIES)),
            )
        if orch is None:
            self._programs[name] = OperatorProgram(self._compiled(operator))
            return
        if not isinstance(orch, (str, Path)):
            raise fault(
                "PTG404",
                f"the orchestration of `{name}` is a {type(orch).__name__}",
                None,
                expected="the path of a C++ file",
                fix="Python functions orchestrate at level host",
            )
        from pyptogen.runtime.chip_program import compile_program
        from pyptogen.runtime.headers import isa_root
        from pyptogen.runtime.toolchain import make_toolchain

        toolchain = make_toolchain(isa=isa_root(self._isa, self.platform), portable=self._portable)
        self._programs[name] = compile_program(name, orch, kernels, toolchain, entry, policy)

    def run(
        self,
        name: str,
        args: Args = None,
        *,
        trace: str | Path | None = None,
        deps: str | Path | None = None,
    ) -> Any:
        """Run a program on these arguments, after everything submitted before, and return its outputs.

        ``trace`` is a file for a trace in Chrome format (chrome://tracing, Perfetto), ``deps`` one for the
        graph of its tasks. Raises ``DiagnosticError`` for arguments that do not fit, before anything is
        written; ``RunError`` when a kernel fails; ``OSError`` when a file cannot be written.
        """
        call = self._bind(name, args)
        if self._open_jobs:
            return self._submit(call, (), trace, deps).result()
        self.last_report = call.run(self._chip, trace=_path(trace), graph=_path(deps))
        return call.results

    def submit(
        self,
        name: str,
        args: Args = None,
        *,
        after: Iterable[Any] = (),
        trace: str | Path | None = None,
        deps: str | Path | None = None,
    ) -> ChipHandle:
        """Start a program and return at once.

        The arguments are checked before. Runs take place in the order of submission, each after those in
        ``after`` (handles, also of other runtimes); a run of which one in ``after`` failed does not take
        place and raises ``RunError``.
        """
        return self._submit(self._bind(name, args), tuple(after), trace, deps)

    def close(self) -> None:
        """Finish what was submitted and stop the cores. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            thread = self._thread
        if thread is not None and os.getpid() == self._pid:
            self._jobs.put(None)
            thread.join()
        self._chip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise RunError("the runtime is closed")
        if os.getpid() != self._pid:
            raise RunError("the runtime belongs to the process that made it: make a new one after a fork")

    def _compiled(self, operator: Any) -> CompiledOperator:
        from pyptogen.runtime.compiled import CompiledOperator, compile

        if isinstance(operator, CompiledOperator):
            return operator
        return compile(operator, self.platform, isa=self._isa, portable=self._portable)

    def _bind(self, name: str, args: Args) -> BoundCall:
        self._check_open()
        program = self._programs.get(name)
        if program is None:
            raise fault(
                "PTG404",
                f"no program `{name}` is registered",
                None,
                expected=f"one of {', '.join(self._programs)}" if self._programs else "a call of `register` before",
                fix=did_you_mean(name, tuple(self._programs)),
            )
        return program.bind(args)

    def _submit(
        self, call: BoundCall, after: tuple[Any, ...], trace: str | Path | None, deps: str | Path | None
    ) -> ChipHandle:
        handle = ChipHandle(call.name, self)
        with self._lock:
            self._check_open()
            self._open_jobs += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"pto-chip-{self.device}", daemon=True)
                self._thread.start()
            self._jobs.put(_Job(call, handle, after, _path(trace), _path(deps)))
        return handle

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            result, error = None, None
            try:
                _wait_for(job)
                self.last_report = job.call.run(self._chip, trace=job.trace, graph=job.deps)
                result = job.call.results
            except BaseException as raised:  # it belongs to whoever asks for the result
                error = raised
            with self._lock:
                self._open_jobs -= 1
            job.handle._finish(result, error)

    def __repr__(self) -> str:
        return f"ChipRuntime(platform={self.platform!r}, device={self.device}, cores={self.cores})"


def _wait_for(job: _Job) -> None:
    for handle in job.after:
        try:
            handle.result()
        except Exception as error:  # whatever made that run fail is the reason why this one does not take place
            raise RunError(f"`{job.call.name}` did not run, because `{handle!r}` failed: {error}") from error


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _platform_cores(platform: str) -> int | tuple[int, int]:
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.runtime.toolchain import available_processors

    found = PLATFORMS[platform]
    return available_processors() if found.unified else (found.cube_cores, found.vector_cores)
