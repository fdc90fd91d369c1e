"""A call of an operator on this machine's processor: what each of its launches takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction.ir import GmWindow, Instr, InstrKernel, Pass, walk
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.simulate.device.call import CallTime, LaunchTime, Run, elements
from pyptogen.simulate.device.launch import Cost
from pyptogen.simulate.device.program import Lane
from pyptogen.simulate.device.reuse import distances
from pyptogen.simulate.graph import chosen_cut, segments
from pyptogen.simulate.processor.figures import Figures
from pyptogen.simulate.processor.kernel import Touching, lane_of

FAR_BYTES = 8 << 20
"""From so many bytes on, results of a launch go around the cache (`FarStores::kLeastBytes` of the bundled headers)."""
BLOCKS = 4
"""Blocks for each core, where there are several."""
LEAST_SHARE = 0.5
"""The part of a launch's time from which on something is named as what holds it up."""


@dataclass(frozen=True, slots=True)
class Part:
    """Nanoseconds of a block: what is computed, what memory takes of it, and both together; ``moved``: bytes by tensor."""

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
    graph = lowered.execution
    tensors = {t.name: t for kernel in kernels.values() for t in kernel.tensors}
    size = {name: float(elements(t.shape, sizes) * DTYPES[t.dtype]) for name, t in tensors.items()}
    plan = graph.plans[chosen_cut(graph, sizes).plan]
    parts: dict[tuple[str, int], tuple[int, Part]] = {}
    launches: list[LaunchTime] = []
    now = figures.call
    footprint = sum(size.values())
    for begin, end in segments(graph, sizes):
        for launch in plan:
            if any(name not in kernels for name in launch.kernels):
                raise ValueError(f"the kernel {launch.kernel} is C++ by an author")
            kernel = kernels[launch.kernel]
            numbers = dict(sizes)
            if graph.segment is not None:
                numbers |= {f"{graph.segment}_begin": 0, f"{graph.segment}_end": end - begin}
            key = (launch.kernel, end - begin)
            if key not in parts:
                blocks = 1
                if launch.tiles is not None and threads > 1:
                    named = {name: numbers.get(name, 1) for name in launch.tiles.names()}
                    blocks = max(1, min(launch.tiles.blocks(named), BLOCKS * threads))
                lane = lane_of(kernel, figures, numbers, 0, blocks)
                where = _Memory(kernel, size, numbers, blocks, footprint, figures, min(threads, blocks))
                parts[key] = blocks, where.part(lane)
            blocks, part = parts[key]
            waves = -(-blocks // threads)
            takes = figures.launch + waves * part.total
            cost = _cost(part, blocks, waves, takes)
            runs = tuple(Run(launch.kernel, "core", core, now, now + takes) for core in range(min(threads, blocks)))
            launches.append(LaunchTime(launch.kernel, launch.kernels, kernel.core, blocks, (begin, end), now, now + takes,
                                       cost, runs, True))  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class _Memory:
    """Where what a launch touches lies."""

    kernel: InstrKernel
    size: Mapping[str, float]
    numbers: Mapping[str, int]
    blocks: int
    footprint: float
    figures: Figures
    cores: int

    def part(self, lane: Lane) -> Part:
        """The block's time: each instruction's computing, and what memory takes beside it."""
        moved: dict[str, float] = {}
        for work, count in zip(lane.work, lane.counts, strict=True):
            assert isinstance(work, Touching)
            for touch in work.touches:
                moved[touch.tensor] = moved.get(touch.tensor, 0.0) + touch.bytes * count
        again = distances([self.kernel], self.numbers, self.blocks)
        far = self._far()
        slow = 1.0 + (self.figures.together - 1.0) * (self.cores > 1)
        computing = memory = total = 0.0
        products = 0
        by_name: dict[str, float] = {}
        for work, count in zip(lane.work, lane.counts, strict=True):
            assert isinstance(work, Touching)
            waits = 0.0
            for touch in work.touches:
                once = self.size.get(touch.tensor, 0.0) / self.blocks
                first = min(1.0, once / moved[touch.tensor]) if moved[touch.tensor] else 1.0
                curve = self.figures.write if touch.writes else self.figures.read
                if touch.writes and touch.tensor in far:
                    waits += touch.bytes * self.figures.far
                    continue
                later = curve.at(again.get(touch.tensor, self.footprint))
                waits += slow * touch.bytes * (first * curve.at(self.footprint) + (1 - first) * later)
            waits += work.tiles * self.figures.read.at(work.tiles) if work.tiles else 0.0
            one = self.figures.joined(work.price.hold, waits)
            computing += count * work.price.hold
            memory += count * waits
            total += count * one
            products += count * work.price.products
            by_name[work.name] = by_name.get(work.name, 0.0) + count * one
        return Part(computing, memory, total, products, moved, by_name)

    def _far(self) -> frozenset[str]:
        """Results that passes store around the cache: all of a launch or none, by their bytes."""
        stored, loaded = set[str](), set[str]()
        for node in walk(self.kernel.body):
            for instr in node.members if isinstance(node, Pass) else (node,) if isinstance(node, Instr) else ():
                for operand in instr.operands:
                    if isinstance(operand, GmWindow):
                        (stored if instr.name == "TSTORE" else loaded).add(operand.tensor)
        results = {t.name for t in self.kernel.writes if t.name in stored - loaded and not t.workspace}
        return frozenset(results) if sum(self.size.get(name, 0.0) for name in results) >= FAR_BYTES else frozenset()



