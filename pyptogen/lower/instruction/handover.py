"""Accumulators that the matrix unit hands to the fixpipe by unit flags: each block of L0C has one.

A product with a phase waits until the flags of its blocks are clear, a final one sets them; a final store waits until
they are set, and clears them as it reads. So both orders between a product and a store of exactly the same bytes are
the hardware's: the store comes after the product before it, the next product after that store. Nobody else learns
anything of either. One that finds the flags otherwise waits for ever: products and stores have to take turns.
"""

from __future__ import annotations

from typing import Literal

from pyptogen.records import dataclass

Place = tuple[int, int]
"""Bytes of L0C: the first one, and the one behind the last."""
FlagAction = Literal["look", "set", "await", "clear"]


@dataclass(frozen=True, slots=True)
class Handover:
    """What an instruction does to the flags of a place: a product looks whether they are clear, a final one sets them;
    a store awaits that they are set, a final one clears them. ``loops``: as of `ir.Phase`."""

    place: Place
    does: FlagAction
    loops: int = 0


class UnitFlags:
    """The places of one core whose flags are set, in a walk."""

    def __init__(self) -> None:
        self.set: set[Place] = set()

    def wrong(self, handover: Handover, last: bool) -> str | None:
        """One instruction, in program order; what it waits for in vain. ``last``: all loops that `Handover.loops`
        counts are in their last iterations."""
        place = handover.place
        if handover.does in ("await", "clear"):
            if place not in self.set:
                return "waits for a final product of the same tile, and there is none"
            if handover.does == "clear":
                self.set.discard(place)
            return None
        start, end = place
        if self.set and any(start < other_end and other < end for other, other_end in self.set):
            return "waits for a final store of the tile before it, and there is none"
        if last and handover.does == "set":
            self.set.add(place)
        return None


def at_end(loops: int, ends: list[bool]) -> bool:
    """Whether so many of the innermost loops are in their last iterations; ``ends`` says it of all loops around."""
    return loops == 0 or all(ends[-loops:])


__all__ = ["FlagAction", "Handover", "Place", "UnitFlags", "at_end"]
