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

    def play(nodes: Outline, trips: int, turn: int, turns: int) -> list[Event]:
        found: list[Event] = []
        for node in nodes:
            if not isinstance(node, Iterations):
                found.append(node)
                continue
            iterations = trips if node.most is None else min(node.most, parts)
            iterations = iterations if node.ahead is None else int(0 <= turn + node.ahead < turns)
            if any(isinstance(inside, Iterations) and inside.ahead is not None for inside in node.body):
                for n in range(-node.distance, iterations):
                    found += play(node.body, inner, n, iterations)
            elif node.distance + iterations > 0:  # each iteration does the same
                found += play(node.body, inner, 0, iterations) * (node.distance + iterations)
        return found

    return play(outline, trips, 0, 1)


@lru_cache(maxsize=1024)
def first_fault(cube: Outline, vector: Outline, slots: tuple[tuple[str, int], ...]) -> str | None:
    """What goes wrong between two programs for some trip counts, from 0 to two more than fill a fifo; None if nothing
    does. Tile sizes do not matter to it, so most of the programs that are asked about are alike."""
    longest = max((count for _, count in slots), default=0)
    nested = any(_is_nested(node) for node in (*cube, *vector))
    for part in range(1, most_parts((*cube, *vector)) + 1):
        most = longest // part + 2
        for trips in range(most + 1):
            for inner in range(most + 1) if trips and nested else (0,):
                wrong = together(played(cube, trips, inner, part), played(vector, trips, inner, part), dict(slots))
                if wrong:
                    return f"{wrong[0][0]} (loops of {trips}, within them {inner} iterations)"
    return None


def _is_nested(node: Event | Iterations) -> bool:
    """Whether it is a loop with loops within."""
    return isinstance(node, Iterations) and any(isinstance(inside, Iterations) for inside in node.body)


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


class _Fifo:
    """One fifo: how many of its slots were claimed, filled, popped and freed, and words about freed ones that nobody
    waited for yet."""

    __slots__ = ("claimed", "filled", "freed", "name", "period", "popped", "slots", "words")

    def __init__(self, name: str, slots: int) -> None:
        self.name, self.slots, self.period = name, slots, period(slots)
        self.claimed = self.filled = self.popped = self.freed = self.words = 0

    def claim(self) -> bool:
        """Whether the producer need not wait, for a word about a period of slots; the slot is taken then."""
        if self.claimed >= self.slots and self.claimed % self.period == 0:
            if not self.words:
                return False
            self.words -= 1
        self.claimed += 1
        return True

    def free(self) -> None:
        self.freed += 1
        if self.freed % self.period == 0:
            self.words += 1

    def fault(self, what: str) -> str | None:
        """What is wrong with an event before it happens, or with a claim that was made."""
        if what in ("load", "free"):
            held = self.popped - self.freed
            return None if held == 1 else f"{what} of {self.name} with {held} slots popped"
        if what in ("store", "fill"):
            claimed = self.claimed - self.filled
            return None if claimed == 1 else f"{what} of {self.name} with {claimed} slots claimed"
        if what == "claim" and self.claimed - self.freed > self.slots:
            return f"push to {self.name} into a slot that was not freed"
        return None


class _Both:
    """Fifos and flags between two programs."""

    def __init__(self, slots: Mapping[str, int]) -> None:
        self.fifos = {name: _Fifo(name, count) for name, count in slots.items()}
        self.signals: dict[str, int] = {}
        self.found: list[tuple[str, int, int]] = []

    def run(self, side: int, events: Sequence[Event], begin: int) -> int:
        """Lets the events of one side happen from number ``begin`` on; the number of the first that has to wait."""
        fifos, signals = self.fifos, self.signals
        for at in range(begin, len(events)):
            what, name = events[at]
            if what == "signal":
                signals[name] = signals.get(name, 0) + 1
                continue
            if what == "await":
                if not signals.get(name, 0):
                    return at
                signals[name] -= 1
                continue
            fifo = fifos[name]
            if (what == "claim" and not fifo.claim()) or (what == "pop" and fifo.filled <= fifo.popped):
                return at
            fault = fifo.fault(what)
            if fault:
                self.found.append((fault, side, at))
            if what == "fill":
                fifo.filled += 1
            elif what == "pop":
                fifo.popped += 1
            elif what == "free":
                fifo.free()
        return len(events)


def together(first: Sequence[Event], second: Sequence[Event], slots: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """What goes wrong between two programs whose events these are: the text, which of them, and the number of its
    event. Of a deadlock, the first program's; of what is left in a fifo, the number behind the last event."""
    both, sides, at, moved = _Both(slots), (first, second), [0, 0], True
    while moved:
        begun = list(at)
        at = [both.run(side, sides[side], begun[side]) for side in (0, 1)]
        moved = at != begun
    stuck = [side for side in (0, 1) if at[side] < len(sides[side])]
    if stuck:
        waits = [f"{sides[side][at[side]][0]} of {sides[side][at[side]][1]}" for side in stuck]
        return [*both.found, (f"deadlock: {' against '.join(waits)}", stuck[0], at[stuck[0]])]
    left = [fifo.name for fifo in both.fifos.values() if fifo.claimed != fifo.freed]
    return [*both.found, *((f"{name} is not empty at the end", 0, len(first)) for name in left)]
