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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case, or of all cases of a spec for a target: a result, or else why there is none."""

    operator: str
    target: str
    dims: Mapping[str, int]
    result: CaseResult | None = None
    problem: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()

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
            yield self.outcomes.popleft()

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
            self.outcomes.append(Outcome(at.operator, at.target, at.dims, problem=reason))
            self._start()


def _judge(path: Path, lenient: bool, conditions: Conditions, first: int, pipe: Connection, said: int) -> None:
    """The process: sends the number and the name of each case from number ``first`` on, then what became of it.
    Standard error goes to ``said``."""
    os.dup2(said, 2)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (until the process ends)
    import pyptogen
    from pyptogen.lower.tensor import from_spec
    from pyptogen.lower.tensor.reading.targets import chosen_targets

    try:
        spec = pyptogen.load(path)
        targets = chosen_targets(from_spec(spec), conditions.targets, lenient)
    except DiagnosticError as error:
        pipe.send(Outcome(path.stem, "", {}, diagnostics=error.diagnostics))
        return
    cases = spec.verify.cases or ({},)
    for number, target in enumerate(targets):
        left = list(enumerate(cases, number * len(cases)))[max(0, first - number * len(cases)) :]
        if not left:
            continue
        pipe.send((left[0][0], Outcome(spec.name, target, {})))
        try:
            operator = pyptogen.compile(spec, target=target, checked=conditions.checked)
        except DiagnosticError as error:
            pipe.send(Outcome(spec.name, target, {}, diagnostics=error.diagnostics))
            continue
        for at, dims in left:
            pipe.send((at, Outcome(spec.name, target, dims)))
            pipe.send(_outcome(operator, dims, conditions))


def _outcome(operator: CompiledOperator, dims: Mapping[str, int], conditions: Conditions) -> Outcome:
    """One case, run and compared."""
    from pyptogen.runtime.native.binding import RunError
    from pyptogen.verify.cases import verify_case
    from pyptogen.verify.watched import run_watched

    run = partial(run_watched, operator) if conditions.checked else None
    named = Outcome(operator.spec.name, operator.target, dims)
    try:
        result = verify_case(operator, dims, conditions.seed, run=run)
    except RunError as error:
        return replace(named, problem=str(error))
    except DiagnosticError as error:
        return replace(named, diagnostics=error.diagnostics)
    return replace(named, dims=result.dims, result=result)
