"""A file of kernels → what is out of order in it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, fault
from pyptogen.lower.instruction.replay import Finding
from pyptogen.records import dataclass
from pyptogen.sanitize.machine import Decisions, Machine
from pyptogen.sanitize.mixed import Half, findings, out_of_step, pairs, walks
from pyptogen.sanitize.numbers import numbers, ragged
from pyptogen.sanitize.parser import parse
from pyptogen.sanitize.preprocess import tokens_of
from pyptogen.sanitize.program_order import findings as out_of_place
from pyptogen.sanitize.regions import EVERYWHERE
from pyptogen.sanitize.steps import whole
from pyptogen.sanitize.syntax import File, Function
from pyptogen.sanitize.targets import CORES, TARGETS
from pyptogen.sanitize.trace import LONGEST, TooLong, Trace

TRIPS = (0, 1, 2, 3)
LONGEST_IN_ORDER = 40_000
"""Statements of a walk for what is wrong in program order: of a causal loop the first of many blocks would see one
iteration, whose carried values nobody reads."""
LONGEST_BESIDE = 400_000
"""Instructions of a walk beside another one, which no loop may be cut short in; flags are judged in short ones."""
DECISIONS: tuple[Decisions, ...] = ("then", "else", "in turn")
FIXES = {
    "race": "set a flag after the earlier instruction and wait for it before this one",
    "hazard": "put `pipe_barrier(PIPE_V)` between the two",
    "double set": "wait for the flag before it is set again, or use another id",
    "deadlock": "set the flag before it is waited for, also where a loop runs zero times",
    "left over": "wait for the flag once more at the end",
    "unit flag": "let final products and final stores of a tile take turns, in loops and branches too",
    "fractals": "make the tile compact (TileAccCompact, TileLeftCompact, TileRightCompact), or valid as a whole",
    "overwritten": "give one of the two another address, or use the value before the other one is written",
    "unused": "give one of the two another address, or use the value before the other one is written",
    "unwritten": "write the tile first, or let it be the bytes of the tile that is meant",
    "in place": "give the result an address of its own",
    "askew": "let both begin at the same byte, or one lie within the other",
    "alignment": "give the tile an address that is",
    "mask": "put `set_mask_norm(); set_vector_mask(-1, -1);` at the beginning of the kernel's vector work",
    "cache": "put `dcci(static_cast<__gm__ void*>(0), cache_line_t::ENTIRE_DATA_CACHE);` first",
    "base": "call `set_ffts_base_addr` first, with the address that the launch passes",
    "extents": "give the valid extents that the tile and the other operands have",
}


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel of ``file`` (of a mixed one, where its cube program stands): ``instructions`` and ``flags`` of its
    longest walk, over ``walks`` walks; ``findings`` is empty when it is in order."""

    file: str
    name: str
    instructions: int
    flags: int
    walks: int
    findings: tuple[Diagnostic, ...]


def sanitize(
    path: str | os.PathLike[str], given: Mapping[str, int] | None = None, target: str = "a2a3"
) -> tuple[KernelReport, ...]:
    """Check every kernel of a C++ file; as `sanitize_files`, of one file."""
    return sanitize_files((path,), given, target=target)


def sanitize_files(
    paths: Sequence[str | os.PathLike[str]],
    given: Mapping[str, int] | None = None,
    refused: list[Diagnostic] | None = None,
    target: str = "a2a3",
) -> tuple[KernelReport, ...]:
    """Check every kernel of some C++ files; the two programs of a mixed kernel together, wherever they stand.

    Args:
        paths: the files.
        given: run-time arguments by name that are fixed; all others may be anything.
        refused: gets the faults of kernels that are not judged, so that all others are.
        target: the device, one of `TARGETS`.

    Raises:
        DiagnosticError: PTG218 ``target`` is none of them. Without ``refused`` PTG110 a file cannot be read, PTG306 it
            has constructs that are not followed, or no kernel, or one end only of a mixed kernel's fifos.
    """
    if target not in TARGETS:
        names = ", ".join(TARGETS)
        raise fault("PTG218", f"`{target}` has no flags to check", None, expected=f"one of: {names}")
    reports: list[KernelReport] = []
    halves: list[Half] = []
    for path in paths:
        try:
            found, of_mixed = _alone(os.fspath(path), given or {}, target)
        except DiagnosticError as error:
            _refuse(error, refused)
            continue
        reports += found
        halves += of_mixed
    together, left = pairs(halves)
    for half in left:
        if half.trace.pipes:
            _refuse(_one_end(half), refused)
        elif isinstance(half.program, _Kernel):
            reports.append(half.program.report())
    for cube, vector in together:
        try:
            reports.append(_mixed(cube, vector, target))
        except DiagnosticError as error:
            _refuse(error, refused)
    return tuple(reports)


def _refuse(error: DiagnosticError, refused: list[Diagnostic] | None) -> None:
    if refused is None:
        raise error
    refused += error.diagnostics


def _one_end(half: Half) -> DiagnosticError:
    return fault(
        "PTG306",
        f"`{half.program.label}` is one program of a mixed kernel, and the other is not here",
        half.program.span(),
        expected="a program of the same name and fifos for the other core",
        fix="name both files in one call",
    )


def _alone(name: str, given: Mapping[str, int], target: str) -> tuple[list[KernelReport], list[Half]]:
    """Kernels of one file that need nobody beside them, and the programs of those that do."""
    found: dict[str, KernelReport] = {}
    halves: list[Half] = []
    for core in CORES:
        program = parse(tokens_of(name, TARGETS[target].macros(core)))
        for label, function, arguments in kernels_of(program, core, target):
            kernel = _Kernel(program, function, arguments, core, given, label, target)
            first = kernel.walk(1, "then")
            if first.fifos or first.pipes:
                halves.append(Half(kernel, first))
                continue
            report = kernel.report()
            before = found.get(label)
            if before is None or report.instructions > before.instructions or report.findings:
                found[label] = report
    split = {half.program.label for half in halves}
    if not found and not halves:
        raise fault(
            "PTG306",
            "no kernel in this file",
            Span(name, 1, 1, 1, 1),
            expected="a function that is marked `__global__`, or a template with explicit instances",
        )
    return [report for label, report in found.items() if label not in split or report.instructions], halves


def _mixed(cube: Half, vector: Half, target: str) -> KernelReport:
    """Both programs of a mixed kernel, each by itself and what passes between them."""
    sides = cube.program, vector.program
    found: dict[Any, Diagnostic] = {}
    most, walked = (0, 0), 0
    slots = {**cube.trace.pipes, **vector.trace.pipes}
    for first, *vectors in walks(*sides, slots):
        walked += 1
        counts = [trace.counts() for trace in (first, vectors[0])]
        most = max(most, (counts[0][0] + counts[1][0], counts[0][1] + counts[1][1]))
        vectors = vectors[:1] if vectors[0].like(vectors[-1]) else vectors
        programs = [(sides[0], first), *((sides[1], trace) for trace in vectors)]
        own = [d for side, t in programs if len(t.nodes) <= LONGEST for d in _judge(t, side.label, side.span(), target)]
        known = bool(slots) or not any(trace.forced or trace.decided for _, trace in programs)
        between = [*out_of_step(vectors, sides[1].span())] if known else []
        for trace in vectors if known else ():
            if trace.fifos or trace is vectors[0]:
                between += findings(first, trace, (sides[0].span(), sides[1].span()))
        for diagnostic in (*own, *between):
            found.setdefault(_place(diagnostic), diagnostic)
    for diagnostic in (d for side in sides for d in side.in_program_order()):
        found.setdefault(_place(diagnostic), diagnostic)
    labels = dict.fromkeys(side.label for side in sides)
    return KernelReport(sides[0].span().file, " beside ".join(labels), *most, walked, _in_order(found.values()))


def _judge(trace: Trace, label: str, span: Span, target: str) -> list[Diagnostic]:
    """What is wrong in one walk of one program."""
    return [*_too_large(trace, target), *(_diagnostic(f) for f in trace.findings(label, span, target))]


def _place(diagnostic: Diagnostic) -> tuple[str, str, int, int]:
    """What makes two findings the same."""
    earlier = diagnostic.notes[0][1] if diagnostic.notes else None
    file, line = (diagnostic.span.file, diagnostic.span.line) if diagnostic.span else ("", 0)
    return diagnostic.message.split(":")[0], file, line, earlier.line if earlier else 0


def _in_order(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(found, key=lambda d: (d.span.file, d.span.line, d.span.col) if d.span else ("", 0, 0)))


def kernels_of(program: File, core: str, target: str) -> Iterator[tuple[str, Function, tuple[Any, ...]]]:
    """Kernels that need no template arguments, and the instances that the file asks for."""
    by_name = {function.name: function for function in program.functions}
    for function in program.functions:
        if function.kernel and not function.template:
            yield function.name, function, ()
    seen: set[str] = set()
    for instance in program.instantiations:
        launched = by_name.get(instance.name.path[-1])
        if launched is None and instance.name.path[-1] in program.refused:
            raise program.refused[instance.name.path[-1]]
        if launched is None or instance.name.arguments is None:
            continue
        machine = Machine(program, 1, "then", 1, {}, core, target)
        machine.open()
        arguments = tuple(machine.value(argument) for argument in instance.name.arguments)
        label = f"{launched.name}<{', '.join(_shown(a) for a in arguments)}>"
        if label not in seen:
            seen.add(label)
            yield label, launched, arguments


def _shown(argument: Any) -> str:
    return str(getattr(argument, "name", argument))


@dataclass(frozen=True, slots=True)
class _Kernel:
    program: File
    function: Function
    arguments: tuple[Any, ...]
    core: str
    given: Mapping[str, int]
    label: str
    target: str

    def span(self) -> Span:
        """Where its name stands."""
        return self.function.token.span

    def report(self) -> KernelReport:
        """All walks of one kernel; where a free one finds something, walks with numbers if they tell more."""
        free = list(self._walks())
        found = self._judged(free)
        if found and any(trace.decided for trace in free):
            exact = [self.walk(1, "then", given) for given in numbers(whole(self.function, self.program), self.given)]
            ways = {way for trace in exact for way in trace.outcomes}
            known = not any(trace.forced or trace.decided for trace in exact)
            if known and all(trace.outcomes <= ways for trace in free):
                free, found = exact, self._judged(exact)
        most = max(trace.counts() for trace in free)
        found = _in_order({_place(d): d for d in (*self.in_program_order(), *found)}.values())
        return KernelReport(self.function.token.file, self.label, *most, len(free), found)

    def in_program_order(self) -> tuple[Diagnostic, ...]:
        """What is wrong with a walk of some iterations though one instruction ends before the next begins."""
        for given in ragged(whole(self.function, self.program), self.given):
            trace = Trace(most=LONGEST_IN_ORDER)
            machine = Machine(self.program, 1, "then", 1 << 20, given, self.core, self.target, trace)
            try:
                trace = machine.run(self.function, self.arguments)
            except TooLong:
                continue
            return tuple(_diagnostic(finding) for finding in out_of_place(trace))
        return ()

    def _judged(self, traces: Iterable[Trace]) -> tuple[Diagnostic, ...]:
        found: dict[Any, Diagnostic] = {}
        for trace in traces:
            for diagnostic in _judge(trace, self.label, self.span(), self.target):
                found.setdefault(_place(diagnostic), diagnostic)
        return _in_order(found.values())

    def _walks(self) -> Iterator[Trace]:
        """Walks for every number of iterations and every way of deciding; one where nothing is unknown."""
        for trips in TRIPS:
            forced = False
            for decisions in DECISIONS:
                trace = self.walk(trips, decisions)
                forced = forced or trace.forced
                yield trace
                if not trace.decided:
                    break
            if not forced:
                return

    def walk_with(self, given: Mapping[str, int]) -> Trace:
        """One walk with these arguments; what still hangs on the call is taken once."""
        trace = Trace(most=LONGEST_BESIDE)
        machine = Machine(self.program, 1, "then", 1 << 20, given, self.core, self.target, trace, reads_much=True)
        try:
            return machine.run(self.function, self.arguments)
        except TooLong:
            raise self._too_long() from None

    def walk(self, trips: int, decisions: Decisions, given: Mapping[str, int] | None = None) -> Trace:
        """One walk, with these arguments besides; loops of known length are cut short where it would become too
        long."""
        for longest in (1 << 20, 16, 8, 4, 2):
            machine = Machine(self.program, trips, decisions, longest, given or self.given, self.core, self.target)
            try:
                return machine.run(self.function, self.arguments)
            except TooLong:
                continue
        raise self._too_long()

    def _too_long(self) -> DiagnosticError:
        what = f"`{self.label}` is too long to be replayed"
        return fault("PTG306", what, self.span(), expected="shorter loops")


def _too_large(trace: Trace, target: str) -> Iterator[Diagnostic]:
    """Tiles that leave their memory."""
    for node in trace.nodes:
        for region in (r for part in trace.accessed.get(id(node), ()) for r in part):
            room = TARGETS[target].capacity.get(region.memory)
            if room is not None and room < region.end != EVERYWHERE:
                yield Diagnostic(
                    "PTG301",
                    f"capacity: {region.memory} 0x{region.start:05x}..0x{region.end:05x} leaves its {room} bytes",
                    node.span,
                    expected=f"tiles below 0x{room:05x}",
                    fix="give the tile a lower address, or make it smaller",
                )


def _diagnostic(finding: Finding) -> Diagnostic:
    earlier = finding.put_by if finding.earlier is None else finding.earlier.instr
    notes = () if earlier is None else ((f"the earlier {earlier.name}", earlier.span),)
    return Diagnostic(
        "PTG305", f"{finding.kind}: {finding.text}", finding.span, fix=FIXES.get(finding.kind, ""), notes=notes
    )


__all__ = ["DiagnosticError", "KernelReport", "sanitize", "sanitize_files"]
