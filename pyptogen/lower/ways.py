"""The ways to lower an operator that are compared where its tiling rows leave the choice to the compiler: which stages
share a kernel, and in which kernels cube and vector cores meet in fifos.

`fused_stages` and `fifo_or_gm` search through them. A way is lowered once, however often it is asked for; what its
launches take is what the model of the device says (`LaunchCost`), or else what the slower program of each takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import LaunchPlan
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.estimate import NOMINAL_ROWS, nominal_dims
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.launch_cost import LaunchCost, blocks_of, compared_sizes, with_bounds
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, asked
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.kernels.partition import groups
from pyptogen.lower.tile.sizes.sizes import SLOTS, Selected
from pyptogen.records import dataclass, replace

Stages = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way: ``fused`` stages, more than one for each kernel, beside those that rows fuse, and the kernels, by their
    first stage, that are to have ``fifos``."""

    fused: tuple[Stages, ...] = ()
    fifos: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cycles:
    """What a way takes: its launches by the first stage of their kernel, and the call, in which a launch waits for
    those that it needs and for the cores of its kind."""

    kernels: Mapping[str, float]
    call: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The way that is taken, what to tell people of it, and the keys of a tiling row that would say the same."""

    way: Way
    notes: tuple[str, ...] = ()
    keys: Mapping[str, object] = field(default_factory=dict)

    def noted(self, note: str, keys: Mapping[str, object]) -> Choice:
        """The same, with one line and its keys more."""
        return replace(self, notes=(*self.notes, note), keys={**self.keys, **keys})


@dataclass(slots=True)
class Ways:
    """All ways to lower ``program`` for ``rows``; ``lowered`` lowers it for rows as they are."""

    program: Program
    platform: Platform
    rows: Sequence[Selected]
    launch_cost: LaunchCost | None
    lowered: Callable[[Sequence[Selected]], Lowered]
    _results: dict[Way, Lowered | Refusal] = field(default_factory=dict)
    _walked: dict[tuple[object, ...], float] = field(default_factory=dict)

    def rows_of(self, way: Way) -> list[Selected]:
        """The rows, as an author would write them for a way."""
        sizes = {stage: {"fifo": SLOTS} for stage in sorted(way.fifos)}
        return [
            replace(row, row=replace(row.row, fuse=way.fused or row.row.fuse, sizes={**row.row.sizes, **sizes}))
            for row in self.rows
        ]

    def groups(self, way: Way) -> list[Stages]:
        """Stages by kernel."""
        return groups(self.program, self.rows_of(way)[0].row)

    def result(self, way: Way) -> Lowered | Refusal:
        """The operator in one way, or why it cannot be."""
        if way not in self._results:
            self._results[way] = asked(self.lowered, self.rows_of(way))
        return self._results[way]

    def made(self, way: Way) -> Lowered:
        """The operator in a way that can be."""
        result = self.result(way)
        assert not isinstance(result, Refusal)
        return result

    def leaders(self, way: Way) -> dict[str, str]:
        """The first stage of its kernel, by stage."""
        return {stage: kernel[0] for kernel in self.groups(way) for stage in kernel}

    def with_fifos(self, way: Way) -> frozenset[str]:
        """The kernels, by their first stage, whose cores meet in fifos in some plan."""
        result, leaders = self.made(way), self.leaders(way)
        launches = (launch for plan in result.execution.plans for launch in plan)
        return frozenset(_leader(result, launch, leaders) for launch in launches if launch.programs)

    def cycles(self, *ways: Way) -> list[Cycles]:
        """What each way takes, all at the same sizes, by the last plan, which serves the longest calls."""
        results = [self.made(way) for way in ways]
        dims = nominal_dims(results[0].program.dims)
        if self.launch_cost is not None:
            kernels = [kernel for result in results for kernel in result.instructions]
            dims = compared_sizes(kernels, self.platform.cube_cores, dims)
        return [self._cycles(way, dims) for way in ways]

    def gain(self, slower: Way, faster: Way) -> float:
        """How many times as fast a call is in the second way."""
        before, after = self.cycles(slower, faster)
        return before.call / after.call

    def _cycles(self, way: Way, dims: Mapping[str, int]) -> Cycles:
        result, leaders = self.made(way), self.leaders(way)
        assert self.platform.timing is not None
        kernels = {kernel.name: kernel for kernel in result.instructions}
        total: dict[str, float] = {}
        ended: dict[str, float] = {}
        free = {"cube": 0.0, "vector": 0.0}
        for launch in result.execution.plans[-1]:
            if not launch.may_run(dims):
                continue
            programs = [kernels[name] for name in launch.kernels if name in kernels]
            numbers = with_bounds(dims, result.execution.launch_dim)
            cycles = self._launch(launch, programs, numbers) + self.platform.timing.task.value
            leader = _leader(result, launch, leaders)
            total[leader] = total.get(leader, 0.0) + cycles
            kinds = {"cube" if one.core == "cube" else "vector" for one in programs}
            begin = max(
                (*(ended.get(name, 0.0) for name in launch.after), *(free[kind] for kind in kinds)), default=0.0
            )
            ended[launch.kernel] = begin + cycles
            free |= dict.fromkeys(kinds, begin + cycles)
        return Cycles(total, max(ended.values(), default=0.0))

    def _launch(self, launch: LaunchPlan, programs: Sequence[InstrKernel], numbers: Mapping[str, int]) -> float:
        """Cycles of one launch. Of C++ by an author nobody knows what it takes."""
        blocks = blocks_of(launch.tiles, launch.core, self.platform, numbers)
        key = (*map(id, programs), blocks, *numbers.items())  # programs live as long as the results here
        if key not in self._walked:
            if self.launch_cost is not None and programs:
                self._walked[key] = self.launch_cost(programs, self.platform, blocks, numbers)
            else:
                alone = (duration(one, self.platform, NOMINAL_ROWS, numbers) or 0.0 for one in programs)
                self._walked[key] = max(alone, default=0.0)
        return self._walked[key]


def _leader(result: Lowered, launch: LaunchPlan, leaders: Mapping[str, str]) -> str:
    """The first of the stages that share a kernel with what a launch works for. C++ by an author has its own."""
    stages = (leaders[stage] for k in result.instructions if k.name in launch.kernels for stage in k.stages)
    return next(stages, launch.kernel)
