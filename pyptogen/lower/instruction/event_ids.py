"""Orders between pipes → flags in their places, within the eight event ids of each ordered pair of pipes.

before: MTE2 → V, in each iteration: load a before its use; load b before its use   (two copies of each: four ids)
after:  set_flag behind the load, wait_flag ahead of the use; events 0 + slot for a, 2 + slot for b

An order about N copies takes N ids. Tokens that neighbouring instructions set, and neighbouring ones wait for, are one.
Loops that follow each other share theirs: tokens stay set from the end of one loop to the next, which waits for the
last iterations of the one before as if they were its own. So they do where the tokens would be waited for between the
loops, and where an order leads from the one to the other, which follows then. Where the eight ids are used up:

1. other loops share them too, and so do orders of one body of which one ends before the other begins;
2. two orders of one body become one, set where the later of the two is, waited for where the earlier of the two is: of
   all such pairs the one that holds back the least work;
3. a local barrier over all pipes.

Whether ids that are shared and orders that are joined leave the kernel in order is for the replay to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import combinations
from typing import Literal

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import Barrier, Choose, For, Instr, InstrKernel, Node, Pipe, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.replay import Path, Sync
from pyptogen.records import dataclass, replace

EVENT_IDS = 8
Share = Literal["always", "crowded", "never"]
Link = tuple[Pipe, Pipe, Path, Path]
"""The pipes of an order, and the two loops that it leads between."""


@dataclass(frozen=True, slots=True)
class Order:
    """After node ``first`` of ``body`` on pipe src comes node ``then`` on dst, in the same iteration or (``carried``)
    in a later one: the next, or with a ``slot`` the one that many copies later."""

    src: Pipe
    dst: Pipe
    body: Path
    first: int
    then: int
    carried: bool
    span: Span
    slot: str | None = None
    copies: int = 1
    between_loops: bool = field(default=False, compare=False)
    """Whether it leads from one loop of ``body`` to a later one."""

    @property
    def outermost(self) -> int:
        """The node of the kernel's body that the order lies in."""
        return self.body[0] if self.body else self.first

    def is_disjoint(self, other: Order) -> bool:
        """Whether nothing runs in the bodies of both, or one ends before the other begins."""
        if self.body == other.body:
            return not self.carried and not other.carried and (self.then < other.first or other.then < self.first)
        return any(a != b for a, b in zip(self.body, other.body, strict=False))

    def joined(self, other: Order) -> Order | None:
        """An order that includes both, if there is one."""
        if replace(other, first=self.first, then=self.then, span=self.span) != self:
            return None
        both = replace(self, first=max(self.first, other.first), then=min(self.then, other.then))
        return both if (both.then <= both.first) == self.carried else None


@dataclass(slots=True)
class _Ids:
    """Ids from ``event`` on, as many as the orders that use them have copies. None of their bodies is inside of
    another."""

    event: int
    orders: list[Order]

    def takes(self, order: Order) -> bool:
        """Whether the order may use them too: it is like the others, and none of them is under way with it."""
        return _form(self.orders[0]) == _form(order) and all(map(order.is_disjoint, self.orders))


@dataclass(slots=True)
class Flags:
    """The flags of a kernel as they are planned. ``share``: when orders share ids (loops in a row always, others where
    ids are used up; all only there; never); ``join``: two orders may become one."""

    kernel: InstrKernel
    share: Share = "always"
    join: bool = True
    orders: list[Order] = field(default_factory=list)
    barriers: dict[Path, Barrier] = field(default_factory=dict)
    places: dict[tuple[Path, int, str], list[Sync]] = field(default_factory=dict)
    """By place: (body, index, before or after the node there)."""
    links: set[Link] = field(default_factory=set)
    """Loops that share tokens because an order leads from the first to the second."""

    @property
    def planned(self) -> tuple[tuple[Order, ...], frozenset[Path], frozenset[Link]]:
        """All that flags and barriers are made from, to compare with what it was."""
        return tuple(self.orders), frozenset(self.barriers), frozenset(self.links)

    def add(self, order: Order) -> None:
        """Plan the flags of one more order. One from a loop to the next has its own only where it does not follow from
        tokens that the two share."""
        link = order.src, order.dst, (*order.body, order.first), (*order.body, order.then)
        if self.share == "always" and order.between_loops and link not in self.links:
            self.links.add(link)
        else:
            near = next((other for other in self.orders if self._are_neighbours(order, other)), None)
            if near is not None:
                self.orders.remove(near)
                order = order.joined(near) or order
            self.orders.append(order)
        self._spread()

    def without(self, order: Order) -> Flags:
        """The same plan but for one order."""
        rest = [other for other in self.orders if other is not order]
        fewer = replace(self, orders=rest, barriers=dict(self.barriers), links=self.links, places={})
        fewer._spread()
        return fewer

    def add_barrier(self, path: Path, pipe: Pipe, span: Span) -> None:
        """Plan a barrier of ``pipe`` ahead of the node at ``path``, which it runs."""
        if path not in self.barriers:
            self.barriers[path] = Barrier(pipe, span)
            self._put(path[:-1], path[-1], "before", self.barriers[path])

    # -- ids ----------------------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        """Ids for all orders, and everything in its place."""
        while (found := self._ids()) is None:
            pass
        self.places = {}
        for path, barrier in self.barriers.items():
            self._put(path[:-1], path[-1], "before", barrier)
        for order in self.orders:
            ids = next((ids for ids in found if order in ids.orders), None)
            if ids is None:
                self._put(order.body, order.then, "before", Barrier("ALL", order.span))
            elif order.carried:
                self._carried(order, ids)
            else:
                self._forward(order, ids.event)

    def _ids(self) -> list[_Ids] | None:
        """The ids of the orders in the order in which they were found; None where two were joined on the way. Those
        without ids get barriers."""
        found: list[_Ids] = []
        used: dict[tuple[Pipe, Pipe], int] = {}
        for at, order in enumerate(self.orders):
            pipes = order.src, order.dst
            free = [ids for ids in found if ids.takes(order)] if self.share != "never" else []
            going_on = next((ids for ids in free if self._goes_on(order, ids)), None)
            if going_on is not None:
                going_on.orders.append(order)
            elif used.get(pipes, 0) + order.copies <= EVENT_IDS:
                found.append(_Ids(used.get(pipes, 0), [order]))
                used[pipes] = used.get(pipes, 0) + order.copies
            elif free:
                min(free, key=lambda ids: len(ids.orders)).orders.append(order)
            elif self.join and self._join([o for o in self.orders[: at + 1] if (o.src, o.dst) == pipes]):
                return None
        return found

    def _goes_on(self, order: Order, ids: _Ids) -> bool:
        """Whether the order may have the ids of another loop's at no cost: tokens would all be waited for between the
        two loops, or an order leads from the one to the other."""
        if self.share != "always" or not order.body:
            return False
        links = (order.carried and not self.links.isdisjoint(_links(other, order)) for other in ids.orders)
        return any(order.outermost != other.outermost for other in ids.orders) or any(links)

    def _join(self, orders: Sequence[Order]) -> bool:
        """Make two of the orders one, if any two can be."""
        pairs = [(a, b, both) for a, b in combinations(orders, 2) if (both := a.joined(b)) is not None]
        if not pairs:
            return False
        a, b, both = min(pairs, key=lambda pair: self._held_back(*pair[:2]))
        self.orders[self.orders.index(a)] = both
        self.orders.remove(b)
        return True

    def _are_neighbours(self, a: Order, b: Order) -> bool:
        """Whether two tokens may be one at no cost: neighbouring instructions give the copies back, and such wait for
        them, which have others to work on meanwhile."""
        return a.carried and a.copies > 1 and a.joined(b) is not None and max(self._between(a, b)) <= 1

    def _held_back(self, a: Order, b: Order) -> tuple[bool, int]:
        """What joining two orders costs: work that waits longer, less where there are copies to work on meanwhile."""
        return not a.carried, sum(self._between(a, b))

    def _between(self, a: Order, b: Order) -> tuple[int, int]:
        """Instructions from the beginning of one order to that of the other, and from end to end."""
        nodes = self.kernel.body
        for index in a.body:
            node = nodes[index]
            assert isinstance(node, For)
            nodes = node.body
        first, then = (nodes[min(x, y) : max(x, y)] for x, y in ((a.first, b.first), (a.then, b.then)))
        return _count(first), _count(then)

    # -- places -------------------------------------------------------------------------------------------------------

    def _put(self, body: Path, index: int, side: str, sync: Sync) -> None:
        planned = self.places.setdefault((body, index, side), [])
        if not (isinstance(sync, Barrier) and any(isinstance(p, Barrier) and p.pipe == sync.pipe for p in planned)):
            planned.append(sync)  # the same barrier twice in one place is one barrier

    def _forward(self, order: Order, event: int) -> None:
        pipes = order.src, order.dst
        self._put(order.body, order.first, "after", SetFlag(*pipes, event, "", order.span, order.slot))
        self._put(order.body, order.then, "before", WaitFlag(*pipes, event, "", order.span, order.slot))

    def _carried(self, order: Order, ids: _Ids) -> None:
        """A token from one iteration to a later one, for every copy of the buffer. It is primed before the outermost
        loop and drained after that, so that it also passes from the last iteration of an inner loop to the first of the
        next: priming an inner loop again might set a token that nobody has taken yet. Of loops that share ids the
        first is primed and the last drained."""
        event, pipes, many = ids.event, (order.src, order.dst), order.copies > 1
        self._put(order.body, order.then, "before", WaitFlag(*pipes, event, "free again", order.span, order.slot))
        self._put(order.body, order.first, "after", SetFlag(*pipes, event, "", order.span, order.slot))
        if order is not ids.orders[0]:
            return
        outermost = [other.outermost for other in ids.orders]
        for copy in range(order.copies):
            note = f"{order.copies} buffers are free at first" if many else "free at first"
            self._put((), min(outermost), "before", SetFlag(*pipes, event + copy, note, order.span))
            note = f"drain: the last use of each of {order.copies} buffers" if many else "drain: the last use"
            self._put((), max(outermost), "after", WaitFlag(*pipes, event + copy, note, order.span))

    # -- flags that are set twice -------------------------------------------------------------------------------------

    def back(self, flag: SetFlag) -> Order | None:
        """The order that a flag needs which is set again before it is known to have been taken: from whom it is for
        back to who sets it. Where loops run, their own orders see to that; one that has no iteration, between the two,
        does not."""
        # Of several orders with the id, the one that had it before this one.
        last = max(self._taken(flag), key=lambda found: (found[2] < found[1], found[2]), default=None)
        if last is None:
            return None
        body, first, then = last
        loops = [n for n in walk(self.kernel.body) if isinstance(n, For) and flag.slot and n.slot == flag.slot]
        copies = max((loop.slots for loop in loops), default=1)
        return Order(flag.dst, flag.src, body, then, first, then > first, flag.span, flag.slot, copies)

    def _taken(self, flag: SetFlag) -> Iterator[tuple[Path, int, int]]:
        """Body, node before and node after of the orders that a planned flag is for."""
        wait = WaitFlag(flag.src, flag.dst, flag.event, "", flag.span, flag.slot)
        for (body, first, side), syncs in self.places.items():
            if side != "after" or not any(sync is flag for sync in syncs):
                continue
            for (other, then, _), waits in self.places.items():
                taken = any(isinstance(w, WaitFlag) and replace(w, note="", span=flag.span) == wait for w in waits)
                if other == body and then != first and taken:
                    yield body, first, then


def _form(order: Order) -> tuple[object, ...]:
    return order.src, order.dst, order.carried, order.copies


def _count(nodes: Sequence[Node]) -> int:
    return sum(isinstance(node, Instr | Choose) for node in walk(tuple(nodes)))


def _links(a: Order, b: Order) -> Iterator[Link]:
    """The links between the loops that two orders of the same pipes lie in."""
    for earlier, later in ((a.body, b.body), (b.body, a.body)):
        for depth in range(1, min(len(earlier), len(later)) + 1):
            yield a.src, a.dst, earlier[:depth], later[:depth]
