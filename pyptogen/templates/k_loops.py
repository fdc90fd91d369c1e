"""Which steps of a K loop are its last one, as C++ asks it: only where that is not known at build time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import For

Known = Literal["Partial", "Final", ""]


@dataclass(frozen=True, slots=True)
class KLoopEnds:
    """The phases of the first step and of the others, as far as they are always the same; ``more``: the condition that
    a step is not the last one."""

    first: Known
    other: Known
    more: str


def k_loop_ends(loops: Sequence[For]) -> KLoopEnds:
    """Of a K loop that is these loops, the outermost first."""
    trips = [_trips(loop) for loop in loops]
    least = prod(count or 1 for count in trips)
    first: Known = "Partial" if least > 1 else "" if None in trips else "Final"
    return KLoopEnds(first, "Final" if least <= 2 and None not in trips else "", _more(loops))


def _trips(loop: For) -> int | None:
    extent = (loop.stop - loop.start).constant
    return None if extent is None else -(-extent // loop.step)


def _more(loops: Sequence[For]) -> str:
    """Where a loop goes over the tile of the one around it, both count the same elements."""
    found, at, stop, before = list[str](), Poly.of(0), loops[0].stop, loops[0]
    for loop in loops:
        if loop is not before and not _goes_over(loop, before):
            found.append(f"{(at + before.step).c()} < {stop.c()}")
            at, stop = Poly.of(0), loop.stop
        at, before = at + loop.var, loop
    return " || ".join([*found, f"{(at + before.step).c()} < {stop.c()}"])


def _goes_over(inner: For, outer: For) -> bool:
    whole = Poly.of(outer.step) if outer.valid is None else Poly.of(outer.valid)
    return inner.stop - inner.start == whole and inner.start == Poly.of(0)
