"""Replay of a kernel with vector clocks: who is known to have finished when, and where that is not enough.

Every pipe runs its instructions in order; between pipes only flags order. The replay walks the program with a fixed
trip count for every loop, gives each instruction a time, and keeps for each pipe the latest time of every pipe (its own
too) that it is known to come after. Two accesses to the same bytes, one of them a write, without such knowledge are a
race; on the vector pipe, which starts an instruction before the last one has ended, a hazard. So are two stores of one
pipe to the same bytes of GM: they leave in order, and nobody says that they arrive so.

`synchronise` uses the races it finds to place flags; the same replay of the finished program, for all of
`trip_counts`, is the proof.

A walk takes time in proportion to what it executes: accesses are kept by pipe and in order of time, so an instruction
looks only at those that its pipe does not come after yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.effects import STORE_PIPES, Effects, KernelEffects, Region
from pyptogen.lower.instruction.handover import UnitFlags, at_end
from pyptogen.lower.instruction.in_order import first_finding
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    For,
    Instr,
    InstrKernel,
    Node,
    Pipe,
    SetFlag,
    WaitFlag,
)
from pyptogen.lower.instruction.trips import Counted, Trips, deepest, trip_counts
from pyptogen.lower.isa.fractals import Spacing
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.records import dataclass

Path = tuple[int, ...]
Sync = SetFlag | WaitFlag | Barrier
Overlay = Mapping[tuple[Path, int, str], Sequence[Sync]]
Times = tuple[int, ...]
"""By pipe the time of its latest work that somebody comes after."""


@dataclass(frozen=True, slots=True)
class Access:
    """One execution of an instruction: where, when, and what it accessed."""

    path: Path
    iteration: Path
    instr: Instr
    time: int
    effects: Effects

    @property
    def reads(self) -> tuple[Region, ...]:
        return self.effects.reads

    @property
    def writes(self) -> tuple[Region, ...]:
        return self.effects.writes


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where the order does not hold: ``kind`` is race, hazard (same pipe, barrier missing), double set,
    deadlock or left over; or where products and stores do not take turns (unit flag), or fractals in L0 do not lie
    where they are taken from (fractals). ``slot`` is the counter of the copies that a race is about, if they rotate;
    ``sync`` the flag that is set twice; ``put_by`` what has put the fractals there."""

    kind: str
    earlier: Access | None
    later: Access | None
    text: str
    span: Span
    slot: str | None = None
    sync: SetFlag | None = None
    put_by: Instr | None = None


_Past = tuple[int, Path, Path, Instr, Effects, Times]
"""What is kept of an access: time, path, iteration, instruction, what it accessed, and what its pipe knew by then."""

_Step = tuple[int, Any, Path, int]
"""A node of a body made ready: what to do with it, the node (of a loop with the steps of its body), its path, and its
pipe; of a flag the number of the pipe that waits in the place of a path."""
_LOOP, _INSTR, _SET, _WAIT, _BARRIER = range(5)


@dataclass(slots=True)
class Replay:
    """One walk with so many ``trips`` of its loops. ``overlay`` holds
    planned flags by (body path, index, before or after the node there); ``effects`` may be shared by walks of one
    kernel; ``planning``: who listens places flags, for which a race is told once however often it happens, and without
    words."""

    kernel: InstrKernel
    trips: Trips
    overlay: Overlay = field(default_factory=dict)
    on_find: Callable[[Finding], None] = lambda finding: None
    effects: KernelEffects | None = None
    planning: bool = False
    clock: int = 0
    hazards: bool = False
    """Whether vector results need a barrier before they are used."""
    at: dict[str, int] = field(default_factory=dict)
    """The pipes of the kernel; the lists below go by their numbers."""
    known: list[Times] = field(default_factory=list)
    progress: list[int] = field(default_factory=list)
    latest: list[int] = field(default_factory=list)
    """By pipe the time of its latest access, and below by access."""
    last: defaultdict[int, int] = field(default_factory=lambda: defaultdict[int, int](int))
    history: list[dict[int, _Past]] = field(default_factory=list)
    barriers: list[int] = field(default_factory=list)
    """By pipe the time of its last barrier."""
    tokens: dict[tuple[str, str, int], Times] = field(default_factory=dict)
    last_wait: dict[tuple[str, str, int], int] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    lying: dict[tuple[str, int], tuple[Spacing, Instr]] = field(default_factory=dict)
    """How far apart the fractals of each operand in L0 are, and who put them there."""
    handed: UnitFlags = field(default_factory=UnitFlags)
    ends: list[bool] = field(default_factory=list)
    """Of the loops around, whether they are in their last iterations."""
    texts: dict[tuple[Path, Path, int, int], str] = field(default_factory=dict)
    told: set[tuple[Path, Path, int | None, str | None]] = field(default_factory=set)
    """The races that were told: places, the loop that carries them, the counter of the copies that they are about."""

    def run(self) -> None:
        """Walk the whole kernel; findings go to ``on_find``."""
        self.effects = self.effects or KernelEffects(self.kernel)
        self.slots = dict(self.effects.slots)
        self.hazards = PLATFORMS[self.kernel.platform].vector_barriers
        self.at = dict(self.effects.pipes)
        steps = list(self._steps(self.kernel.body, ()))
        self.known = [(0,) * len(self.at)] * len(self.at)
        self.progress, self.latest, self.barriers = [0] * len(self.at), [0] * len(self.at), [0] * len(self.at)
        self.history = [{} for _ in self.at]
        self._body(steps, (), ("", 0, 1), 0)
        for src, dst, event in self.tokens:
            text = f"flag {src} -> {dst} #{event} is still set at the end"
            self.on_find(Finding("left over", None, None, text, self.kernel.span))
        for start, end in sorted(self.handed.set):
            text = f"those of Acc 0x{start:05x}..0x{end:05x} are still set at the end"
            self.on_find(Finding("unit flag", None, None, text, self.kernel.span))

    def _steps(self, nodes: Sequence[Node], path: Path) -> Iterator[_Step]:
        """A body made ready for many iterations, with the planned flags in their places."""
        for i, node in enumerate(nodes):
            here = (*path, i)
            yield from map(self._sync_step, self.overlay.get((path, i, "before"), ()))
            if isinstance(node, For):
                yield _LOOP, (Counted.of(node), list(self._steps(node.body, here))), here, 0
            elif isinstance(node, SetFlag | WaitFlag | Barrier):
                yield self._sync_step(node)
            elif isinstance(node, Instr | Choose):
                instr = node if isinstance(node, Instr) else node.other
                yield _INSTR, instr, here, self._number(instr.pipe)
            yield from map(self._sync_step, self.overlay.get((path, i, "after"), ()))

    def _sync_step(self, node: Sync) -> _Step:
        if isinstance(node, Barrier):
            return _BARRIER, node, (), 0
        return _SET if isinstance(node, SetFlag) else _WAIT, node, (self._number(node.dst),), self._number(node.src)

    def _number(self, pipe: str) -> int:
        return self.at.setdefault(pipe, len(self.at))

    def _body(self, steps: Sequence[_Step], iteration: Path, turn: tuple[str, int, int], depth: int) -> None:
        """One iteration of a body; ``turn``: the loop's variable, the number of the iteration, and how many there are
        (`Counted.turn`); ``depth``: the loops around, without conditions."""
        for what, node, path, pipe in steps:
            if what == _LOOP:
                counted, body = node
                loop, trips = counted.loop, counted.iterations(self.trips, depth, turn)
                for n in range(trips):
                    self.ends.append(n == trips - 1)
                    self._body(body, (*iteration, n), counted.turn(n, trips), depth + (not loop.once))
                    self.ends.pop()
                    if loop.slot is not None:
                        self.slots[loop.slot] = (self.slots[loop.slot] + 1) % loop.slots
                continue
            self.clock += 1
            if what == _INSTR:
                self._instr(node, path, iteration, pipe)
            elif what == _SET:
                self._set(node, pipe, path[0])
            elif what == _WAIT:
                self._wait(node, path[0])
            else:
                self._barrier(node.pipe)

    # -- flags ----------------------------------------------------------------------------------------------------

    def _key(self, node: SetFlag | WaitFlag) -> tuple[str, str, int]:
        return node.src, node.dst, node.event if node.slot is None else node.event + self.slots[node.slot]

    def _set(self, node: SetFlag, src: int, dst: int) -> None:
        key, known = self._key(node), self.known[src]
        if key in self.tokens or self.last_wait.get(key, 0) > known[dst]:
            text = f"flag {node.src} -> {node.dst} #{key[2]} may still be set"
            self.on_find(Finding("double set", None, None, text, node.span, sync=node))
        self.tokens[key] = (*known[:src], self.progress[src], *known[src + 1 :])

    def _wait(self, node: WaitFlag, dst: int) -> None:
        key = self._key(node)
        token = self.tokens.pop(key, None)
        if token is None:
            text = f"flag {node.src} -> {node.dst} #{key[2]} is never set"
            self.on_find(Finding("deadlock", None, None, text, node.span))
            return
        for pipe in self._held_up(node.dst):
            self._learn(pipe, token)
        self.last_wait[key] = self.progress[dst] = self.clock

    def _held_up(self, pipe: str) -> Iterable[int]:
        """The pipes that run nothing further while ``pipe`` waits, as far as kernels may count on it."""
        return (self.at[pipe],)

    def _barrier(self, pipe: str) -> None:
        if pipe == "ALL":
            everything = tuple(self.progress)
            for at in range(len(self.at)):  # also one that has done nothing yet
                self._learn(at, everything)
            self.barriers = [self.clock] * len(self.at)
        elif pipe in self.at:
            self.barriers[self.at[pipe]] = self.clock

    def _learn(self, at: int, facts: Times) -> None:
        self.known[at] = tuple(map(max, self.known[at], facts))

    # -- instructions ---------------------------------------------------------------------------------------------

    def _instr(self, instr: Instr, path: Path, iteration: Path, me: int) -> None:
        assert self.effects is not None
        effects = self.effects.of(instr, self.slots)
        if effects.takes or effects.leaves:
            self._fractals(instr, effects)
        if effects.handover is not None:
            wrong = self.handed.wrong(effects.handover, at_end(effects.handover.loops, self.ends))
            if wrong is not None:
                start, end = effects.handover.place
                text = f"{instr.name} of Acc 0x{start:05x}..0x{end:05x} {wrong}"
                self.on_find(Finding("unit flag", None, None, text, instr.span))
        clock = self.clock
        past = self._unordered(me, instr, effects)
        if past:
            self._settle(past, (clock, path, iteration, instr, effects, ()), me)
        self.progress[me] = self.latest[me] = self.last[effects.number] = clock
        # The latest access to each set of bytes: it stands for the earlier ones. In order of time.
        history = self.history[me]
        history.pop(effects.number, None)
        history[effects.number] = (clock, path, iteration, instr, effects, self.known[me])

    def _unordered(self, me: int, instr: Instr, effects: Effects) -> list[_Past]:
        """Accesses that ``effects``, by pipe ``me``, has to come after and is not known to, the latest first."""
        assert self.effects is not None
        if not self.effects.met:
            return self._looked_for(me, instr, effects)
        _, others, own, _ = self.effects.met[effects.number]
        knows, latest, last, found = self.known[me], self.latest, self.last, list[_Past]()
        if own:
            known = max(knows[me], self.barriers[me])
            if latest[me] > known:
                found += [self.history[me][number] for number in own if last[number] > known]
        for at, numbers in others.items():
            known = knows[at]
            if latest[at] > known:
                history = self.history[at]
                found += [history[number] for number in numbers if last[number] > known]
        if len(found) > 1:
            found.sort(key=_latest_first)
        return found

    def _fractals(self, instr: Instr, effects: Effects) -> None:
        """Fractals of L0 have to lie where an instruction takes them to be."""
        for place, apart in effects.takes:
            put, by = self.lying.get(place, (apart, instr))
            if not put.agrees(apart):
                text = (
                    f"{instr.name} takes the fractals of {place[0]} 0x{place[1]:05x} to be {apart} elements apart;"
                    f" {by.name} left them {put} apart (lines {by.span.line} and {instr.span.line})"
                )
                self.on_find(Finding("fractals", None, None, text, instr.span, put_by=by))
        self.lying.update({place: (apart, instr) for place, apart in effects.leaves})

    def _looked_for(self, me: int, instr: Instr, effects: Effects) -> list[_Past]:
        """`_unordered` where nobody has written down who meets whom: by comparing the accesses that may. The pipe's own
        are among them where its results have hazards, but for what a barrier stands behind; of one that stores, other
        stores to the same bytes."""
        assert self.effects is not None
        stores = instr.pipe in STORE_PIPES and bool(effects.stores)
        hazards = stores or (self.hazards and instr.pipe == "V")
        conflicts, conflict, latest, found = self.effects.before(effects), self.effects.conflict, self.latest, []
        for at, known in enumerate(self.known[me]):
            if at == me:
                known = max(known, self.barriers[me]) if hazards else self.clock
            if latest[at] <= known:
                continue
            own_stores = at == me and stores
            for past in reversed(self.history[at].values()):
                if past[0] <= known:
                    break
                if own_stores and not any(a.keeps_order_with(b) for a in past[4].stores for b in effects.stores):
                    continue
                number = past[4].number
                if conflicts[number] if number in conflicts else conflict(past[4], effects):
                    found.append(past)
        found.sort(key=_latest_first)
        return found

    def _settle(self, unordered: Sequence[_Past], later: _Past, me: int) -> None:
        """Report what ``later`` may not run beside. What a finding is about counts as settled: what follows from that
        order is not found again."""
        known, barriers = self.known, self.barriers
        for past in unordered:
            time, at = past[0], self.at[past[3].pipe]
            if known[me][at] >= time or (at == me and barriers[me] >= time):
                continue
            if at == me:
                text, instr = "vector result used without a barrier", later[3]
                if instr.pipe in STORE_PIPES:
                    text = f"{instr.name} may arrive before {past[3].name}, to the same place without a barrier"
                self.on_find(Finding("hazard", _access(past), _access(later), text, instr.span))
                barriers[me] = self.clock - 1
            else:
                self._race(past, later)
                knew = tuple(map(max, known[me], past[5]))
                known[me] = (*knew[:at], time, *knew[at + 1 :])

    def _race(self, earlier: _Past, later: _Past) -> None:
        assert self.effects is not None
        conflict = self.effects.conflict(earlier[4], later[4])
        assert conflict is not None
        text = ""
        if self.planning:
            race = earlier[1], later[1], _carried(earlier[1], earlier[2], later[1], later[2]), conflict.slot
            if race in self.told:
                return
            self.told.add(race)
        else:
            text = self._race_text(_access(earlier), _access(later))
        self.on_find(Finding("race", _access(earlier), _access(later), text, later[3].span, conflict.slot))

    def _race_text(self, earlier: Access, later: Access) -> str:
        """What people are told of a race: the same of all iterations with the same two accesses."""
        key = earlier.path, later.path, earlier.effects.number, later.effects.number
        text = self.texts.get(key)
        if text is None:
            text = self.texts[key] = _race_text(earlier, later)
        return text


def _latest_first(past: _Past) -> int:
    return -past[0]


def shared(a: Path, b: Path) -> int:
    """How many loops stand around two places."""
    n, most = 0, min(len(a), len(b)) - 1
    while n < most and a[n] == b[n]:
        n += 1
    return n


def carried(earlier: Access, later: Access) -> int | None:
    """The outermost loop around both accesses of whose iterations they are in two."""
    return _carried(earlier.path, earlier.iteration, later.path, later.iteration)


def _carried(path: Path, iteration: Path, later_path: Path, later_iteration: Path) -> int | None:
    for at in range(min(len(path), len(later_path)) - 1):
        if path[at] != later_path[at]:
            break
        if iteration[at] != later_iteration[at]:
            return at
    return None


def _access(past: _Past) -> Access:
    time, path, iteration, instr, effects, _ = past
    return Access(path, iteration, instr, time, effects)


def _race_text(earlier: Access, later: Access) -> str:
    a, b = earlier.instr, later.instr
    accessed = (*later.writes, *later.reads)
    region = next((r for r in accessed if any(r.meets(o) for o in (*earlier.writes, *earlier.reads))), accessed[0])
    return (
        f"{b.name} on {b.pipe} may run before {a.name} on {a.pipe} is done with {region.memory}"
        f" 0x{region.start:05x}..0x{region.end:05x} (lines {a.span.line} and {b.span.line})"
    )


def prove(kernel: InstrKernel) -> list[Finding]:
    """Findings of the finished program under all of `trip_counts`: none if it is sound. Only walks that are not in
    order (`in_order`, many times as fast) are replayed, for what is wrong with them."""
    effects, findings, left = KernelEffects(kernel), list[Finding](), trip_counts(kernel)
    while (wrong := first_finding(kernel, left, effects)) is not None:
        Replay(kernel, wrong, on_find=findings.append, effects=effects).run()
        left = left[left.index(wrong) + 1 :]
    return findings


__all__ = [
    "Access",
    "Finding",
    "Path",
    "Pipe",
    "Region",
    "Replay",
    "Sync",
    "Trips",
    "carried",
    "deepest",
    "prove",
    "shared",
    "trip_counts",
]
