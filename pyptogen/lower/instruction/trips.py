"""How often the loops of a kernel run in a replay: the trip counts under which a kernel has to hold."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.instruction.ir import For, InstrKernel, Node, walk
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Trips:
    """Iterations of the loops of a walk: ``counts`` by how many loops stand around them, the last for all deeper ones
    too. ``early``: loops that end early, at the last block that a row sees, or whose iterations have a condition, have
    no iteration at all; ``single``: tiles have one row, so that loops over those behind the first have none."""

    counts: tuple[int, ...]
    early: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop, and what of it says how often it runs: looked up once, and asked in every iteration around it."""

    loop: For
    distance: int
    ends_early: bool
    behind_first: bool

    @staticmethod
    def of(loop: For) -> Counted:
        return Counted(loop, loop.distance, ends_early(loop), is_behind_first(loop))

    def work(self, trips: Trips, depth: int) -> int:
        """Iterations with ``depth`` loops around; of a software pipeline, those that have all of its work: as many less
        than none as its first stage is ahead, where not even the first one's begins."""
        if (trips.early and self.ends_early) or (trips.single and self.behind_first):
            return -self.distance
        return trips.counts[min(depth, len(trips.counts) - 1)]

    def iterations(self, trips: Trips, depth: int, turn: tuple[str, int, int]) -> int:
        """Iterations in a walk, with ``depth`` loops around, in iteration ``turn`` of the innermost of them (its
        variable, and of its work the number of this iteration and of all). A software pipeline has more than its
        work."""
        if self.loop.once:
            return int(self.loop.runs(*turn))
        return self.work(trips, depth) + self.distance

    def turn(self, n: int, trips: int) -> tuple[str, int, int]:
        """Iteration number ``n`` of ``trips`` as the loops in it count: by the loop's work."""
        return self.loop.var, n - self.distance, trips - self.distance


def ends_early(node: For) -> bool:
    """Whether a loop may have no iteration where the loop around it runs, as it ends early or leaves iterations out."""
    return (node.before is not None or node.only is not None) and not node.once


def is_behind_first(node: For) -> bool:
    """Whether a loop goes over so many rows less than a tile has at run time."""
    extent = node.stop - node.start
    return extent.constant is None and extent.evaluate(dict.fromkeys(extent.names(), 0)) < 0


def deepest(kernel: InstrKernel) -> int:
    """Most copies of any buffer."""
    return max((n.slots for n in walk(kernel.body) if isinstance(n, For)), default=1)


def _depth(nodes: Sequence[Node]) -> int:
    """Most loops within each other."""
    return max(((not n.once) + _depth(n.body) for n in nodes if isinstance(n, For)), default=0)


def trip_counts(kernel: InstrKernel) -> list[Trips]:
    """Trip counts under which a kernel has to hold: every number up to one more than the deepest buffer has copies (of
    a software pipeline, to as many more as its first stage is ahead: then all of its stages run side by side), for all
    loops alike, for those within others, and for the loops of one depth alone. A loop within one that runs does run
    (its extent is a tile's, or a dim's, or a share that no launch leaves empty), but one that ends early may not, nor
    one whose iterations are left out, nor one over the rows behind the first. An iteration that is left out accesses
    nothing and does not count: it is as none."""
    loops = [n for n in walk(kernel.body) if isinstance(n, For)]
    most = deepest(kernel) + max((1, *(loop.distance for loop in loops)))
    found: list[tuple[int, ...]] = [(n,) for n in (most, *range(most), most + 1)]
    depth = _depth(kernel.body)
    for around in range(1, depth):
        found += [(most,) * around + (n,) for n in range(1, most)]
    for around in range(1, depth - 1):
        found += [(most,) * around + (n, most) for n in range(1, most)]
    early, single = any(map(ends_early, loops)), any(map(is_behind_first, loops))
    none = [(e, s) for e in sorted({False, early}) for s in sorted({False, single}) if e or s]
    return [*(Trips(counts) for counts in found), *(Trips((n,), *which) for which in none for n in range(1, most + 1))]
