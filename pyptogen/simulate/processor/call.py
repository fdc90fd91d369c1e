"""A call of an operator on this machine's processor: what each of its launches takes."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import LaunchPlan
from pyptogen.lower.instruction.ir import GmWindow, Instr, InstrKernel, Pass, walk
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass
from pyptogen.simulate.device.call import CallTime, LaunchTime, Run, elements
from pyptogen.simulate.device.launch import Cost
from pyptogen.simulate.device.program import InstrStream
from pyptogen.simulate.device.reuse import distances
from pyptogen.simulate.graph import chosen_cut, launch_ranges
from pyptogen.simulate.processor.figures import Figures
from pyptogen.simulate.processor.kernel import Access, MemoryWork, stream_of

FAR_BYTES = 8 << 20
"""From so many bytes on, results of a launch go around the cache (`FarStores::kLeastBytes` of the bundled headers)."""
BLOCKS = 4
"""Blocks for each core, where there are several."""
LEAST_SHARE = 0.5
"""The part of a launch's time from which on something is named as what holds it up."""


@dataclass(frozen=True, slots=True)
class Part:
    """Nanoseconds of a block: what is computed, what memory takes, and both together; ``moved``: bytes by tensor."""

    computing: float
    memory: float
    total: float
    products: int
    moved: Mapping[str, float]
    by_name: Mapping[str, float]


def time_of_call(lowered: Lowered, sizes: Mapping[str, int], figures: Figures, threads: int = 1) -> CallTime:
    """What a call from Python takes, its data being where the last call of the same left them. Cycles are
    nanoseconds.

    Args:
        lowered: the operator for `cpu`.
        sizes: by dynamic dim.
        figures: of this machine.
        threads: cores of the chip.

    Raises:
        ValueError: kernels are C++ by an author.
        KeyError: a dim has no size.
        TooLong: a kernel has too many iterations to look at.
    """
    kernels = {kernel.name: kernel for kernel in lowered.walked}
    seen = {kernel.name for kernel in lowered.instructions}
    graph = lowered.execution
    tensors = {t.name: t for kernel in kernels.values() for t in kernel.tensors}
    size = {name: float(elements(t.shape, sizes) * DTYPES[t.dtype]) for name, t in tensors.items()}
    plan = [launch for launch in graph.plans[chosen_cut(graph, sizes).plan] if launch.may_run(sizes)]
    streams: dict[tuple[str, int], tuple[int, _Launch]] = {}
    order: list[tuple[LaunchPlan, tuple[int, int]]] = []
    for begin, end in launch_ranges(graph, sizes):
        for launch in plan:
            if any(name not in seen for name in launch.kernels):
                raise ValueError(f"the kernel {launch.kernel} is C++ by an author")
            order.append((launch, (begin, end)))
            key = launch.kernel, end - begin
            if key not in streams:
                numbers = dict(sizes)
                if graph.launch_dim is not None:
                    numbers |= {f"{graph.launch_dim}_begin": 0, f"{graph.launch_dim}_end": end - begin}
                blocks = _blocks(launch, numbers, threads)
                stream = stream_of(kernels[launch.kernel], figures, numbers, 0, blocks)
                streams[key] = blocks, _Launch(kernels[launch.kernel], stream, numbers, blocks)
    accessed: dict[str, float] = {}
    for launch, (begin, end) in order:
        blocks, one = streams[launch.kernel, end - begin]
        for name, count in one.moved().items():
            accessed[name] = accessed.get(name, 0.0) + blocks * count
    footprint = sum(min(each, accessed.get(name, 0.0)) for name, each in size.items())
    parts = {
        key: _Memory(one, size, footprint, figures, min(threads, blocks), _far(one.kernel, size)).part()
        for key, (blocks, one) in streams.items()
    }
    launches: list[LaunchTime] = []
    now = figures.call
    for launch, span in order:
        blocks, one = streams[launch.kernel, span[1] - span[0]]
        part = parts[launch.kernel, span[1] - span[0]]
        waves = -(-blocks // threads)
        takes = figures.launch + waves * part.total
        runs = tuple(Run(launch.kernel, "core", core, now, now + takes) for core in range(min(threads, blocks)))
        found = LaunchTime(
            launch.kernel, launch.kernels, one.kernel.core, blocks, span, now, now + takes,
            _cost(part, blocks, waves, takes), runs, True,
        )  # fmt: skip
        launches.append(found)
        now += takes
    moved = sum(each for name, each in size.items() if not tensors[name].workspace)
    roofline = moved * figures.read.at(footprint) / threads
    return CallTime(lowered.name, "cpu", tuple(launches), now, now / 1e3, moved, roofline)


def _cost(part: Part, blocks: int, waves: int, takes: float) -> Cost:
    share = {"computing": waves * part.computing / takes, "memory": waves * part.memory / takes}
    longest = max(part.by_name.items(), key=lambda item: item[1], default=("", 0.0))
    bound = "launch"
    if waves * part.total >= LEAST_SHARE * takes:
        bound = "memory" if part.memory > part.computing else longest[0].split()[0]
    busy = {name: min(1.0, each) for name, each in share.items()}
    total = blocks * sum(part.moved.values())
    return Cost(takes, busy, bound, total, 0.0, blocks * part.products, waves, tensors=part.moved)


def _blocks(launch: LaunchPlan, numbers: Mapping[str, int], threads: int) -> int:
    """One for a single core, else a few for each, as generated orchestrations launch."""
    if launch.tiles is None or threads == 1:
        return 1
    named = {name: numbers.get(name, 1) for name in launch.tiles.names()}
    return max(1, min(launch.tiles.blocks(named), BLOCKS * threads))


@dataclass(frozen=True, slots=True)
class _Launch:
    """A kernel on one range, and what a block of it does."""

    kernel: InstrKernel
    stream: InstrStream
    numbers: Mapping[str, int]
    blocks: int

    def moved(self) -> dict[str, float]:
        """Bytes that a block moves, by tensor."""
        found: dict[str, float] = {}
        for work, count in zip(self.stream.work, self.stream.counts, strict=True):
            assert isinstance(work, MemoryWork)
            for access in work.accesses:
                found[access.tensor] = found.get(access.tensor, 0.0) + access.bytes * count
        return found


@dataclass(frozen=True, slots=True)
class _Memory:
    """Where what a launch accesses lies."""

    launch: _Launch
    size: Mapping[str, float]
    footprint: float
    figures: Figures
    cores: int
    far: frozenset[str]

    def part(self) -> Part:
        """The block's time: each instruction's computing, and what memory takes beside it."""
        stream = self.launch.stream
        moved: dict[tuple[str, bool], float] = {}
        for work, count in zip(stream.work, stream.counts, strict=True):
            assert isinstance(work, MemoryWork)
            for access in work.accesses:
                key = access.tensor, access.writes
                moved[key] = moved.get(key, 0.0) + access.bytes * count
        again = distances([self.launch.kernel], self.launch.numbers, self.launch.blocks)
        computing = memory = total = 0.0
        products = 0
        by_name: dict[str, float] = {}
        for work, count in zip(stream.work, stream.counts, strict=True):
            assert isinstance(work, MemoryWork)
            if work.bound:
                one = self._bound(work, moved, again)
                waits = one - work.price.hold
            else:
                waits = self._waits(work, moved, again)
                one = self.figures.joined(work.price.hold, work.moving, waits)
            computing += count * work.price.hold
            memory += count * waits
            total += count * one
            products += count * work.price.products
            by_name[work.name] = by_name.get(work.name, 0.0) + count * one
        tensors = {name: moved.get((name, False), 0.0) + moved.get((name, True), 0.0) for name, _ in moved}
        return Part(computing, memory, total, products, tensors, by_name)

    def _bound(self, work: MemoryWork, moved: Mapping[tuple[str, bool], float], again: Mapping[str, float]) -> float:
        """A product whose right operand stays in global memory."""
        bound = self.figures.bound.get(work.bound, self.figures.bound["bf16"])
        slow = self.figures.together if self.cores > 1 else 1.0
        memory = 0.0
        for access in work.accesses:
            first, between = self._shares(access, moved, again)
            rate = first * bound.bytes_.at(self.footprint) + (1 - first) * bound.bytes_.at(between)
            memory += slow * access.bytes * rate
        return bound.joined(work.price.hold, memory, self.footprint)

    def _waits(self, work: MemoryWork, moved: Mapping[tuple[str, bool], float], again: Mapping[str, float]) -> float:
        """Nanoseconds of memory for an instruction: what it reads and what it writes, which go on beside each other as
        far as copies showed."""
        reading, writing = self._of_tiles(work)
        around = 0.0
        for access in work.accesses:
            if access.around and access.tensor in self.far:
                around += access.bytes * self.figures.far
            elif access.writes:
                writing += self._access_time(access, moved, again)
                if work.turns is not None:
                    writing += access.bytes * self.figures.turns[work.turns].at(self.footprint)
            else:
                reading += self._access_time(access, moved, again)
        mixed = self.figures.mixed_far if around else self.figures.mixed.at(self.footprint)
        if any(access.jumps for access in work.accesses):
            mixed = 0.0  # what goes to a place that nobody foresaw waits for it alone
        return reading + writing + around - mixed * min(reading, writing + around)

    def _of_tiles(self, work: MemoryWork) -> tuple[float, float]:
        """Nanoseconds of tiles that do not stay in the nearest cache, read and written, as all of the kernel's and what
        it streams past them lie between two uses of one."""
        among = dict(self.launch.kernel.occupancy).get("ub", 0) + sum(access.bytes for access in work.accesses)
        return work.read * self.figures.read.at(among), work.written * self.figures.write.at(among)

    def _access_time(
        self, access: Access, moved: Mapping[tuple[str, bool], float], again: Mapping[str, float]
    ) -> float:
        """Nanoseconds of memory for one access: what is accessed first lies where the last call left it, what is
        accessed again as far off as what lies between."""
        figures = self.figures
        kind, count = access.gathered
        if kind:
            return count * figures.gathers[kind].at(min(self.size.get(access.tensor, 0.0), self.footprint))
        first, between = self._shares(access, moved, again)
        rate = first * self._rate(access, moved, self.footprint) + (1 - first) * self._rate(access, moved, between)
        slow = figures.together if self.cores > 1 else 1.0
        if not access.jumps:
            return slow * access.bytes * rate
        among = min(self.size.get(access.tensor, 0.0), self.footprint)
        jump = figures.jumps["write" if access.writes else "read"].at(access.bytes / access.jumps, among)
        return slow * access.bytes * rate + access.jumps * jump

    def _shares(
        self, access: Access, moved: Mapping[tuple[str, bool], float], again: Mapping[str, float]
    ) -> tuple[float, float]:
        """The part of a tensor's bytes that are accessed for the first time, and the bytes that lie between two
        accesses of the others."""
        once = self.size.get(access.tensor, access.bytes) / self.launch.blocks
        everything = moved[access.tensor, access.writes]
        first = min(1.0, once / everything) if everything else 1.0
        return first, again.get(access.tensor, self.footprint)

    def _rate(self, access: Access, moved: Mapping[tuple[str, bool], float], among: float) -> float:
        """Nanoseconds a byte. What was read before it is written was brought in by that."""
        read = self.figures.read.at(among)
        if not access.writes:
            return read
        write = self.figures.write.at(among)
        return max(0.0, write - read) if (access.tensor, False) in moved else write


def _far(kernel: InstrKernel, size: Mapping[str, float]) -> frozenset[str]:
    """Results that passes store around the cache: all of a launch or none, by their bytes."""
    stored, loaded = set[str](), set[str]()
    for node in walk(kernel.body):
        for instr in node.members if isinstance(node, Pass) else (node,) if isinstance(node, Instr) else ():
            for operand in instr.operands:
                if isinstance(operand, GmWindow):
                    (stored if instr.name == "TSTORE" else loaded).add(operand.tensor)
    results = {t.name for t in kernel.writes if t.name in stored - loaded and not t.workspace}
    return frozenset(results) if sum(size.get(name, 0.0) for name in results) >= FAR_BYTES else frozenset()
