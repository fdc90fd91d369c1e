"""Flags and barriers: inserted where the replay finds a race, then proved.

before: for i: TLOAD x; TADD y, x, x; TSTORE y
after:  set V→MTE2; set MTE3→V
        for i: wait V→MTE2; TLOAD x; set MTE2→V; wait MTE2→V; wait MTE3→V; TADD; set V→MTE2; set V→MTE3; wait V→MTE3;
               TSTORE y; set MTE3→V
        wait V→MTE2; wait MTE3→V

A race inside one iteration gets a set after the earlier node and a wait before the later one, in the innermost body
around both. A race with the next iteration gets a token that is set once before all loops and waited for once after.
A race about a buffer that rotates over N copies gets N events, one for each copy, chosen by the loop's counter: so a
round waits for the last user of its own copy only, and loads run ahead of compute, and compute ahead of stores, by as
many rounds as there are copies. The N tokens set before the loops are the prologue of this pipeline, and the N waits
after them its epilogue.
The latest earlier access is ordered first, so an order that follows from it needs no flag of its own. Where the eight
ids of a pair of pipes are used up, loops that follow each other share them: tokens stay set from the end of one loop to
the next, which waits for the last rounds of the one before as if they were its own. Where that is not proved, or no
loop has ids to share, a local barrier over all pipes takes their place.

Afterwards the replay of the program for all small trip counts finds nothing (checked here, in every build).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import Barrier, For, InstrKernel, Node, Pipe, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.replay import Finding, Path, Replay, Sync, Trips, findings_of, prove, rounds
from pyptogen.lower.instruction.touches import Touches
from pyptogen.lower.verify import IllegalIR, require

EVENT_IDS = 8
ROUNDS = 64


@dataclass(slots=True)
class _Ids:
    """Ids that orders of several bodies use, none of them inside of another. ``first`` and ``last`` are the outermost
    nodes before and after which tokens are primed and drained."""

    event: int
    bodies: list[Path]
    first: int
    last: int

    def takes(self, body: Path) -> bool:
        """Whether nothing runs both in ``body`` and in one of the others."""
        return all(any(a != b for a, b in zip(body, other, strict=False)) for other in self.bodies)


@dataclass(slots=True)
class _Plan:
    """Planned flags by place: (body, index, before or after the node there). ``share``: loops may share ids."""

    share: bool
    places: dict[tuple[Path, int, str], list[Sync]] = field(default_factory=dict)
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    used: dict[tuple[Pipe, Pipe, bool, int], list[_Ids]] = field(default_factory=dict)
    """By pipes, whether orders are carried, and copies."""
    shared: bool = False

    def put(self, body: Path, index: int, side: str, sync: Sync) -> None:
        planned = self.places.setdefault((body, index, side), [])
        if not (isinstance(sync, Barrier) and any(isinstance(p, Barrier) and p.pipe == sync.pipe for p in planned)):
            planned.append(sync)  # the same barrier twice in one place is one barrier

    def ids_for(self, edge: _Edge) -> _Ids | None:
        """As many ids as the order has copies: fresh ones, or else those of loops before or after."""
        known = self.used.setdefault((edge.src, edge.dst, edge.carried, edge.copies), [])
        used = self.ids.get((edge.src, edge.dst), 0)
        if used + edge.copies <= EVENT_IDS:
            self.ids[(edge.src, edge.dst)] = used + edge.copies
            outermost = edge.body[0] if edge.body else 0
            known.append(_Ids(used, [edge.body], outermost, outermost))
            return known[-1]
        free = [ids for ids in known if self.share and edge.body and ids.takes(edge.body)]
        if not free:
            return None
        self.shared = True
        found = min(free, key=lambda ids: len(ids.bodies))
        found.bodies.append(edge.body)
        return found

    def move(self, old: int, new: int, side: str, src: Pipe, dst: Pipe, events: range) -> None:
        """Take the primed or drained tokens of these ids from one outermost node to another."""
        kind = SetFlag if side == "before" else WaitFlag
        planned = self.places[((), old, side)]
        tokens = [s for s in planned if isinstance(s, kind) and (s.src, s.dst) == (src, dst) and s.event in events]
        self.places[((), old, side)] = [sync for sync in planned if not any(sync is token for token in tokens)]
        self.places.setdefault(((), new, side), []).extend(tokens)


def _shared(a: Path, b: Path) -> int:
    n = 0
    while n < min(len(a), len(b)) - 1 and a[n] == b[n]:
        n += 1
    return n


@dataclass(frozen=True, slots=True)
class _Edge:
    """An order to establish: after node ``first`` of ``body`` on pipe src comes node ``then`` on dst, in the same
    iteration or (``carried``) in a later one: the next, or with a ``slot`` the one that many copies later."""

    src: Pipe
    dst: Pipe
    body: Path
    first: int
    then: int
    carried: bool
    span: Span
    slot: str | None = None
    copies: int = 1


def _loop(kernel: InstrKernel, body: Path) -> For | None:
    """The loop whose body is at a path."""
    nodes, loop = kernel.body, None
    for index in body:
        node = nodes[index]
        assert isinstance(node, For)
        loop, nodes = node, node.body
    return loop


def _edge(kernel: InstrKernel, finding: Finding) -> _Edge:
    earlier, later = finding.earlier, finding.later
    if earlier is None or later is None:
        raise IllegalIR(finding.text)
    depth = _shared(earlier.path, later.path)
    carried = next((i for i in range(depth) if earlier.iteration[i] != later.iteration[i]), None)
    level = depth if carried is None else carried + 1
    counting = level
    while (loop := _loop(kernel, later.path[:counting])) is not None and loop.once:
        counting -= 1  # the copies are those of the round around
    while level < depth and (inner := _loop(kernel, later.path[: level + 1])) is not None and inner.once:
        level += 1  # tokens of work that may be left out are passed where it is done
    pipes, body = (earlier.instr.pipe, later.instr.pipe), later.path[:level]
    rotates = loop is not None and loop.slot is not None and loop.slot == finding.slot
    copies = (loop.slot, loop.slots) if loop is not None and rotates else (None, 1)
    return _Edge(*pipes, body, earlier.path[level], later.path[level], carried is not None, later.instr.span, *copies)


def _leading(kernel: InstrKernel, findings: list[Finding]) -> list[_Edge | Finding]:
    """The findings to settle in this round: every barrier, and for each pair of pipes one order, the innermost one
    that starts at the latest node. What follows from it is not found again."""
    chosen: dict[tuple[str, str], _Edge] = {}
    barriers: list[_Edge | Finding] = []
    for finding in findings:
        if finding.kind == "hazard":
            barriers.append(finding)
            continue
        edge = _edge(kernel, finding)
        other = chosen.get((edge.src, edge.dst))
        if other is None or _rank(edge) > _rank(other):
            chosen[(edge.src, edge.dst)] = edge
    return [*barriers, *chosen.values()]


def _rank(edge: _Edge) -> tuple[object, ...]:
    return (not edge.carried, len(edge.body), edge.first, -edge.then)


def _place(plan: _Plan, item: _Edge | Finding) -> None:
    """Plan the flags of one order, or one barrier."""
    if isinstance(item, Finding):
        assert item.later is not None
        plan.put(item.later.path[:-1], item.later.path[-1], "before", Barrier("V", item.span))
        return
    ids = plan.ids_for(item)
    if ids is None:
        plan.put(item.body, item.then, "before", Barrier("ALL", item.span))
    elif item.carried:
        _carried(plan, item, ids)
    else:
        _forward(plan, item, ids.event)


def _back(kernel: InstrKernel, plan: _Plan, flag: SetFlag) -> _Edge | None:
    """The order that a flag needs which is set again before it is known to have been taken: from whom it is for back to
    who sets it. Where loops run, their own orders see to that; one that has no round, between the two, does not."""
    for (body, first, side), syncs in plan.places.items():
        if side != "after" or not any(sync is flag for sync in syncs):
            continue
        for (other, then, _), waits in plan.places.items():
            taken = any(isinstance(w, WaitFlag) and replace(w, note="") == _taking(flag, w.span) for w in waits)
            if other == body and then != first and taken:
                loops = [n for n in walk(kernel.body) if isinstance(n, For) and flag.slot and n.slot == flag.slot]
                copies = max((loop.slots for loop in loops), default=1)
                return _Edge(flag.dst, flag.src, body, then, first, then > first, flag.span, flag.slot, copies)
    return None


def _taking(flag: SetFlag, span: Span) -> WaitFlag:
    """The wait that takes what a flag sets."""
    return WaitFlag(flag.src, flag.dst, flag.event, "", span, flag.slot)


def _forward(plan: _Plan, edge: _Edge, event: int) -> None:
    pipes = edge.src, edge.dst
    plan.put(edge.body, edge.first, "after", SetFlag(*pipes, event, "", edge.span, edge.slot))
    plan.put(edge.body, edge.then, "before", WaitFlag(*pipes, event, "", edge.span, edge.slot))


def _carried(plan: _Plan, edge: _Edge, ids: _Ids) -> None:
    """A token from one iteration to a later one, for every copy of the buffer. It is primed before the outermost loop
    and drained after that, so that it also passes from the last round of an inner loop to the first of the next:
    priming an inner loop again might set a token that nobody has taken yet."""
    outermost, event, pipes, many = edge.body[0], ids.event, (edge.src, edge.dst), edge.copies > 1
    plan.put(edge.body, edge.then, "before", WaitFlag(*pipes, event, "free again", edge.span, edge.slot))
    plan.put(edge.body, edge.first, "after", SetFlag(*pipes, event, "", edge.span, edge.slot))
    if len(ids.bodies) > 1:
        events = range(event, event + edge.copies)
        if outermost < ids.first:
            plan.move(ids.first, outermost, "before", *pipes, events)
        if outermost > ids.last:
            plan.move(ids.last, outermost, "after", *pipes, events)
        ids.first, ids.last = min(ids.first, outermost), max(ids.last, outermost)
        return
    for copy in range(edge.copies):
        note = f"copy {copy} is free" if many else "free for the first round"
        plan.put((), outermost, "before", SetFlag(*pipes, event + copy, note, edge.span))
        note = f"of the last round of copy {copy}" if many else "of the last round"
        plan.put((), outermost, "after", WaitFlag(*pipes, event + copy, note, edge.span))


def _materialise(nodes: tuple[Node, ...], path: Path, plan: _Plan) -> tuple[Node, ...]:
    result: list[Node] = []
    for i, node in enumerate(nodes):
        result += plan.places.get((path, i, "before"), [])
        result.append(replace(node, body=_materialise(node.body, (*path, i), plan)) if isinstance(node, For) else node)
        result += plan.places.get((path, i, "after"), [])
    return tuple(result)


def _settle(kernel: InstrKernel, trips: Trips, plan: _Plan, touches: Touches) -> None:
    """Plan flags until a walk with these trips finds nothing more to settle."""
    for _ in range(ROUNDS):
        found: list[Finding] = []
        Replay(kernel, trips, plan.places, found.append, touches).run()
        races = [f for f in found if f.kind in ("race", "hazard")]
        back = [edge for f in found if f.sync is not None and (edge := _back(kernel, plan, f.sync)) is not None]
        if not races and not back:
            break
        for item in _leading(kernel, races) if races else back[:1]:
            _place(plan, item)


def run(kernel: InstrKernel) -> InstrKernel:
    """Insert flags and barriers into one kernel and prove the result.

    Raises:
        IllegalIR: the result is not proved (a fault of the compiler).
    """
    plan = _Plan(share=True)
    result, findings = _finished(kernel, plan)
    if findings and plan.shared:
        result, findings = _finished(kernel, _Plan(share=False))
    require(
        not findings,
        f"kernel {kernel.name} is not in order: {findings[0].text if findings else ''}",
        kernel.span,
    )
    return result


def _finished(kernel: InstrKernel, plan: _Plan) -> tuple[InstrKernel, list[Finding]]:
    """The kernel with flags, and what is still wrong with it.

    The flags of the first walk are mostly all, so the others replay the finished program at once; only where one of
    them finds more, that is settled and all of them are replayed again.
    """
    touches, walks = Touches(kernel), rounds(kernel)
    _settle(kernel, walks[0], plan, touches)
    result, again = replace(kernel, body=_materialise(kernel.body, (), plan)), False
    for trips in walks:
        if findings_of(result, trips, touches):
            _settle(kernel, trips, plan, touches)
            result, again = replace(kernel, body=_materialise(kernel.body, (), plan)), True
    return result, prove(result) if again else []
