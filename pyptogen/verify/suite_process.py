"""The cases of one spec in a process of its own.

A kernel may end its process, as the checked mode does where it finds a fault. The case that ran then has failed, and
another process goes on with the next one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, gathering
from pyptogen.records import dataclass, replace

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator
    from pyptogen.schema import DimSpec, Spec
    from pyptogen.verify.cases import CaseResult

_FORK = multiprocessing.get_context("fork")
_TOOL_FAILED = 1
"""Exit status of a Python process that ended with an exception."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for all specs of a suite: targets (None: those of each spec), seed of the data, and the mode."""

    targets: tuple[str, ...] | None
    seed: int
    checked: bool
    allow_code: bool = False
    """Goldens and C++ of specs from outside of the project may run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case, or of all cases of a spec for a target: a result, or else why there is none."""

    operator: str
    target: str
    dims: Mapping[str, int]
    result: CaseResult | None = None
    problem: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    spec: str = ""
    """The file."""

    @property
    def failures(self) -> tuple[Diagnostic, ...]:
        """Why it did not pass, as findings: those that it has, or PTG410."""
        if self.passed or self.diagnostics:
            return self.diagnostics
        case = " ".join((self.operator, self.target, *(f"{dim}={size}" for dim, size in self.dims.items())))
        verdicts = () if self.result is None else self.result.verdicts
        why = "; ".join(verdict.describe() for verdict in verdicts if not verdict.passed) or self.problem
        return (Diagnostic("PTG410", f"{case}: {why}", Span(self.spec, 1, 1, 1, 1)),)

    @property
    def passed(self) -> bool:
        return self.result is not None and self.result.passed


class SpecProcess:
    """A process that judges the cases of a spec, and the one after it if it dies."""

    def __init__(self, path: Path, lenient: bool, conditions: Conditions) -> None:
        self.outcomes: deque[Outcome] = deque()
        self.over = False
        self._arguments = (path, lenient, conditions)
        self._begun = -1
        self._at = Outcome(path.stem, "", {})
        self._start()

    def _start(self) -> None:
        self._said = TemporaryFile()  # noqa: SIM115  (open as long as the process runs)
        self.pipe, sending = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(
            target=_judge, args=(*self._arguments, self._begun + 1, sending, self._said.fileno()), daemon=True
        )
        self._process.start()
        sending.close()

    def listen(self) -> None:
        """Take in what the process sends, or its end. Raises ``RuntimeError`` if the tool itself failed in it."""
        try:
            message = self.pipe.recv()
        except EOFError:
            self._ended()
            return
        if isinstance(message, Outcome):
            self.outcomes.append(message)
        else:
            self._begun, self._at = message

    def taken(self) -> Iterator[Outcome]:
        """The outcomes so far, once."""
        while self.outcomes:
            yield replace(self.outcomes.popleft(), spec=str(self._arguments[0]))

    def _ended(self) -> None:
        self._process.join()
        self.pipe.close()
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip()
        self._said.close()
        status = self._process.exitcode or 0
        if status == _TOOL_FAILED:
            last = (said.splitlines() or [""])[-1]
            raise RuntimeError("\n".join([f"{self._arguments[0]}: {last}", said]))
        self.over = status == 0
        if not self.over:
            reason = said or f"ended by {signal.Signals(-status).name if status < 0 else f'exit {status}'}"
            at = self._at
            place = _in_spec(self._arguments[0], at.target, said)
            self.outcomes.append(Outcome(at.operator, at.target, at.dims, problem=f"{reason}{place}"))
            self._start()


def _in_spec(path: Path, target: str, said: str) -> str:
    """What of the spec the line of a kernel serves that the checked mode named, as lines to be shown below that."""
    from pyptogen.codegen import generate
    from pyptogen.diagnostics import render_excerpt
    from pyptogen.lower.tensor import from_spec
    from pyptogen.runtime.operator.traced_sources import names_kernel, place_of_message
    from pyptogen.schema import load_spec

    if not target or not names_kernel(said):
        return ""
    place = place_of_message(said, generate(from_spec(load_spec(path)), target))
    return "" if place is None else f"\nserves {place}\n{render_excerpt(place)}"


def _judge(path: Path, lenient: bool, conditions: Conditions, first: int, pipe: Connection, said: int) -> None:
    """The process: sends the number and the name of each case from number ``first`` on, then what became of it.
    Standard error goes to ``said``."""
    os.dup2(said, 2)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (until the process ends)
    import pyptogen
    from pyptogen.lower.tensor import from_spec
    from pyptogen.lower.tensor.reading.targets import chosen_targets
    from pyptogen.project import require_trusted

    try:
        with gathering():
            spec = pyptogen.load(path)
            program = from_spec(spec)
        require_trusted(spec, conditions.allow_code)
        targets = chosen_targets(program, conditions.targets, lenient)
    except DiagnosticError as error:
        pipe.send(Outcome(path.stem, "", {}, diagnostics=error.diagnostics))
        return
    sizes = [dim for dim in spec.dims if dim.value is None]
    if sizes and not spec.verify.cases and targets:
        pipe.send(Outcome(spec.name, "", {}, diagnostics=(_no_cases(spec, sizes),)))
        return
    cases = spec.verify.cases or ({},)
    for number, target in enumerate(targets):
        left = list(enumerate(cases, number * len(cases)))[max(0, first - number * len(cases)) :]
        if not left:
            continue
        pipe.send((left[0][0], Outcome(spec.name, target, {})))
        try:
            operator = pyptogen.compile(spec, target=target, checked=conditions.checked, interpret=False)
        except DiagnosticError as error:
            pipe.send(Outcome(spec.name, target, {}, diagnostics=error.diagnostics))
            continue
        for at, dims in left:
            pipe.send((at, Outcome(spec.name, target, dims)))
            pipe.send(_outcome(operator, dims, conditions))


def _no_cases(spec: Spec, sizes: Sequence[DimSpec]) -> Diagnostic:
    case = ", ".join(f"{dim.name}: {dim.multiple_of * -(-dim.min // dim.multiple_of)}" for dim in sizes)
    return Diagnostic(
        "PTG105",
        f"`{spec.name}` has no case to test, and sizes that are known at run time only",
        spec.span,
        expected="sizes under `verify`, small and odd ones among them",
        fix=f"add `verify: {{cases: [{{{case}}}]}}`",
    )


def _outcome(operator: CompiledOperator, dims: Mapping[str, int], conditions: Conditions) -> Outcome:
    """One case, run and compared."""
    from pyptogen.runtime.native.binding import RunError
    from pyptogen.verify.cases import verify_case
    from pyptogen.verify.watched import run_watched

    run = partial(run_watched, operator) if conditions.checked else None
    named = Outcome(operator.spec.name, operator.target, dims)
    try:
        result = verify_case(operator, dims, conditions.seed, again=not conditions.checked, run=run)
    except RunError as error:
        return replace(named, problem=str(error))
    except DiagnosticError as error:
        return replace(named, diagnostics=error.diagnostics)
    return replace(named, dims=result.dims, result=result)
