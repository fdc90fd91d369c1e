"""Addresses for blocks of bytes that live at the same time: first fit, and an exact search where that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyptogen.records import dataclass

SEARCH_WORK = 1_000_000
"""Block updates that a search may spend: about half a second, whatever the number of blocks."""


@dataclass(frozen=True, slots=True)
class Block:
    """``size`` bytes that are taken from tick ``first`` to tick ``last``."""

    name: str
    size: int
    first: int
    last: int

    def meets(self, other: Block) -> bool:
        return self.first <= other.last and other.first <= self.last

    def replaces(self, other: Block) -> bool:
        """Whether this is a result that may take the place of its operand ``other``: results that may are live from
        their odd tick, the operand until the even one before."""
        return self.first % 2 == 1 and other.last == self.first - 1


def first_fit(blocks: Sequence[Block], step: int) -> dict[str, int]:
    """The lowest address for one block after another, in the order in which they come to life."""
    found: dict[str, int] = {}
    placed: list[tuple[Block, int]] = []
    for block in sorted(blocks, key=lambda b: (b.first, -b.last)):
        placed = [(b, at) for b, at in placed if b.last >= block.first - 1]  # no later one meets the others
        beside = [(b, at) for b, at in placed if b.meets(block)]
        dying = [(b, at) for b, at in placed if block.replaces(b)]
        found[block.name] = _lowest(beside, dying, block.size, step)
        placed.append((block, found[block.name]))
    return found


def _lowest(beside: list[tuple[Block, int]], dying: list[tuple[Block, int]], size: int, step: int) -> int:
    """Lowest address with ``size`` free bytes between the blocks that are live at the same time. Operands that die in
    the instruction that makes the block are free too, but only as a whole: shifted by some bytes, the result would
    overwrite elements that are still to be read."""

    taken = [(at, at + b.size, False) for b, at in beside] + [(at, at + b.size, True) for b, at in dying]

    def fits(address: int) -> bool:
        end = address + size
        for first, last, dies in taken:
            if address < last and first < end and not (dies and first == address):
                return False
        return True

    starts = {0, *(-(-last // step) * step for _, last, _ in taken), *(at for _, at in dying)}
    return next(filter(fits, sorted(starts)))


def chains(blocks: Sequence[Block]) -> dict[str, str]:
    """By name the block that begins its chain: a result joins the operand of its size whose place it may take."""
    head = {b.name: b.name for b in blocks}
    taken: set[str] = set()
    for block in sorted(blocks, key=lambda b: b.first):
        for other in blocks:
            if block.replaces(other) and other.size == block.size and other.name not in taken:
                head[block.name] = head[other.name]
                taken.add(other.name)
                break
    return head


def joined(blocks: Sequence[Block], head: Mapping[str, str]) -> list[Block]:
    """One block for every chain, live from its first tick to its last, beside the operands that it does not join."""
    first: dict[str, Block] = {}
    for block in blocks:
        name = head[block.name]
        sofar = first.get(name, block)
        first[name] = Block(name, block.size, min(sofar.first, block.first), max(sofar.last, block.last))
    return disjoint(list(first.values()))


def disjoint(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with every result beside the operands that it might replace."""
    return [Block(b.name, b.size, b.first - b.first % 2, b.last) for b in blocks]


def search(blocks: Sequence[Block], capacity: int, work: int = SEARCH_WORK) -> dict[str, int] | None:
    """Addresses below ``capacity`` if there are any, found by branch and bound; None also where ``work`` ran out.

    Every packing can be pushed down until each block lies on the floor or on others, and then be built in the order of
    addresses. So the search only decides which block comes next, at the lowest address that the blocks so far leave it.
    It gives up a branch when the blocks to come do not fit above this address at some time, and does not try a block
    that leaves room for another one below it.
    """
    if _most_at_a_time(blocks) > capacity:
        return None
    return _Search(blocks, capacity, work).run()


def _most_at_a_time(blocks: Sequence[Block]) -> int:
    """The most bytes that are taken at one tick."""
    changes: dict[int, int] = {}
    for block in blocks:
        changes[block.first] = changes.get(block.first, 0) + block.size
        changes[block.last + 1] = changes.get(block.last + 1, 0) - block.size
    most = now = 0
    for tick in sorted(changes):
        now += changes[tick]
        most = max(most, now)
    return most


class _Search:
    def __init__(self, blocks: Sequence[Block], capacity: int, work: int) -> None:
        # Long and large blocks first: the ones that are hard to place.
        self.blocks = sorted(blocks, key=lambda b: (b.first - b.last, -b.size, b.name))
        self.capacity, self.work = capacity, work
        ticks = sorted({b.first for b in blocks})
        self.sections = [[s for s, t in enumerate(ticks) if b.first <= t <= b.last] for b in self.blocks]
        count = range(len(self.blocks))
        self.beside = [[j for j in count if j != i and self.blocks[i].meets(self.blocks[j])] for i in count]
        self.waiting = [sum(b.size for b, at in zip(self.blocks, self.sections, strict=True) if s in at)
                        for s in range(len(ticks))]  # fmt: skip
        self.floor = [0] * len(self.blocks)
        self.left = set(count)
        self.found: dict[int, int] = {}

    def run(self) -> dict[str, int] | None:
        if not self._next(0):
            return None
        return {self.blocks[i].name: address for i, address in self.found.items()}

    def _next(self, lowest: int) -> bool:
        if not self.left:
            return True
        floors = {i: max(self.floor[i], lowest) for i in self.left}
        self.work -= len(self.left)
        if self.work < 0 or any(floors[i] + self.blocks[i].size > self.capacity for i in self.left):
            return False
        below = min(floors[i] + self.blocks[i].size for i in self.left)
        order = sorted((i for i in self.left if floors[i] < below), key=lambda i: (floors[i], i))
        return any(self.work >= 0 and self._try(i, floors[i]) for i in order)

    def _try(self, i: int, address: int) -> bool:
        block = self.blocks[i]
        top = address + block.size
        undo: list[tuple[int, int]] = [(j, self.floor[j]) for j in self.beside[i] if j in self.left]
        self.left.discard(i)
        self.found[i] = address
        for j, _ in undo:
            self.floor[j] = max(self.floor[j], top)
        for s in self.sections[i]:
            self.waiting[s] -= block.size
        if self._room(address) and self._next(address):
            return True
        for s in self.sections[i]:
            self.waiting[s] += block.size
        for j, before in undo:
            self.floor[j] = before
        del self.found[i]
        self.left.add(i)
        return False

    def _room(self, lowest: int) -> bool:
        """Whether at every time the blocks to come fit above the lowest floor that any of them has then."""
        floors: dict[int, int] = {}
        for i in self.left:
            for s in self.sections[i]:
                floors[s] = min(floors.get(s, self.capacity), max(self.floor[i], lowest))
            self.work -= len(self.sections[i])
        return all(floor + self.waiting[s] <= self.capacity for s, floor in floors.items())


def fitting(blocks: Sequence[Block], capacity: int, step: int) -> dict[str, int]:
    """Addresses by first fit, else by a search over all of what results may replace, then over nothing of it; first
    fit's, above ``capacity``, where all fail."""
    found = first_fit(blocks, step)
    if all(found[b.name] + b.size <= capacity for b in blocks):
        return found
    head = chains(blocks)
    attempts: tuple[Callable[[], dict[str, int] | None], ...] = (
        lambda: _spread(search(joined(blocks, head), capacity), head),
        lambda: search(disjoint(blocks), capacity),
    )
    return next((better for attempt in attempts if (better := attempt()) is not None), found)


def _spread(found: dict[str, int] | None, head: Mapping[str, str]) -> dict[str, int] | None:
    return None if found is None else {name: found[first] for name, first in head.items()}
