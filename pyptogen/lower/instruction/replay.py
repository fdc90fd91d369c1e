"""Replay of a kernel with vector clocks: who is known to have finished when, and where that is not enough.

Every pipe runs its instructions in order; between pipes only flags order. The replay walks the program with a fixed
trip count for every loop, gives each instruction a time, and keeps for each pipe the latest time of every other pipe
that it is known to come after. Two accesses to the same bytes, one of them a write, without such knowledge are a race.

`synchronise` uses the races it finds to place flags; the same replay of the finished program, for trip counts 0 to 3,
is the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    Declare,
    For,
    Instr,
    InstrKernel,
    Node,
    Pipe,
    SetFlag,
    WaitFlag,
    declarations,
)
from pyptogen.lower.tensor.ir import DTYPES

Path = tuple[int, ...]
MIXED_TRIPS = ((2, 1), (1, 2), (3, 1), (1, 3))
Sync = SetFlag | WaitFlag | Barrier


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes of one memory: ``width`` bytes from ``start``, repeated every ``pitch`` bytes up to ``end``."""

    memory: str
    start: int
    end: int
    pitch: int
    width: int

    def overlaps(self, other: Region) -> bool:
        if self.memory != other.memory or self.end <= other.start or other.end <= self.start:
            return False
        if self.pitch != other.pitch or self.pitch == 0:
            return True
        shift = (other.start - self.start) % self.pitch
        return shift < self.width or shift + other.width > self.pitch


@dataclass(frozen=True, slots=True)
class Access:
    """What one execution of an instruction touched, and what its pipe knew by then."""

    path: Path
    iteration: Path
    instr: Instr
    time: int
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    knew: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where the order does not hold: ``kind`` is race, hazard (same pipe, barrier missing), double set,
    deadlock or left over."""

    kind: str
    earlier: Access | None
    later: Access | None
    text: str
    span: Span


@dataclass(slots=True)
class _Token:
    knew: dict[str, int]
    waited_at: int | None = None


@dataclass(slots=True)
class Replay:
    """One walk. ``overlay`` holds planned flags by (body path, index, before or after the node there)."""

    kernel: InstrKernel
    trips: int
    overlay: Mapping[tuple[Path, int, str], Sequence[Sync]] = field(default_factory=dict)
    on_find: Callable[[Finding], None] = lambda finding: None
    clock: int = 0
    known: dict[str, dict[str, int]] = field(default_factory=dict)
    progress: dict[str, int] = field(default_factory=dict)
    barrier: dict[str, int] = field(default_factory=dict)
    tokens: dict[tuple[str, str, int], _Token] = field(default_factory=dict)
    last_wait: dict[tuple[str, str, int], int] = field(default_factory=dict)
    history: dict[Path, Access] = field(default_factory=dict)
    regions: dict[int, tuple[tuple[Region, ...], tuple[Region, ...]]] = field(default_factory=dict)
    tiles: dict[str, Declare] = field(default_factory=dict)
    inner: int | None = None
    """Trips of loops inside of loops, where they are others; those of a known length run that often, up to 3."""

    def run(self) -> None:
        """Walk the whole kernel; findings go to ``on_find``."""
        self.tiles = declarations(self.kernel)
        self._body(self.kernel.body, (), ())
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

    def _body(self, nodes: Sequence[Node], path: Path, iteration: Path) -> None:
        for i, node in enumerate(nodes):
            for sync in self.overlay.get((path, i, "before"), ()):
                self._sync(sync)
            if isinstance(node, For):
                for n in range(self._trips(node, path)):
                    self._body(node.body, (*path, i), (*iteration, n))
            elif isinstance(node, SetFlag | WaitFlag | Barrier):
                self._sync(node)
            elif isinstance(node, Choose):
                self._instr(node.other, (*path, i), iteration)
            elif isinstance(node, Instr):
                self._instr(node, (*path, i), iteration)
            for sync in self.overlay.get((path, i, "after"), ()):
                self._sync(sync)

    def _trips(self, loop: For, path: Path) -> int:
        if not path or self.inner is None:
            return self.trips
        length = (loop.stop - loop.start).constant
        return self.inner if length is None else min(3, -(-length // loop.step))

    # -- flags ----------------------------------------------------------------------------------------------------

    def _sync(self, node: Sync) -> None:
        self.clock += 1
        if isinstance(node, Barrier):
            self._barrier(node.pipe)
            return
        key = (node.src, node.dst, node.event)
        if isinstance(node, SetFlag):
            known = self.known.setdefault(node.src, {})
            if key in self.tokens or self.last_wait.get(key, 0) > known.get(node.dst, 0):
                self._find(
                    "double set",
                    None,
                    None,
                    f"flag {node.src} -> {node.dst} #{node.event} may still be set",
                    node.span,
                )
            self.tokens[key] = _Token({**known, node.src: self.progress.get(node.src, 0)})
        else:
            token = self.tokens.pop(key, None)
            if token is None:
                self._find(
                    "deadlock",
                    None,
                    None,
                    f"flag {node.src} -> {node.dst} #{node.event} is never set",
                    node.span,
                )
                return
            self._learn(node.dst, token.knew)
            self.last_wait[key] = self.clock
            self.progress[node.dst] = self.clock

    def _barrier(self, pipe: str) -> None:
        if pipe != "ALL":
            self.barrier[pipe] = self.clock
            return
        everything = dict(self.progress)
        for name in (*self.progress, "V"):
            self._learn(name, everything)
            self.barrier[name] = self.clock

    def _learn(self, pipe: str, facts: Mapping[str, int]) -> None:
        known = self.known.setdefault(pipe, {})
        for other, time in facts.items():
            known[other] = max(known.get(other, 0), time)

    # -- instructions ---------------------------------------------------------------------------------------------

    def _instr(self, instr: Instr, path: Path, iteration: Path) -> None:
        self.clock += 1
        reads, writes = self._touched(instr)
        known = self.known.setdefault(instr.pipe, {})
        me = Access(path, iteration, instr, self.clock, reads, writes, {})
        for earlier in sorted(self.history.values(), key=lambda a: -a.time):
            if not _conflict(earlier, me):
                continue
            if earlier.instr.pipe == instr.pipe:
                if instr.pipe == "V" and self.barrier.get("V", 0) < earlier.time:
                    self._find("hazard", earlier, me, "vector result used without a barrier", instr.span)
                    self.barrier["V"] = self.clock - 1
            elif known.get(earlier.instr.pipe, 0) < earlier.time:
                self._find("race", earlier, me, _race_text(earlier, me), instr.span)
                self._learn(instr.pipe, {**earlier.knew, earlier.instr.pipe: earlier.time})
        self.progress[instr.pipe] = self.clock
        self.history[path] = Access(path, iteration, instr, self.clock, reads, writes, dict(known))

    def _touched(self, instr: Instr) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
        found = self.regions.get(id(instr))
        if found is None:
            names = [o for o in instr.operands if isinstance(o, str)]
            regions = [self._region(self.tiles[n]) for n in names]
            stores = instr.name == "TSTORE"
            scratch = regions[2:] if instr.name in ("TROWSUM", "TROWMAX", "TROWMIN") else []
            found = (tuple(regions if stores else regions[1:]), () if stores else (regions[0], *scratch))
            self.regions[id(instr)] = found
        return found

    @staticmethod
    def _region(tile: Declare) -> Region:
        start = tile.address.constant
        size = DTYPES[tile.type.dtype]
        if start is None:
            base = dict(tile.address.terms).get((), 0)
            return Region(tile.type.loc, base, base + (1 << 20), 0, 0)
        pitch = tile.type.cols * size
        if tile.type.loc != "Vec" or tile.type.col_major or tile.type.rows == 1:
            return Region(tile.type.loc, start, start + tile.size, 0, 0)
        return Region(tile.type.loc, start, start + tile.size, pitch, tile.cols.size * size)


def _conflict(a: Access, b: Access) -> bool:
    pairs = [(x, y) for x in a.writes for y in (*b.reads, *b.writes)] + [(x, y) for x in a.reads for y in b.writes]
    return any(x.overlaps(y) for x, y in pairs)


def _race_text(earlier: Access, later: Access) -> str:
    a, b = earlier.instr, later.instr
    region = (*later.writes, *later.reads)[0]
    return (
        f"{b.name} on {b.pipe} may run before {a.name} on {a.pipe} is done with {region.memory}"
        f" 0x{region.start:05x}..0x{region.end:05x} (spec lines {a.span.line} and {b.span.line})"
    )


def prove(kernel: InstrKernel) -> list[Finding]:
    """Findings of the finished program for trip counts 0, 1, 2 and 3 of every loop, and for inner loops that run once in
    several rounds of an outer one, or the other way round: none if it is sound."""
    findings: list[Finding] = []
    for trips in range(4):
        Replay(kernel, trips, on_find=findings.append).run()
    for outer, inner in MIXED_TRIPS:
        Replay(kernel, outer, inner=inner, on_find=findings.append).run()
    return findings


__all__ = ["Access", "Finding", "Path", "Pipe", "Replay", "Sync", "prove"]
