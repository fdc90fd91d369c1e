"""A call of an operator on a chip: what each of its launches takes, and when each runs."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from functools import reduce

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import For, InstrKernel, walk
from pyptogen.lower.launch_cost import blocks_of
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import distributed_nest
from pyptogen.records import dataclass, replace
from pyptogen.simulate.device.kernel import TooLong, stream_of
from pyptogen.simulate.device.launch import Cost, Launch, cost
from pyptogen.simulate.device.reuse import distances
from pyptogen.simulate.graph import chosen_cut, launch_ranges

ENDLESS = 1e18
"""Cycles that no other way takes; a number, for quotients are made of them."""


@dataclass(frozen=True, slots=True)
class Run:
    """A kernel on one core for one block: which core of its kind, cycles from when it is handed out to its end."""

    kernel: str
    kind: str
    core: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class LaunchTime:
    """One launch of a call: cycles from when its first block is handed out to the end of its last one, on ``blocks``
    cores of ``core``; ``critical``: the call would end earlier if it did."""

    kernel: str
    kernels: tuple[str, ...]
    core: str
    blocks: int
    launch_range: tuple[int, int]
    start: float
    end: float
    cost: Cost
    runs: tuple[Run, ...]
    critical: bool = False


@dataclass(frozen=True, slots=True)
class CallTime:
    """A call: one launch of the whole, and a task on the chip for each launch in it. ``bytes``: of its inputs and
    outputs, each once."""

    operator: str
    platform: str
    launches: tuple[LaunchTime, ...]
    cycles: float
    micros: float
    bytes: float
    roofline: float
    """Cycles that the bytes of the call take at the rate of HBM, or its products on all cube cores, if that is more."""

    @property
    def roofline_share(self) -> float:
        """How much of the time is that, 0 to 1."""
        return self.roofline / self.cycles if self.cycles else 0.0

    @property
    def bound(self) -> str:
        """What holds up the launch that takes longest; ``launch`` where launches themselves are most of the time."""
        longest = max(self.launches, key=lambda launch: launch.end - launch.start)
        return longest.cost.bound


def time_of_call(lowered: Lowered, sizes: Mapping[str, int], task_per_tile: bool = False) -> CallTime:
    """What a call takes on the chip that the operator was lowered for.

    Args:
        lowered: the operator.
        sizes: by dynamic dim.
        task_per_tile: whether each tile is a task that the runtime on the chip hands to a core, as PyPTO's does; our
            launches have as many blocks as there are cores, each with a part of the tiles.

    Raises:
        ValueError: the platform has no figures, or kernels are C++ by an author.
        KeyError: a dim has no size.
        TooLong: a kernel has too many iterations to look at.
    """
    platform = PLATFORMS[lowered.target]
    if platform.timing is None:
        raise ValueError(f"the platform {platform.name} has no figures of time")
    kernels = {kernel.name: kernel for kernel in lowered.instructions}
    graph = lowered.execution
    timing = platform.timing
    cores = {"cube": platform.cube_cores, "vector": platform.vector_cores}
    free = {kind: [(0.0, core) for core in range(count)] for kind, count in cores.items()}
    plan = [launch for launch in graph.plans[chosen_cut(graph, sizes).plan] if launch.may_run(sizes)]
    launches: list[LaunchTime] = []
    priced: dict[tuple[str, int], tuple[int, Cost]] = {}
    written: frozenset[str] = frozenset()
    ready = timing.launch.value
    for begin, end in launch_ranges(graph, sizes):
        done: dict[str, float] = {}
        for launch in plan:
            if any(name not in kernels for name in launch.kernels):
                raise ValueError(f"the kernel {launch.kernel} is C++ by an author")
            programs = [kernels[name] for name in launch.kernels]
            numbers = dict(sizes)
            if graph.launch_dim is not None:
                numbers |= {f"{graph.launch_dim}_begin": 0, f"{graph.launch_dim}_end": end - begin}
            key = (launch.kernel, end - begin)
            if key not in priced:
                blocks = together = blocks_of(launch.tiles, launch.core, platform, numbers, graph.cores)
                if task_per_tile and launch.tiles is not None:
                    blocks = max(1, launch.tiles.blocks({name: numbers.get(name, 1) for name in launch.tiles.names()}))
                priced[key] = blocks, cost_of(programs, blocks, numbers, timing, written, together)
            blocks, found = priced[key]
            written |= {tensor.name for program in programs for tensor in program.writes}
            start = max((ready, *(done.get(name, 0.0) for name in launch.after)))
            runs = _take(free, programs, blocks, start, timing.task.value + found.cycles / found.waves)
            ended = max(run.end for run in runs)
            done[launch.kernel] = ended
            core = "mixed" if len(programs) > 1 else programs[0].core
            span = (begin, end), min(run.start for run in runs), ended
            launches.append(LaunchTime(launch.kernel, launch.kernels, core, blocks, *span, found, runs))
    total = max((launch.end for launch in launches), default=0.0)
    moved = _contract_bytes(lowered, launches, sizes)
    roofline = max(moved / timing.hbm.value, _product_cycles(launches, kernels, timing, platform.cube_cores))
    marked = tuple(_critical(launches, total))
    return CallTime(lowered.name, platform.name, marked, total, total / (platform.frequency_ghz * 1e3), moved, roofline)


def launch_cycles(
    programs: Sequence[InstrKernel], platform: Platform, blocks: int, numbers: Mapping[str, int]
) -> float:
    """Cycles of a launch, to compare ways to do the same: `LaunchCost` of the lowering. `ENDLESS` where there are too
    many iterations to look at.

    Raises:
        ValueError: the platform has no figures.
    """
    if platform.timing is None:
        raise ValueError(f"the platform {platform.name} has no figures of time")
    try:
        return cost_of(programs, blocks, numbers, platform.timing).cycles
    except TooLong:
        return ENDLESS


def cost_of(
    programs: Sequence[InstrKernel],
    blocks: int,
    numbers: Mapping[str, int],
    timing: Timing,
    resident: frozenset[str] = frozenset(),
    cores: int | None = None,
) -> Cost:
    """What a launch of a kernel takes, or of the two programs of a mixed one.

    Args:
        programs: the kernel, or its programs.
        blocks: how many blocks share its work.
        numbers: dims and bounds of the range by name.
        timing: figures of the platform.
        resident: tensors that the call has written before, so that they lie in L2.
        cores: how many cores take blocks; none says that there is one for each.
    """
    tensors = {t.name: t for program in programs for t in program.tensors}
    unique = {name: float(elements(t.shape, numbers) * DTYPES[t.dtype]) for name, t in tensors.items()}
    for program in programs:
        for fifo in program.fifos:
            unique[fifo.name] = unique[fifo.slot] = 0.0
    fifos = frozenset(name for program in programs for fifo in program.fifos for name in (fifo.name, fifo.slot))
    results = frozenset(t.name for program in programs for t in program.writes if not t.workspace)
    reuse = distances(programs, numbers, blocks)
    even = min((evenness(program, numbers, blocks) for program in programs), default=1.0)
    uneven = any(
        isinstance(n, For) and not n.once and (n.before is not None or n.after is not None)
        for program in programs
        for n in walk(program.body)
    )
    found = [
        cost(
            Launch(
                tuple(stream_of(program, timing, numbers, block, blocks) for program in programs),
                blocks, cores or blocks, unique, reuse, resident | fifos, results, even,
            ),
            timing,
        )
        for block in sorted({0, blocks - 1} if uneven else {0})
    ]  # fmt: skip
    slowest = max(found, key=lambda one: one.cycles)
    return replace(slowest, products=sum(one.products for one in found) // len(found))


def evenness(program: InstrKernel, numbers: Mapping[str, int], blocks: int) -> float:
    """What blocks do on average, of what the first one does, which has an iteration more than others where the
    iterations are no multiple of the blocks; 1 of programs with no distributed loops, or several after each other."""
    outer = [node for node in program.body if isinstance(node, For)]
    while len(outer) == 1 and not outer[0].parallel:
        outer = [node for node in outer[0].body if isinstance(node, For)]
    nest = distributed_nest(outer[0]) if len(outer) == 1 else ()
    names = {name for loop in nest for name in (*loop.start.names(), *loop.stop.names())}
    if not nest or not names <= numbers.keys():
        return 1.0
    trips = [max(0, -(-(loop.stop - loop.start).evaluate(numbers) // loop.step)) for loop in nest]
    total = reduce(lambda a, b: a * b, trips, 1)
    return total / (blocks * -(-total // blocks)) if total else 1.0


def _take(
    free: dict[str, list[tuple[float, int]]], programs: Sequence[InstrKernel], blocks: int, ready: float, takes: float
) -> tuple[Run, ...]:
    """Gives each block the core that is free first, or the cores of a mixed kernel's programs together."""
    streams = [
        (p.name, "cube" if p.core == "cube" else "vector") for p in programs for _ in range(2 if p.subblock else 1)
    ]
    runs: list[Run] = []
    for _ in range(blocks):
        taken = [(name, kind, *heapq.heappop(free[kind])) for name, kind in streams]
        start = max(ready, *(when for _, _, when, _ in taken))
        for name, kind, _, core in taken:
            heapq.heappush(free[kind], (start + takes, core))
            runs.append(Run(name, kind, core, start, start + takes))
    return tuple(runs)


def _critical(launches: Sequence[LaunchTime], total: float) -> list[LaunchTime]:
    """Marks the launches on the way to the end: each ends when one of them starts, or last of all."""
    ends = {total}
    found: list[LaunchTime] = []
    for launch in sorted(launches, key=lambda one: -one.end):
        on_it = launch.end in ends
        if on_it:
            ends.add(launch.start)
        found.append(replace(launch, critical=on_it))
    return sorted(found, key=lambda one: (one.start, one.kernel))


def elements(shape: Sequence[Poly], numbers: Mapping[str, int]) -> int:
    extents = (extent.evaluate({name: numbers.get(name, 1) for name in extent.names()}) for extent in shape)
    return reduce(lambda a, b: a * b, extents, 1)


def _contract_bytes(lowered: Lowered, launches: Sequence[LaunchTime], sizes: Mapping[str, int]) -> float:
    """Bytes of all inputs and outputs; of those of which kernels pick elements, as many as they pick."""
    tensors = {t.name: t for kernel in lowered.instructions for t in kernel.tensors if not t.workspace}
    moved: dict[str, float] = {}
    for launch in launches:
        for name, count in launch.cost.tensors.items():
            moved[name] = moved.get(name, 0.0) + count
    whole = {name: float(elements(t.shape, sizes) * DTYPES[t.dtype]) for name, t in tensors.items()}
    return sum(min(size, moved.get(name, size)) for name, size in whole.items())


def _product_cycles(
    launches: Sequence[LaunchTime], kernels: Mapping[str, InstrKernel], timing: Timing, cores: int
) -> float:
    """Cycles of all products, shared by all cube cores."""
    total = 0.0
    for launch in launches:
        dtypes = {
            n.type.dtype for name in launch.kernels for n in walk(kernels[name].body)
            if hasattr(n, "type") and n.type.loc == "Left"
        }  # fmt: skip
        kind = "fp32" if "fp32" in dtypes else "int8" if dtypes and dtypes <= {"int8", "uint8", "int4"} else "fp16"
        total += launch.cost.products / timing.products[kind].value
    return total / cores
