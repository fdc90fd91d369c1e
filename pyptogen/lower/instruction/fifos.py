"""The fifos between the two programs of a mixed kernel, as the device keeps them; both programs replayed side by side.

A producer does not ask for each slot: the consumer tells of freed slots in batches of a period (all slots of a fifo of
one or two, half of them of a longer one), and the producer waits for such a word only where the number of its tile is a
multiple of the period (TPipe of the public A2/A3 headers). So a fifo protects its slots only if its length is a
multiple of its period: `protects`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pyptogen.records import dataclass

Event = tuple[str, str]
"""What happens, and to which fifo: claim (of a free slot), store (into it), fill (it is handed over), pop, load (from
the popped slot), free; or to which flag between the cores: signal, await."""


@dataclass(frozen=True, slots=True)
class Iterations:
    """A loop, for what its body does to fifos. ``ahead``, of a stage of a software pipeline: how many iterations its
    work is ahead of the loop around; ``distance``, of the pipeline: the most of its stages, and how many iterations it
    has more than its work. ``most``, of a loop over parts of a tile: how many the largest tile has."""

    body: tuple[Event | Iterations, ...]
    ahead: int | None = None
    distance: int = 0
    most: int | None = None


Outline = tuple[Event | Iterations, ...]
"""What a program does to its fifos: events, and loops of them."""


def played(outline: Outline, trips: int, inner: int, parts: int = 1) -> list[Event]:
    """The events of a program, with ``trips`` iterations of outer loops, ``inner`` ones of loops within, and ``parts``
    of loops over parts of a tile, as far as it has so many."""
    found: list[Event] = []

    def play(nodes: Outline, trips: int, turn: int, turns: int) -> None:
        for node in nodes:
            if not isinstance(node, Iterations):
                found.append(node)
                continue
            iterations = trips if node.most is None else min(node.most, parts)
            iterations = iterations if node.ahead is None else int(0 <= turn + node.ahead < turns)
            for n in range(-node.distance, iterations):
                play(node.body, inner, n, iterations)

    play(outline, trips, 0, 1)
    return found


@lru_cache(maxsize=1024)
def first_fault(cube: Outline, vector: Outline, slots: tuple[tuple[str, int], ...]) -> str | None:
    """What goes wrong between two programs for some trip counts, from 0 to two more than fill a fifo; None if nothing
    does. Tile sizes do not matter to it, so most of the programs that are asked about are alike."""
    longest = max((count for _, count in slots), default=0)
    for part in range(1, most_parts((*cube, *vector)) + 1):
        most = longest // part + 2
        for trips in range(most + 1):
            for inner in range(most + 1) if trips else (0,):
                wrong = together(played(cube, trips, inner, part), played(vector, trips, inner, part), dict(slots))
                if wrong:
                    return f"{wrong[0][0]} (loops of {trips}, within them {inner} iterations)"
    return None


def most_parts(outline: Outline) -> int:
    """The most parts of a tile that a loop in a program has; 1 where none goes over parts."""
    loops = [node for node in outline if isinstance(node, Iterations)]
    return max((max(node.most or 1, most_parts(node.body)) for node in loops), default=1)


def period(slots: int) -> int:
    """Freed slots of a fifo that its consumer tells of at once."""
    return slots if slots <= 2 else slots // 2


def protects(slots: int) -> bool:
    """Whether no slot of such a fifo can be filled again before it was freed."""
    return slots % period(slots) == 0


class Fifos:
    """Slots of all fifos, and words about freed ones that nobody waited for yet."""

    def __init__(self, slots: Mapping[str, int]) -> None:
        self.slots = slots
        self.claimed = dict.fromkeys(slots, 0)
        self.filled = dict.fromkeys(slots, 0)
        self.popped = dict.fromkeys(slots, 0)
        self.freed = dict.fromkeys(slots, 0)
        self.words = dict.fromkeys(slots, 0)
        self.signals: dict[str, int] = {}

    def _asks(self, fifo: str) -> bool:
        """Whether the producer waits for a word before its next tile."""
        number, slots = self.claimed[fifo], self.slots[fifo]
        return number >= slots and number % period(slots) == 0

    def ready(self, event: Event) -> bool:
        """Whether nothing has to be waited for."""
        what, name = event
        if what == "claim":
            return not self._asks(name) or self.words[name] > 0
        if what == "await":
            return self.signals.get(name, 0) > 0
        return what != "pop" or self.filled[name] > self.popped[name]

    def take(self, event: Event) -> str | None:
        """Let it happen; what is wrong with it, if anything."""
        what, name = event
        if what in ("signal", "await"):
            self.signals[name] = self.signals.get(name, 0) + (1 if what == "signal" else -1)
            return None
        fault = self._fault(what, name)
        if what == "claim":
            self.words[name] -= int(self._asks(name))
            self.claimed[name] += 1
        elif what == "fill":
            self.filled[name] += 1
        elif what == "pop":
            self.popped[name] += 1
        elif what == "free":
            self.freed[name] += 1
            self.words[name] += int(self.freed[name] % period(self.slots[name]) == 0)
        return fault

    def _fault(self, what: str, fifo: str) -> str | None:
        held, claimed = self.popped[fifo] - self.freed[fifo], self.claimed[fifo] - self.filled[fifo]
        if what in ("load", "free") and held != 1:
            return f"{what} of {fifo} with {held} slots popped"
        if what in ("store", "fill") and claimed != 1:
            return f"{what} of {fifo} with {claimed} slots claimed"
        if what == "claim" and self.claimed[fifo] - self.freed[fifo] >= self.slots[fifo]:
            return f"push to {fifo} into a slot that was not freed"
        return None

    def left(self) -> list[str]:
        """Fifos that are not empty."""
        return [fifo for fifo in self.slots if self.claimed[fifo] != self.freed[fifo]]


def together(first: Sequence[Event], second: Sequence[Event], slots: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """What goes wrong between two programs whose events these are: the text, which of them, and the number of its
    event. Of a deadlock, the first program's; of what is left in a fifo, the number behind the last event."""
    fifos = Fifos(slots)
    found: list[tuple[str, int, int]] = []
    sides, at = (first, second), [0, 0]
    moved = True
    while moved:
        moved = False
        for side, sequence in enumerate(sides):
            while at[side] < len(sequence) and fifos.ready(sequence[at[side]]):
                fault = fifos.take(sequence[at[side]])
                found += [(fault, side, at[side])] if fault else []
                at[side] += 1
                moved = True
    stuck = [side for side in (0, 1) if at[side] < len(sides[side])]
    if stuck:
        waits = [f"{sides[side][at[side]][0]} of {sides[side][at[side]][1]}" for side in stuck]
        return [*found, (f"deadlock: {' against '.join(waits)}", stuck[0], at[stuck[0]])]
    return [*found, *((f"{fifo} is not empty at the end", 0, len(first)) for fifo in fifos.left())]
