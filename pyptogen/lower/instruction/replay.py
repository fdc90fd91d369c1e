"""Replay of a kernel with vector clocks: who is known to have finished when, and where that is not enough.

Every pipe runs its instructions in order; between pipes only flags order. The replay walks the program with a fixed
trip count for every loop, gives each instruction a time, and keeps for each pipe the latest time of every pipe (its own
too) that it is known to come after. Two accesses to the same bytes, one of them a write, without such knowledge are a
race; on the vector pipe, which starts an instruction before the last one has ended, a hazard.

`synchronise` uses the races it finds to place flags; the same replay of the finished program, for trip counts from 0 to
one more than the deepest buffer has copies, is the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from pyptogen.diagnostics import Span
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
    walk,
)
from pyptogen.lower.instruction.touches import Region, Touch, Touches
from pyptogen.lower.platforms import PLATFORMS

Path = tuple[int, ...]
Sync = SetFlag | WaitFlag | Barrier


@dataclass(frozen=True, slots=True)
class Access:
    """What one execution of an instruction touched, and what its pipe knew by then."""

    path: Path
    iteration: Path
    instr: Instr
    time: int
    touch: Touch
    knew: Mapping[str, int]

    @property
    def reads(self) -> tuple[Region, ...]:
        return self.touch.reads

    @property
    def writes(self) -> tuple[Region, ...]:
        return self.touch.writes


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where the order does not hold: ``kind`` is race, hazard (same pipe, barrier missing), double set,
    deadlock or left over. ``slot`` is the counter of the copies that a race is about, if they rotate; ``sync`` the flag
    that is set twice."""

    kind: str
    earlier: Access | None
    later: Access | None
    text: str
    span: Span
    slot: str | None = None
    sync: SetFlag | None = None


@dataclass(slots=True)
class _Token:
    knew: dict[str, int]
    waited_at: int | None = None


@dataclass(frozen=True, slots=True)
class Trips:
    """Rounds of the loops of a walk: ``counts`` by how many loops stand around them, the last for all deeper ones too.
    ``early``: loops that end early, at the last block that a row sees, or whose rounds have a condition, have no round
    at all."""

    counts: tuple[int, ...]
    early: bool = False

    def of(self, node: For, depth: int) -> int:
        """Rounds of a loop with ``depth`` others around it."""
        return 0 if self.early and may_be_empty(node) else self.counts[min(depth, len(self.counts) - 1)]


@dataclass(slots=True)
class Replay:
    """One walk with so many ``trips`` of its loops. ``overlay`` holds
    planned flags by (body path, index, before or after the node there); ``touches`` may be shared by walks of one
    kernel; ``hazards``: vector results need a barrier before they are used (None: as on the kernel's platform)."""

    kernel: InstrKernel
    trips: Trips
    overlay: Mapping[tuple[Path, int, str], Sequence[Sync]] = field(default_factory=dict)
    on_find: Callable[[Finding], None] = lambda finding: None
    clock: int = 0
    known: dict[str, dict[str, int]] = field(default_factory=dict)
    progress: dict[str, int] = field(default_factory=dict)
    barrier: dict[str, int] = field(default_factory=dict)
    tokens: dict[tuple[str, str, int], _Token] = field(default_factory=dict)
    last_wait: dict[tuple[str, str, int], int] = field(default_factory=dict)
    history: dict[tuple[Path, int], Access] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    touches: Touches | None = None
    hazards: bool | None = None

    def run(self) -> None:
        """Walk the whole kernel; findings go to ``on_find``."""
        self.slots = {n.slot: 0 for n in walk(self.kernel.body) if isinstance(n, For) and n.slot is not None}
        self.touches = self.touches or Touches(self.kernel)
        if self.hazards is None:
            self.hazards = PLATFORMS[self.kernel.platform].vector_barriers
        self._body(self.kernel.body, (), (), ("", 0, 1), 0)
        for (src, dst, event), _ in self.tokens.items():
            self._find(
                "left over",
                None,
                None,
                f"flag {src} -> {dst} #{event} is still set at the end",
                self.kernel.span,
            )

    def _find(self, kind: str, earlier: Access | None, later: Access | None, text: str, span: Span) -> None:
        self.on_find(Finding(kind, earlier, later, text, span))

    def _body(self, nodes: Sequence[Node], path: Path, iteration: Path, turn: tuple[str, int, int], depth: int) -> None:
        """One round of a body; ``turn``: the loop's variable, the number of the round, and how many there are;
        ``depth``: the loops around, without conditions."""
        for i, node in enumerate(nodes):
            for sync in self.overlay.get((path, i, "before"), ()):
                self._sync(sync)
            if isinstance(node, For):
                trips = loop_trips(node, self.trips.of(node, depth), turn)
                for n in range(trips):
                    inner = depth + (not node.once)
                    self._body(node.body, (*path, i), (*iteration, n), (node.var, n, trips), inner)
                    if node.slot is not None:
                        self.slots[node.slot] = (self.slots[node.slot] + 1) % node.slots
            elif isinstance(node, SetFlag | WaitFlag | Barrier):
                self._sync(node)
            elif isinstance(node, Choose):
                self._instr(node.other, (*path, i), iteration)
            elif isinstance(node, Instr):
                self._instr(node, (*path, i), iteration)
            for sync in self.overlay.get((path, i, "after"), ()):
                self._sync(sync)

    # -- flags ----------------------------------------------------------------------------------------------------

    def _sync(self, node: Sync) -> None:
        self.clock += 1
        if isinstance(node, Barrier):
            self._barrier(node.pipe)
            return
        key = (node.src, node.dst, node.event + (self.slots[node.slot] if node.slot is not None else 0))
        if isinstance(node, SetFlag):
            known = self.known.setdefault(node.src, {})
            if key in self.tokens or self.last_wait.get(key, 0) > known.get(node.dst, 0):
                text = f"flag {node.src} -> {node.dst} #{key[2]} may still be set"
                self.on_find(Finding("double set", None, None, text, node.span, sync=node))
            self.tokens[key] = _Token({**known, node.src: self.progress.get(node.src, 0)})
        else:
            token = self.tokens.pop(key, None)
            if token is None:
                self._find(
                    "deadlock",
                    None,
                    None,
                    f"flag {node.src} -> {node.dst} #{key[2]} is never set",
                    node.span,
                )
                return
            for pipe in self._held_up(node.dst):
                self._learn(pipe, token.knew)
            self.last_wait[key] = self.clock
            self.progress[node.dst] = self.clock

    def _held_up(self, pipe: str) -> tuple[str, ...]:
        """The pipes that run nothing further while ``pipe`` waits, as far as kernels may count on it."""
        return (pipe,)

    def _barrier(self, pipe: str) -> None:
        if pipe != "ALL":
            self.barrier[pipe] = self.clock
            return
        everything = dict(self.progress)
        for name in get_args(Pipe):  # also one that has done nothing yet
            self._learn(name, everything)
            self.barrier[name] = self.clock

    def _learn(self, pipe: str, facts: Mapping[str, int]) -> None:
        known = self.known.setdefault(pipe, {})
        for other, time in facts.items():
            known[other] = max(known.get(other, 0), time)

    # -- instructions ---------------------------------------------------------------------------------------------

    def _instr(self, instr: Instr, path: Path, iteration: Path) -> None:
        self.clock += 1
        assert self.touches is not None
        touch = self.touches.of(instr, self.slots)
        known = self.known.setdefault(instr.pipe, {})
        me = Access(path, iteration, instr, self.clock, touch, {})
        for earlier in reversed(self.history.values()):
            own = earlier.instr.pipe == instr.pipe
            if (own and instr.pipe != "V") or known.get(earlier.instr.pipe, 0) >= earlier.time:
                continue
            if own and (not self.hazards or self.barrier.get("V", 0) >= earlier.time):
                continue
            conflict = self.touches.conflict(earlier.touch, touch)
            if conflict is None:
                continue
            if own:
                self._find("hazard", earlier, me, "vector result used without a barrier", instr.span)
                self.barrier["V"] = self.clock - 1
            else:
                text = _race_text(earlier, me)
                self.on_find(Finding("race", earlier, me, text, instr.span, conflict.slot))
                self._learn(instr.pipe, {**earlier.knew, earlier.instr.pipe: earlier.time})
        self.progress[instr.pipe] = self.clock
        # The latest access from each place to each set of bytes: it stands for the earlier ones. In order of time.
        self.history.pop((path, touch.number), None)
        self.history[path, touch.number] = Access(path, iteration, instr, self.clock, touch, dict(known))


def _race_text(earlier: Access, later: Access) -> str:
    a, b = earlier.instr, later.instr
    touched = (*later.writes, *later.reads)
    region = next((r for r in touched if any(r.overlaps(o) for o in (*earlier.writes, *earlier.reads))), touched[0])
    return (
        f"{b.name} on {b.pipe} may run before {a.name} on {a.pipe} is done with {region.memory}"
        f" 0x{region.start:05x}..0x{region.end:05x} (lines {a.span.line} and {b.span.line})"
    )


def loop_trips(node: For, trips: int, turn: tuple[str, int, int]) -> int:
    """Rounds of a loop in a replay with ``trips`` rounds, in round ``turn`` of the loop around it. A loop whose rounds
    run ahead of each other has one more."""
    if node.once:
        return int(node.runs(*turn))
    return trips + any(isinstance(inner, For) and inner.once for inner in node.body)


def may_be_empty(node: For) -> bool:
    """Whether a loop may have no round where the loop around it runs."""
    return (node.before is not None or node.only is not None) and not node.once


def deepest(kernel: InstrKernel) -> int:
    """Most copies of any buffer."""
    return max((n.slots for n in walk(kernel.body) if isinstance(n, For)), default=1)


def _depth(nodes: Sequence[Node]) -> int:
    """Most loops within each other."""
    return max(((not n.once) + _depth(n.body) for n in nodes if isinstance(n, For)), default=0)


def rounds(kernel: InstrKernel) -> list[Trips]:
    """Trip counts under which a kernel has to hold: every number up to one more than the deepest buffer has copies, for
    all loops alike, for those within others, and for the loops of one depth alone. A loop within one that runs does run
    (its extent is a tile's, or a dim's, or a share that no launch leaves empty), but one that ends early may not, nor
    one whose rounds are left out. A round that is left out touches nothing and does not count: it is as none."""
    most = deepest(kernel) + 1
    found: list[tuple[int, ...]] = [(n,) for n in (most, *range(most), most + 1)]
    depth = _depth(kernel.body)
    for around in range(1, depth):
        found += [(most,) * around + (n,) for n in range(1, most)]
    for around in range(1, depth - 1):
        found += [(most,) * around + (n, most) for n in range(1, most)]
    early = any(isinstance(n, For) and may_be_empty(n) for n in walk(kernel.body))
    return [*(Trips(counts) for counts in found), *(Trips((n,), True) for n in range(1, most + 1) if early)]


def prove(kernel: InstrKernel) -> list[Finding]:
    """Findings of the finished program under all of `rounds`: none if it is sound."""
    findings: list[Finding] = []
    touches = Touches(kernel)
    for trips in rounds(kernel):
        Replay(kernel, trips, on_find=findings.append, touches=touches).run()
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
    "deepest",
    "loop_trips",
    "prove",
    "rounds",
]
