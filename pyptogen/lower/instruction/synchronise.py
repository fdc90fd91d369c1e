"""Flags and barriers: inserted where the replay finds a race, then proved.

before: for i: TLOAD x; TADD y, x, x; TSTORE y
after:  set V→MTE2; set MTE3→V
        for i: wait V→MTE2; TLOAD x; set MTE2→V; wait MTE2→V; wait MTE3→V; TADD; set V→MTE2; set V→MTE3; wait V→MTE3;
               TSTORE y; set MTE3→V
        wait V→MTE2; wait MTE3→V

A race inside one iteration gets a set after the earlier node and a wait before the later one, in the innermost body
around both. A race with the next iteration gets a token that is set once before all loops and waited for once after.
A race about a buffer that rotates over N copies gets N events, one for each copy, chosen by the loop's counter: so a
iteration waits for the last user of its own copy only, and loads run ahead of compute, and compute ahead of stores, by
as many iterations as there are copies. The N tokens set before the loops are the prologue of this pipeline, and the N
waits after them its epilogue.
The latest earlier access is ordered first, so an order that follows from it needs no flag of its own. `event_ids` says
what happens where the eight ids of a pair of pipes are used up.

Last, orders that follow from those that were found later go.

Afterwards the replay of the program for all small trip counts finds nothing (checked here, in every build).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.instruction import unit_flags
from pyptogen.lower.instruction.effects import KernelEffects
from pyptogen.lower.instruction.event_ids import Flags, Order, Share
from pyptogen.lower.instruction.in_order import all_in_order, first_finding
from pyptogen.lower.instruction.ir import For, Instr, InstrKernel, Node, walk
from pyptogen.lower.instruction.known_flags import KNOWN, KnownFlags, Plan, Question, question
from pyptogen.lower.instruction.replay import Access, Finding, Path, Replay, Trips, carried, prove, shared, trip_counts
from pyptogen.lower.tile.ir import distributed_nest
from pyptogen.lower.verify import IllegalIR, require
from pyptogen.records import replace

ROUNDS = 64
PLANS: tuple[tuple[Share, bool], ...] = (("always", True), ("crowded", True), ("never", True), ("never", False))
"""How event ids are given, and whether orders may be joined; the first plan that is proved is taken."""


def _loop(kernel: InstrKernel, body: Path) -> For | None:
    """The loop whose body is at a path."""
    nodes, loop = kernel.body, None
    for index in body:
        node = nodes[index]
        assert isinstance(node, For)
        loop, nodes = node, node.body
    return loop


def _order(kernel: InstrKernel, earlier: Access, later: Access, by: int | None, slot: str | None) -> Order:
    """The order that settles a race, carried ``by`` a loop (`carried`), about copies that ``slot`` counts."""
    depth = shared(earlier.path, later.path)
    level = depth if by is None else by + 1
    while level < depth and (loop := _loop(kernel, later.path[:level])) is not None and len(distributed_nest(loop)) > 1:
        level += 1  # what a block takes of loops that are distributed together is one loop to it
    counting = level
    while (loop := _loop(kernel, later.path[:counting])) is not None and loop.once:
        counting -= 1  # the copies are those of the iteration around
    while level < depth and (inner := _loop(kernel, later.path[: level + 1])) is not None and inner.once:
        level += 1  # tokens of work that may be left out are passed where it is done
    pipes, body = (earlier.instr.pipe, later.instr.pipe), later.path[:level]
    rotates = loop is not None and loop.slot is not None and loop.slot == slot
    copies = (loop.slot, loop.slots) if loop is not None and rotates else (None, 1)
    ends = earlier.path[level], later.path[level]
    loops = by is None and min(len(earlier.path), len(later.path)) > level + 1
    return Order(*pipes, body, *ends, by is not None, later.instr.span, *copies, loops)


def _leading(kernel: InstrKernel, races: list[Finding]) -> list[Order]:
    """The orders to establish in this iteration: for each pair of pipes one, the innermost one that starts at the
    latest node. What follows from it is not found again. Orders from one loop to the next come last: where these share
    tokens, they follow."""
    chosen: dict[tuple[str, str], Order] = {}
    for finding in races:
        earlier, later = finding.earlier, finding.later
        if earlier is None or later is None:
            raise IllegalIR(finding.text)
        order = _order(kernel, earlier, later, carried(earlier, later), finding.slot)
        other = chosen.get((order.src, order.dst))
        if other is None or _rank(order) > _rank(other):
            chosen[(order.src, order.dst)] = order
    return list(chosen.values())


def _rank(order: Order) -> tuple[object, ...]:
    return (not order.between_loops, not order.carried, len(order.body), order.first, -order.then)


def _materialise(nodes: tuple[Node, ...], path: Path, flags: Flags) -> tuple[Node, ...]:
    result: list[Node] = []
    for i, node in enumerate(nodes):
        result += flags.places.get((path, i, "before"), [])
        result.append(replace(node, body=_materialise(node.body, (*path, i), flags)) if isinstance(node, For) else node)
        result += flags.places.get((path, i, "after"), [])
    return tuple(result)


def _with_flags(flags: Flags) -> InstrKernel:
    """The kernel with all flags in their places."""
    return replace(flags.kernel, body=_materialise(flags.kernel.body, (), flags))


def settle(trips: Trips, flags: Flags, effects: KernelEffects) -> bool:
    """Plan flags until a walk with these trips finds nothing more to settle; whether it finds nothing at all then."""
    for turn in range(ROUNDS):
        begun = turn or flags.orders or flags.barriers  # a kernel without any flags is mostly not in order
        if begun and all_in_order(_with_flags(flags), (trips,), effects):
            return True
        found: list[Finding] = []
        Replay(flags.kernel, trips, flags.places, found.append, effects, planning=True).run()
        races = [f for f in found if f.kind == "race"]
        hazards = [f for f in found if f.kind == "hazard"]
        back = [order for f in found if f.sync is not None and (order := flags.back(f.sync)) is not None]
        if not races and not hazards and not back:
            return not found
        planned = flags.planned
        for hazard in hazards:
            assert hazard.later is not None
            flags.add_barrier(hazard.later.path, hazard.later.instr.pipe, hazard.span)
        for order in _leading(flags.kernel, races) if races or hazards else back[:1]:
            flags.add(order)
        if flags.planned == planned:
            return False  # what is asked for is there: the next turn would ask for the same
    return False


def run(kernel: InstrKernel, known: KnownFlags | None = None) -> InstrKernel:
    """Insert flags and barriers into one kernel and prove the result. ``known``: what was planned before.

    Raises:
        IllegalIR: the result is not proved (a fault of the compiler).
    """
    effects, walks, known = KernelEffects(kernel), trip_counts(kernel), known or KnownFlags()
    asked = question(kernel, effects)
    proof = asked.asks, *walks
    proved = known.proved.get(proof)
    if proved is None:
        for plan in PLANS:
            flags, settled = _begun(kernel, walks[0], effects, plan, known, asked)
            findings = _finished(flags, settled, walks, effects)
            if not findings:
                break
        require(
            not findings,
            f"kernel {kernel.name} is not in order: {findings[0].text if findings else ''}",
            kernel.span,
        )
        proved = known.proved.keep(proof, Plan.of(_needed(flags, walks, effects), asked))
    return _with_flags(proved.moved(kernel, asked))


def with_flags_only(kernel: InstrKernel) -> InstrKernel:
    """The same kernel with flags in the place of unit flags, for texts that have no word for these."""
    handed = any(isinstance(node, Instr) and node.phase is not None for node in walk(kernel.body))
    return run(unit_flags.without(kernel), KNOWN) if handed else kernel


def planned(kernel: InstrKernel, known: KnownFlags | None = None) -> InstrKernel:
    """The kernel with the flags of its first walk, neither proved nor thinned out: enough to tell how long it takes."""
    effects, known = KernelEffects(kernel), known or KnownFlags()
    return _with_flags(_begun(kernel, trip_counts(kernel)[0], effects, PLANS[0], known, question(kernel, effects))[0])


def _begun(
    kernel: InstrKernel,
    trips: Trips,
    effects: KernelEffects,
    plan: tuple[Share, bool],
    known: KnownFlags,
    asked: Question,
) -> tuple[Flags, bool]:
    """The flags that the first walk asks for, by one of `PLANS`, and whether it asks for no more."""
    if plan != PLANS[0]:
        flags = Flags(kernel, *plan)
        return flags, settle(trips, flags, effects)
    walk = asked.asks, trips
    begun = known.begun.get(walk)
    if begun is None:
        flags = Flags(kernel, *plan)
        settled = settle(trips, flags, effects)
        begun = known.begun.keep(walk, (Plan.of(flags, asked), settled))
    found, settled = begun
    return found.moved(kernel, asked), settled


def _finished(flags: Flags, settled: bool, walks: Sequence[Trips], effects: KernelEffects) -> list[Finding]:
    """Plan flags until no walk finds more to settle; what is still wrong then. ``settled``: the first walk does not.

    The flags of the first walk are mostly all, so the others replay the finished program at once; only where one of
    them finds more, that is settled and all of them are replayed again.
    """
    result, again = _with_flags(flags), False
    if all_in_order(result, walks[settled:], effects):
        return []
    for trips in walks:
        if not all_in_order(result, (trips,), effects):
            settle(trips, flags, effects)
            result, again = _with_flags(flags), True
    return prove(result) if again and not all_in_order(result, walks, effects) else []


def _needed(flags: Flags, walks: Sequence[Trips], effects: KernelEffects) -> Flags:
    """The plan without orders that follow from the others, those of inner loops first: an order found early may follow
    from several that were found later."""
    walks = sorted(walks, key=lambda trips: sum(trips.counts))  # short ones say at once that most are needed
    said: dict[tuple[object, ...], Trips] = {}
    """The walk that needed the last order of a kind: it mostly needs the next one too, and is tried first."""
    for order in sorted(flags.orders, key=lambda order: -len(order.body)):
        kind = order.carried, order.copies, len(order.body)
        fewer, first = flags.without(order), said.get(kind)
        found = first_finding(_with_flags(fewer), sorted(walks, key=lambda trips: trips is not first), effects)
        if found is None:
            flags = fewer
        else:
            said[kind] = found
    return flags
