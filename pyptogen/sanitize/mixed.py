"""The cube and the vector program of a mixed kernel, walked with the same arguments and replayed side by side.

How often a push and its pop come hangs on the call, so both walks are given numbers for all scalar arguments: each in
turn from one element to a few more tiles than a fifo holds, while the others stand at one tile; and all at 0, 2 and 3
tiles. A tile is what the loops that hang on the argument step on by (`steps`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Protocol

from pyptogen.diagnostics import Diagnostic, Span
from pyptogen.lower.instruction.fifos import protects, together
from pyptogen.records import dataclass
from pyptogen.sanitize.numbers import FIRST, FIXED, usual
from pyptogen.sanitize.steps import compared, steps, whole
from pyptogen.sanitize.syntax import File, Function
from pyptogen.sanitize.trace import Trace

_STEMS = re.compile(r"_(cube|vec|vector|aic|aiv)$")


class Program(Protocol):
    """One program: a kernel of one file, seen as one core does."""

    @property
    def label(self) -> str: ...

    @property
    def core(self) -> str: ...

    @property
    def program(self) -> File: ...

    @property
    def function(self) -> Function: ...

    @property
    def given(self) -> Mapping[str, int]: ...

    def span(self) -> Span:
        """Where its name stands."""
        ...

    def walk_with(self, given: Mapping[str, int]) -> Trace:
        """One walk with these arguments."""
        ...

    def in_program_order(self) -> tuple[Diagnostic, ...]:
        """What is wrong with one walk of it though one instruction ends before the next begins."""
        ...


@dataclass(frozen=True, slots=True)
class Half:
    """A program that has fifos, and one of its walks."""

    program: Program
    trace: Trace

    @property
    def stem(self) -> str:
        """The name without the word for its core."""
        return _STEMS.sub("", self.program.label)


def pairs(halves: Sequence[Half]) -> tuple[list[tuple[Half, Half]], list[Half]]:
    """Cube and vector halves of the same name and fifos; and those that nobody is beside of."""
    found, alone = [], [half for half in halves if half.program.core == "VEC"]
    left = []
    for cube in (half for half in halves if half.program.core == "CUBE"):
        fitting = [half for half in alone if half.stem == cube.stem and half.trace.pipes == cube.trace.pipes]
        if fitting:
            alone.remove(fitting[0])
            found.append((cube, fitting[0]))
        else:
            left.append(cube)
    return found, [*left, *alone]


def walks(cube: Program, vector: Program, slots: Mapping[str, int]) -> Iterator[tuple[Trace, ...]]:
    """Walks of both with the same arguments: the cube core's, and the vector core's, or those of both vector cores
    where their program asks which of them it runs on."""
    names = list(
        dict.fromkeys(p.name for side in (cube, vector) for p in side.function.parameters if p.name and not p.pointer)
    )
    functions = [whole(side.function, side.program) for side in (cube, vector)]
    sides = [steps(function, names, FIXED) for function in functions]
    step = {name: max(side.get(n, 1) for side in sides for n in (name, f"{name}_end")) for name in names}
    asked = [compared(function, names) for function in functions]
    near = {name: [*dict.fromkeys(value for side in asked for value in side[name])] for name in names}
    base = {name: usual(name, step[name], near[name]) for name in names} | FIXED
    most = max(slots.values(), default=1) + 2

    def both(given: Mapping[str, int]) -> tuple[Trace, ...]:
        """Walks where the end of a range of a dim is the dim."""
        ends = {name: given[name.removesuffix("_end")] for name in given if name.removesuffix("_end") in names}
        given = {**given, **ends, **cube.given}
        first = vector.walk_with({"get_subblockid": 0, **given})
        second = (vector.walk_with({"get_subblockid": 1, **given}),) if first.by_core else ()
        return cube.walk_with(given), first, *second

    first = both(base)
    yield first
    free = [name for name in names if name not in FIXED and not FIRST.fullmatch(name)]
    for name in free:
        long = both({**base, name: most * step[name]})
        if all(_alike(a, b) for a, b in zip(long, first, strict=True)):
            continue  # no loop hangs on it
        yield long
        for value in dict.fromkeys((1, *(trips * step[name] for trips in range(1, most)), *near[name])):
            yield both({**base, name: value})
    for trips in (0, 2, 3):
        yield both({**base, **{name: trips * step[name] for name in free}})


def _alike(a: Trace, b: Trace) -> bool:
    return len(a.nodes) == len(b.nodes) and [e[:2] for e in a.fifos] == [e[:2] for e in b.fifos]


def findings(cube: Trace, vector: Trace, spans: tuple[Span, Span]) -> Iterator[Diagnostic]:
    """What goes wrong between the two. ``spans``: the names of the programs."""
    slots = {**cube.pipes, **vector.pipes}
    for fifo, count in slots.items():
        if not protects(count):
            yield _fifo_fault(
                f"race: {fifo} has {count} slots, which a device frees in batches that leave some of them unprotected",
                spans[0],
                "a fifo of 1, 2, 3 slots or an even number",
            )
    sides = cube.fifos, vector.fifos
    for text, side, number in together([e[:2] for e in sides[0]], [e[:2] for e in sides[1]], slots):
        place = sides[side][number][2] if number < len(sides[side]) else spans[side]
        kind = "deadlock" if text.startswith("deadlock") else "left over" if "not empty" in text else "race"
        yield _fifo_fault(text if kind == "deadlock" else f"{kind}: {text}", place, _FIXES[kind])


_FIXES = {
    "deadlock": "let both programs push and pop equally often, in an order in which one of them can always go on",
    "step": "let both vector cores push, pop and free every tile, also one of which they have no rows",
    "left over": "pop and free as many tiles as are pushed",
    "race": "load between TPOP and TFREE, store between TALLOC and TPUSH",
}


def out_of_step(vectors: Sequence[Trace], span: Span) -> Iterator[Diagnostic]:
    """Where the second vector core does not push, pop and free what the first does, in the same order. One that has no
    part in the fifos is left out. ``span``: the name of their program."""
    first, *others = (trace.fifos for trace in vectors)
    for second in others:
        pairs = zip_longest(first, second)
        apart = next(((a, b) for a, b in pairs if (a and a[:2]) != (b and b[:2])), None) if second else None
        if apart is not None:
            place = next((event[2] for event in apart if event is not None), span)
            what = " against ".join("nothing" if event is None else f"{event[0]} of {event[1]}" for event in apart)
            yield _fifo_fault(f"deadlock: the two vector cores do not keep step: {what}", place, _FIXES["step"])


def _fifo_fault(text: str, span: Span, fix: str) -> Diagnostic:
    return Diagnostic("PTG305", text, span, fix=fix)
