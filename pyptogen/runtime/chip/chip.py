"""Level chip: one simulated chip in this process, and the programs that it runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.chip.jobs import ChipHandle, Job, JobQueue
from pyptogen.runtime.chip.stoppable import StoppableChip
from pyptogen.runtime.native.binding import POLICIES, RunError, RunReport, WrongIndexError

if TYPE_CHECKING:
    from typing_extensions import Self

    from pyptogen.runtime.operator.compiled import BoundCall, CompiledOperator

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


class ChipRuntime:
    """One simulated chip and the programs registered with it; a context manager.

    ``cores`` is a number of cores that run everything, or ``(cube, vector)`` for cores of two kinds (default:
    the processors of this process for platform "cpu", the platform's own cores for others). ``fifo`` bounds
    the launches that are held at a time. ``device`` tells chips apart in messages and traces. ``isa`` and
    ``portable`` are those of ``compile``, for what ``register`` compiles.
    """

    def __init__(
        self,
        *,
        platform: str = "cpu",
        device: int = 0,
        cores: int | tuple[int, int] | None = None,
        fifo: int = 0,
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
        self._chip = StoppableChip(self.cores, fifo=fifo)
        self._pid = os.getpid()
        self._jobs = JobQueue(self._make_run, f"pto-chip-{device}")
        self._lock = threading.Lock()
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
        from pyptogen.runtime.chip.program import compile_program
        from pyptogen.runtime.toolchain.build import make_toolchain
        from pyptogen.runtime.toolchain.headers import isa_root

        toolchain = make_toolchain(
            isa=isa_root(self._isa, self.platform), portable=self._portable, target=self.platform
        )
        self._programs[name] = compile_program(name, orch, kernels, toolchain, entry, policy)

    def run(
        self,
        name: str,
        args: Args = None,
        *,
        trace: str | Path | None = None,
        deps: str | Path | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Run a program on these arguments, after everything submitted before, and return its outputs.

        ``trace`` is a file for a trace in Chrome format (chrome://tracing, Perfetto), ``deps`` one for the
        graph of its tasks; after ``timeout`` seconds it is stopped. Raises ``DiagnosticError`` for arguments
        that do not fit, before anything is written; ``RunError`` when a kernel fails; ``TaskTimeout``, a kind
        of it; ``OSError`` when a file cannot be written.
        """
        call = self._bind(name, args)
        job = Job(call, ChipHandle(call.name), (), _path(trace), _path(deps), timeout)
        if self._jobs.open:
            self._jobs.put(job)
            return job.handle.result()
        self._make_run(job)
        return call.results

    def submit(
        self,
        name: str,
        args: Args = None,
        *,
        after: Iterable[Any] = (),
        trace: str | Path | None = None,
        deps: str | Path | None = None,
        timeout: float | None = None,
    ) -> ChipHandle:
        """Start a program and return at once.

        The arguments are checked before. Runs take place in the order of submission, each after those in
        ``after`` (handles, also of other runtimes); a run of which one in ``after`` failed does not take
        place and raises ``RunError``. ``timeout`` counts from when the run begins.
        """
        call = self._bind(name, args)
        handle = ChipHandle(call.name)
        with self._lock:
            self._check_open()
            self._jobs.put(Job(call, handle, tuple(after), _path(trace), _path(deps), timeout))
        return handle

    def close(self) -> None:
        """Finish what was submitted and stop the cores. A second call does nothing. Ctrl-C meanwhile ends it all."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if os.getpid() != self._pid:
            return
        try:
            self._jobs.close()
            self._chip.close()
        except BaseException:
            self._end_now()
            raise

    def abort(self) -> None:
        """Stop the run in progress, let the others fail with ``RuntimeClosed``, and stop the cores."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if os.getpid() == self._pid:
            self._end_now()

    def _end_now(self) -> None:
        self._jobs.abort()
        self._chip.stop()
        self._jobs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _check_open(self) -> None:
        if self._closed:
            raise RunError("the runtime is closed")
        if os.getpid() != self._pid:
            raise RunError("the runtime belongs to the process that made it: make a new one after a fork")

    def _compiled(self, operator: Any) -> CompiledOperator:
        from pyptogen.runtime.operator.compiled import CompiledOperator
        from pyptogen.runtime.operator.loading import compile

        if isinstance(operator, CompiledOperator):
            operator.require_native("a chip")
            return operator
        return compile(operator, self.platform, isa=self._isa, portable=self._portable, interpret=False)

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

    def _make_run(self, job: Job) -> None:
        call = job.call
        try:
            self.last_report = self._chip.run(
                call.entry,
                call.packed,
                name=call.name,
                policy=call.policy,
                trace=job.trace,
                graph=job.deps,
                timeout=job.timeout,
                keep=call,
            )
        except WrongIndexError as error:
            raise call.explained(error) from None

    def __repr__(self) -> str:
        return f"ChipRuntime(platform={self.platform!r}, device={self.device}, cores={self.cores})"


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _platform_cores(platform: str) -> int | tuple[int, int]:
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.processors import available_processors

    found = PLATFORMS[platform]
    return available_processors() if found.unified else (found.cube_cores, found.vector_cores)
