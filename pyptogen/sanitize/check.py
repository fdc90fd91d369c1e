"""A file of kernels → what is out of order in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, fault
from pyptogen.lower.instruction.replay import Finding
from pyptogen.sanitize.lexer import Lexer
from pyptogen.sanitize.machine import Decisions, Machine, TooLong
from pyptogen.sanitize.parser import parse
from pyptogen.sanitize.syntax import File, Function
from pyptogen.sanitize.trace import Trace

CAPACITY = {"Vec": 192 * 1024, "Mat": 512 * 1024, "Left": 64 * 1024, "Right": 64 * 1024, "Acc": 128 * 1024}
"""Bytes of the memories of a core of A2/A3."""
TRIPS = (0, 1, 2, 3)
DECISIONS: tuple[Decisions, ...] = ("then", "else", "in turn")
CORES = ("VEC", "CUBE")
MACROS: Mapping[str, Mapping[str, str]] = {
    "VEC": {"__DAV_VEC__": "1", "__DAV_C220_VEC__": "1"},
    "CUBE": {"__DAV_CUBE__": "1", "__DAV_C220_CUBE__": "1"},
}
FIXES = {
    "race": "set a flag after the earlier instruction and wait for it before this one",
    "hazard": "put `pipe_barrier(PIPE_V)` between the two",
    "double set": "wait for the flag before it is set again, or use another id",
    "deadlock": "set the flag before it is waited for, also where a loop runs zero times",
    "left over": "wait for the flag once more at the end",
}


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel: ``instructions`` and ``flags`` of its longest walk, over ``walks`` walks; ``findings`` is empty when
    it is in order."""

    name: str
    instructions: int
    flags: int
    walks: int
    findings: tuple[Diagnostic, ...]


def sanitize(path: str | os.PathLike[str], given: Mapping[str, int] | None = None) -> tuple[KernelReport, ...]:
    """Check every kernel of a C++ file.

    Args:
        path: the file.
        given: run-time arguments by name that are fixed; all others may be anything.

    Raises:
        DiagnosticError: PTG110 the file cannot be read, PTG306 it has constructs that are not followed, or no kernel.
    """
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError as error:
        raise fault("PTG110", f"cannot read `{name}`: {error.strerror or type(error).__name__}", None) from None
    found: dict[str, KernelReport] = {}
    for core in CORES:
        program = parse(name, Lexer(name, text, MACROS[core]).tokens())
        for label, function, arguments in _kernels(name, program, core):
            report = _Kernel(name, program, function, arguments, core, given or {}, label).report()
            before = found.get(label)
            if before is None or report.instructions > before.instructions or report.findings:
                found[label] = report
    if not found:
        raise fault(
            "PTG306",
            "no kernel in this file",
            Span(name, 1, 1, 1, 1),
            expected="a function that is marked `__global__`, or a template with explicit instances",
        )
    return tuple(found.values())


def _kernels(file: str, program: File, core: str) -> Iterator[tuple[str, Function, tuple[Any, ...]]]:
    """Kernels that need no template arguments, and the instances that the file asks for."""
    by_name = {function.name: function for function in program.functions}
    for function in program.functions:
        if function.kernel and not function.template:
            yield function.name, function, ()
    seen: set[str] = set()
    for instance in program.instantiations:
        launched = by_name.get(instance.name.path[-1])
        if launched is None or instance.name.arguments is None:
            continue
        machine = Machine(file, program, 1, "then", 1, {}, core, scopes=[{}])
        arguments = tuple(machine.value(argument) for argument in instance.name.arguments)
        label = f"{launched.name}<{', '.join(_shown(a) for a in arguments)}>"
        if label not in seen:
            seen.add(label)
            yield label, launched, arguments


def _shown(argument: Any) -> str:
    return str(getattr(argument, "name", argument))


@dataclass(frozen=True, slots=True)
class _Kernel:
    file: str
    program: File
    function: Function
    arguments: tuple[Any, ...]
    core: str
    given: Mapping[str, int]
    label: str

    def report(self) -> KernelReport:
        """All walks of one kernel."""
        token = self.function.token
        span = Span(self.file, token.line, token.col, token.line, token.col + len(token.text))
        found: dict[tuple[str, int, int], Diagnostic] = {}
        most, walks = (0, 0), 0
        for trace in self._walks():
            walks += 1
            most = max(most, trace.counts())
            for diagnostic in (*_too_large(trace), *(_diagnostic(f) for f in trace.findings(self.label, span))):
                earlier = diagnostic.notes[0][1] if diagnostic.notes else None
                line = diagnostic.span.line if diagnostic.span else 0
                found.setdefault((diagnostic.message.split(":")[0], line, earlier.line if earlier else 0), diagnostic)
        ordered = sorted(found.values(), key=lambda d: (d.span.line, d.span.col) if d.span else (0, 0))
        return KernelReport(self.label, *most, walks, tuple(ordered))

    def _walks(self) -> Iterator[Trace]:
        """Walks for every number of rounds and every way of deciding; one where nothing is unknown."""
        for trips in TRIPS:
            for decisions in DECISIONS:
                trace = self._walk(trips, decisions)
                yield trace
                if not trace.decided:
                    break
            if not trace.forced:
                return

    def _walk(self, trips: int, decisions: Decisions) -> Trace:
        """One walk; loops of known length are cut short where it would become too long."""
        for longest in (1 << 20, 16, 8, 4, 2):
            machine = Machine(self.file, self.program, trips, decisions, longest, self.given, self.core)
            try:
                return machine.run(self.function, self.arguments)
            except TooLong:
                continue
        token = self.function.token
        raise fault(
            "PTG306",
            f"`{self.label}` is too long to be replayed",
            Span(self.file, token.line, token.col, token.line, token.col + 1),
            expected="shorter loops",
        )


def _too_large(trace: Trace) -> Iterator[Diagnostic]:
    """Tiles that leave their memory."""
    for node in trace.nodes:
        for region in (r for part in trace.touched.get(id(node), ()) for r in part):
            room = CAPACITY.get(region.memory)
            if room is not None and region.end > room and region.start:
                yield Diagnostic(
                    "PTG301",
                    f"capacity: {region.memory} 0x{region.start:05x}..0x{region.end:05x} leaves its {room} bytes",
                    node.span,
                    expected=f"tiles below 0x{room:05x}",
                    fix="give the tile a lower address, or make it smaller",
                )


def _diagnostic(finding: Finding) -> Diagnostic:
    earlier = finding.earlier
    notes = () if earlier is None else ((f"the earlier {earlier.instr.name}", earlier.instr.span),)
    return Diagnostic(
        "PTG305", f"{finding.kind}: {finding.text}", finding.span, fix=FIXES.get(finding.kind, ""), notes=notes
    )


__all__ = ["DiagnosticError", "KernelReport", "sanitize"]
