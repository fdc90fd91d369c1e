"""Which bytes an instruction accesses, and which instructions may not swap.

A rotating tile lies at another address from iteration to iteration, so what an instruction accesses depends on the
counters of the loops around it. Every (instruction, counters) is looked at once; so is every pair.

Of GM, only tensors count of which a place is known at run time alone, because an index says it: each access may be to
the same bytes as any other. Where places are affine, an element that a kernel reads and writes is the same iteration's,
and an instruction stores to another place in each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyptogen.lower.instruction.cube_tiles import cube_tile
from pyptogen.lower.instruction.handover import FlagAction, Handover
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Phase,
    ReadIndex,
    declarations,
    walk,
)
from pyptogen.lower.isa.fractals import CubeTile, Spacing, distances
from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass, replace

UNKNOWN_REACH = 1 << 20
"""Bytes behind a tile whose address nobody knows before run time: all of any memory."""


GM = "GM "
"""How memories begin that are tensors."""
STORE_PIPES = frozenset({"MTE3", "FIX"})
"""The pipes that store to GM. What depends on each other in one pipe needs a `pipe_barrier` (public Ascend C reference,
PipeBarrier)."""


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes of one memory: ``width`` bytes from ``start``, repeated every ``pitch`` bytes up to ``end``. ``slot``
    counts the copies of the buffer that it lies in. ``unordered``: of GM, the number of the instruction whose stores
    there need no order (0: they do). ``handed``: of L0C, by an instruction that waits for its unit flags."""

    memory: str
    start: int
    end: int
    pitch: int
    width: int
    slot: str | None = None
    unordered: int = 0
    handed: bool = False

    def overlaps(self, other: Region) -> bool:
        if self.memory != other.memory or self.end <= other.start or other.end <= self.start:
            return False
        if self.pitch != other.pitch or self.pitch == 0:
            return True
        shift = (other.start - self.start) % self.pitch
        return shift < self.width or shift + other.width > self.pitch

    def meets(self, other: Region) -> bool:
        """Whether an access here and one to the other bytes, one of them writing, need an order that somebody has to
        make: the hardware orders those of a handover of exactly these bytes (`handover`)."""
        handed = self.handed and other.handed and (self.start, self.end) == (other.start, other.end)
        return not handed and self.overlaps(other)

    def keeps_order_with(self, other: Region) -> bool:
        """Whether a store here and one to the other bytes have to arrive as they leave."""
        return self.overlaps(other) and not (self.unordered and self.unordered == other.unordered)


Lying = tuple[tuple[str, int], Spacing]
"""How far apart the fractals of one operand in L0 are: its location, its first byte, the distance."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What one instruction reads and writes, on chip and where an index says; ``number`` is its own. ``leaves`` and
    ``takes``: how far apart fractals of L0 lie behind it, and have to lie before it, by location and first byte.
    ``handover``: what it does to unit flags."""

    number: int
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    leaves: tuple[Lying, ...] = ()
    takes: tuple[Lying, ...] = ()
    handover: Handover | None = None

    @property
    def stores(self) -> tuple[Region, ...]:
        """The bytes of GM that it writes."""
        return tuple(region for region in self.writes if region.memory.startswith(GM))


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two instructions access the same bytes, one of them writing. ``slot``: all of these bytes are in copies that
    this counter chooses."""

    slot: str | None


Cube = tuple[tuple[Lying, ...], tuple[Lying, ...], Handover | None]
Met = tuple[int, dict[int, list[int]], dict[int, None], Cube | None]
"""Of an access: the number of its pipe; by the numbers of other pipes their accesses to the same bytes, one of
the two writing; those of its own pipe that it may not run beside, as keys; how fractals have to lie before it, and lie
behind it, and what it does to unit flags."""


class KernelEffects:
    """What the instructions of one kernel access. ``met`` has a line for each access that was looked at so far."""

    def __init__(self, kernel: InstrKernel) -> None:
        self._kernel = kernel  # instructions are known by identity: they must stay alive
        self._tiles = declarations(kernel)
        self._read_numbers = _numbers(kernel)
        self._indexed = _indexed(kernel, self._read_numbers)
        self._found: dict[tuple[int, ...], Effects] = {}
        self._unordered: dict[int, int] = {}
        """Numbers of instructions by identity (`Region`)."""
        self._counters: dict[int, tuple[str, ...]] = {}
        self._fixed: dict[int, Effects] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._regions: dict[tuple[object, ...], Region] = {}
        self._cube_tiles: dict[str, CubeTile] = {}
        self._conflicts: dict[int, dict[int, Conflict | None]] = {}
        self.about: list[dict[int, str | None]] = []
        """By access, for the accesses before it that it conflicts with, the counter of `Conflict`."""
        self._hazards = PLATFORMS[kernel.platform].vector_barriers
        self._in: dict[str, list[tuple[int, bool, Region]]] = {}
        nodes = (node.other if isinstance(node, Choose) else node for node in walk(kernel.body))
        pipes = dict.fromkeys(node.pipe for node in nodes if isinstance(node, Instr))
        self.pipes: dict[str, int] = {pipe: number for number, pipe in enumerate(pipes)}
        self.slots = {n.slot: 0 for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None}
        """The counters of copies, as the kernel begins."""
        self.met: list[Met] = []
        self.steps: dict[int, tuple[Any, ...]] = {}
        """By instruction what `in_order` made ready of it."""

    def of(self, instr: Instr, slots: Mapping[str, int]) -> Effects:
        """What an instruction accesses in an iteration with these counters."""
        fixed = self._fixed.get(id(instr))
        if fixed is not None:
            return fixed
        names = self._counters.get(id(instr))
        if names is None:
            names = self.counters(instr, slots)
        key = (id(instr), *[slots[name] for name in names])
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look(instr, slots)
            self._meet(found, instr.pipe)
        if not names:
            self._fixed[id(instr)] = found
        return found

    def counters(self, instr: Instr, slots: Mapping[str, int]) -> tuple[str, ...]:
        """The counters, of those in ``slots``, that say where the tiles of an instruction lie."""
        names = self._counters.get(id(instr))
        if names is None:
            tiles = [self._tiles[o] for o in instr.operands if isinstance(o, str)]
            used = {n for tile in tiles for n in tile.address.names()}
            names = self._counters[id(instr)] = tuple(sorted(used & slots.keys()))
        return names

    def _meet(self, effects: Effects, pipe: str) -> None:
        """Write down which of the accesses so far this one conflicts with. Of its own pipe those count whose results
        need a barrier: vector results, where the platform says so, and stores to the same bytes of GM."""
        me = self.pipes[pipe]
        cube = (effects.takes, effects.leaves, effects.handover)
        mine: Met = me, {}, {}, cube if any(cube) else None
        self.met.append(mine)
        met, stored = dict[int, str | None](), set[int]()
        for writes, regions in ((False, effects.reads), (True, effects.writes)):
            for region in regions:
                self._in.setdefault(region.memory, []).append((effects.number, writes, region))
        for writes, regions in ((False, effects.reads), (True, effects.writes)):
            for region in regions:
                for number, other_writes, other in self._in[region.memory]:
                    if (writes or other_writes) and region.meets(other):
                        slot = region.slot if region.slot == other.slot else None
                        met[number] = slot if met.get(number, slot) == slot else None
                        both = writes and other_writes and region.memory.startswith(GM)
                        if both and region.keeps_order_with(other):
                            stored.add(number)
        self.about.append(met)
        for number in sorted(met):
            at, others, own, _ = self.met[number]
            if at != me:
                mine[1].setdefault(at, []).append(number)
                others.setdefault(me, []).append(effects.number)
            elif (pipe in STORE_PIPES and number in stored) or (pipe == "V" and self._hazards):
                mine[2][number] = own[effects.number] = None

    def _look(self, instr: Instr, slots: Mapping[str, int]) -> Effects:
        operands = [o for o in instr.operands if isinstance(o, str | GmWindow)]
        effects = INSTRUCTIONS[instr.name].effects_for(len(operands))
        reads, writes = [], []
        handover = None
        for operand, effect in zip(operands, effects, strict=True):
            if isinstance(operand, str):
                region = self._region(self._tiles[operand], slots)
                if instr.phase is not None and region.memory == "Acc":
                    region, handover = replace(region, handed=True), _handover(instr, instr.phase, region)
            elif operand.tensor in self._indexed:
                known = operand.offset.names().isdisjoint(self._read_numbers)
                alone = self._unordered.setdefault(id(instr), len(self._unordered) + 1)
                unordered = alone if operand.unordered or known else 0
                region = Region(f"{GM}{operand.tensor}", 0, UNKNOWN_REACH, 0, 0, unordered=unordered)
            else:
                continue
            reads += [region] if effect in "ru" else []
            writes += [region] if effect in "wut" else []
        return Effects(len(self._found), tuple(reads), tuple(writes), *self._lying(instr, slots), handover)

    def _lying(self, instr: Instr, slots: Mapping[str, int]) -> tuple[tuple[Lying, ...], tuple[Lying, ...]]:
        """How the fractals of operands lie behind an instruction, and how they have to lie before it."""
        tiles = [self._tiles[o] for o in instr.operands if isinstance(o, str)]
        if not any(tile.type.loc in ("Left", "Right", "Acc") for tile in tiles):
            return (), ()
        starts = [self._region(tile, slots).start for tile in tiles]
        kinds = tuple([self._cube_tile(tile) for tile in tiles])
        left, taken = (
            tuple(((kinds[at].loc, starts[at]), apart) for at, apart in places)
            for places in distances(instr.name, kinds, self._kernel.platform)
        )
        return left, taken

    def _cube_tile(self, tile: Declare) -> CubeTile:
        found = self._cube_tiles.get(tile.name)
        if found is None:
            found = self._cube_tiles[tile.name] = cube_tile(tile)
        return found

    def _region(self, tile: Declare, slots: Mapping[str, int]) -> Region:
        """The bytes of a tile in an iteration with these counters; each is worked out once."""
        names = self._names.get(tile.name)
        if names is None:
            names = self._names[tile.name] = tile.address.names()
        if not names <= slots.keys():
            return self._placed(tile, names, slots)
        key = (tile.name, *[slots[name] for name in names])
        found = self._regions.get(key)
        if found is None:
            found = self._regions[key] = self._placed(tile, names, slots)
        return found

    def _placed(self, tile: Declare, names: frozenset[str], slots: Mapping[str, int]) -> Region:
        rotating = sorted(names & slots.keys())
        slot = rotating[0] if len(rotating) == 1 else None
        start = tile.address.evaluate({**dict.fromkeys(names, 0), **slots})
        size = DTYPES[tile.type.dtype]
        if not names <= slots.keys():
            owner = self._tiles.get(tile.owner)
            end = start + (tile.whole or (owner.size if owner is not None else UNKNOWN_REACH))
            if owner is not None and owner.address.names() <= slots.keys():
                start = max(start, owner.address.evaluate(slots))  # the row before the first one of none is not its own
            return Region(tile.type.loc, start, end, 0, 0, slot)
        pitch = tile.type.cols * size
        if tile.type.loc != "Vec" or tile.type.col_major or tile.type.rows == 1:
            return Region(tile.type.loc, start, start + tile.size, 0, 0, slot)
        return Region(tile.type.loc, start, start + tile.size, pitch, tile.cols.size * size, slot)

    def before(self, later: Effects) -> dict[int, Conflict | None]:
        """What is known so far of why ``later`` has to come after others, by their numbers."""
        return self._conflicts.setdefault(later.number, {})

    def conflict(self, earlier: Effects, later: Effects) -> Conflict | None:
        """Why ``later`` has to come after ``earlier``, if it has to."""
        known = self.before(later)
        if earlier.number not in known:
            known[earlier.number] = _compare(earlier, later)
        return known[earlier.number]


def _handover(instr: Instr, phase: Phase, region: Region) -> Handover:
    stores = instr.pipe == "FIX"
    partial: FlagAction = "await" if stores else "look"
    final: FlagAction = "clear" if stores else "set"
    return Handover((region.start, region.end), partial if phase.name == "Partial" else final, phase.loops)


def _numbers(kernel: InstrKernel) -> frozenset[str]:
    """The numbers that the kernel reads at run time."""
    nodes = list(walk(kernel.body))
    conditions = [node.only for node in nodes if isinstance(node, For) and node.only is not None]
    elements = {element.name for only in conditions for element in only.elements}
    return frozenset(elements | {node.name for node in nodes if isinstance(node, ReadIndex)})


def _indexed(kernel: InstrKernel, numbers: frozenset[str]) -> frozenset[str]:
    """The tensors of GM that the kernel accesses where one of these numbers says."""
    nodes = list(walk(kernel.body))
    instructions = [node.other if isinstance(node, Choose) else node for node in nodes]
    windows = [o for i in instructions if isinstance(i, Instr) for o in i.operands if isinstance(o, GmWindow)]
    return frozenset(window.tensor for window in windows if window.offset.names() & numbers)


def _compare(a: Effects, b: Effects) -> Conflict | None:
    pairs = [(x, y) for x in a.writes for y in (*b.reads, *b.writes)] + [(x, y) for x in a.reads for y in b.writes]
    meeting = [(x, y) for x, y in pairs if x.meets(y)]
    if not meeting:
        return None
    slots = {slot for x, y in meeting for slot in (x.slot, y.slot)}
    return Conflict(slots.pop() if len(slots) == 1 else None)
