"""The estimated course of one call on a chip: which core runs which kernel when.

On platforms with figures of time it is that of the model of the device (`pyptogen.simulate.device`). On others it is a
list schedule: launches in program order, each distributed to as many cores of its kind as it has tiles, started when
the launches that it waits for have finished. The time of a launch is then its kernel's estimate
(`lower/instruction/estimate.py`) divided among its blocks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import fault

if TYPE_CHECKING:
    from pyptogen.lower.artifacts import Lowered
    from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan
    from pyptogen.lower.instruction.ir import InstrKernel
    from pyptogen.lower.platforms import Platform
    from pyptogen.simulate.device.call import CallTime


@dataclass(frozen=True, slots=True)
class Bar:
    """One block of one launch on one core; times in microseconds from the start of the call."""

    kernel: str
    core: str
    launch_range: tuple[int, int]
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Swimlane:
    """All bars of a call, in order of their start."""

    operator: str
    platform: str
    bars: tuple[Bar, ...]

    @property
    def end(self) -> float:
        """Microseconds until the last block has finished."""
        return max((bar.end for bar in self.bars), default=0.0)

    def busy(self) -> dict[str, float]:
        """Busy part of each core that worked, 0 to 1."""
        totals: dict[str, float] = {}
        for bar in self.bars:
            totals[bar.core] = totals.get(bar.core, 0.0) + bar.end - bar.start
        return {core: total / self.end for core, total in totals.items()} if self.end else {}


def swimlane(lowered: Lowered, sizes: Mapping[str, int]) -> Swimlane:
    """Schedule one call.

    Args:
        lowered: the operator for one target.
        sizes: by dynamic dim.

    Raises:
        DiagnosticError: PTG505, the platform has no cost figures, or a dim has no size.
    """
    from pyptogen.lower.platforms import PLATFORMS

    platform = PLATFORMS[lowered.target]
    graph = lowered.execution
    if platform.timing is None:
        raise fault("PTG505", f"platform `{platform.name}` has no cost figures to estimate with", graph.span)
    missing = [dim for dim in graph.dims if dim not in sizes]
    if missing:
        raise fault(
            "PTG505",
            f"no size for the dim `{missing[0]}`",
            graph.span,
            expected=", ".join(f"{dim}=SIZE" for dim in graph.dims),
            fix="give it with `--dims`",
        )
    from pyptogen.simulate.device.cases import call_time

    call = call_time(lowered, sizes)
    if call is not None:
        return Swimlane(lowered.name, platform.name, tuple(_bars(call, platform)))
    return Swimlane(lowered.name, platform.name, tuple(_schedule(lowered, platform, sizes)))


def _bars(call: CallTime, platform: Platform) -> list[Bar]:
    micros = 1 / (platform.frequency_ghz * 1e3)
    bars = [
        Bar(run.kernel, f"{run.kind} {run.core}", launch.launch_range, run.start * micros, run.end * micros)
        for launch in call.launches
        for run in launch.runs
    ]
    return sorted(bars, key=lambda bar: (bar.start, bar.core))


def _schedule(lowered: Lowered, platform: Platform, sizes: Mapping[str, int]) -> list[Bar]:
    from pyptogen.lower.launch_cost import blocks_of

    graph = lowered.execution
    kernels = {kernel.name: kernel for kernel in lowered.instructions}
    free = {
        **{f"cube {i}": 0.0 for i in range(platform.cube_cores)},
        **{f"vector {i}": 0.0 for i in range(platform.vector_cores)},
    }
    bars: list[Bar] = []
    plan, ranges = _launch_ranges(graph, sizes)
    for begin, end in ranges:
        done: dict[str, float] = {}
        for launch in plan:
            ready = max((done[kernel] for kernel in launch.after), default=0.0)
            blocks = blocks_of(launch.tiles, launch.core, platform, {**sizes, **_bounds(graph, begin, end)})
            mine: list[tuple[str, str]] = []
            for name in launch.kernels:
                kind = "cube" if kernels[name].core == "cube" else "vector"
                cores = sorted((c for c in free if c.startswith(kind)), key=lambda c: (free[c], _number(c)))
                mine += [(name, core) for core in cores[: blocks * (2 if kernels[name].subblock else 1)]]
            # The two programs of a mixed kernel take as long as the slower one.
            micros = max(_micros(kernels[name], platform, end - begin, sizes) for name in launch.kernels) / blocks
            if launch.programs:
                ready = max(ready, *(free[core] for _, core in mine))
            for name, core in mine:
                start = max(ready, free[core])
                free[core] = start + micros
                bars.append(Bar(name, core, (begin, end), start, free[core]))
            done[launch.kernel] = max(free[core] for _, core in mine)
    return sorted(bars, key=lambda bar: (bar.start, bar.core))


def _number(core: str) -> int:
    return int(core.split()[1])


def _bounds(graph: ExecutionGraph, begin: int, end: int) -> dict[str, int]:
    return {} if graph.launch_dim is None else {f"{graph.launch_dim}_begin": begin, f"{graph.launch_dim}_end": end}


def _launch_ranges(
    graph: ExecutionGraph, sizes: Mapping[str, int]
) -> tuple[Sequence[LaunchPlan], list[tuple[int, int]]]:
    """The launches of the first cut that applies, and the ranges of the launch dim that it makes."""
    cut = next(cut for cut in graph.cuts if _holds(cut, sizes))
    whole = sizes[graph.launch_dim] if graph.launch_dim is not None else 1
    if not cut.sizes:
        return graph.plans[cut.plan], [(0, whole)]
    ranges, at = [], 0
    while at < whole:
        step = next((size for size in cut.sizes if size <= whole - at), cut.sizes[-1])
        ranges.append((at, min(whole, at + step)))
        at += step
    return graph.plans[cut.plan], ranges


def _holds(cut: Cut, sizes: Mapping[str, int]) -> bool:
    compare = {
        "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
    }  # fmt: skip
    return all(compare[operator](sizes[dim], value) for dim, operator, value in cut.when if dim in sizes)


def _micros(kernel: InstrKernel, platform: Platform, rows: int, sizes: Mapping[str, int]) -> float:
    from pyptogen.lower.instruction.estimate import estimate

    found = estimate(kernel, platform, rows, sizes)
    assert found is not None
    return found.cycles / (platform.frequency_ghz * 1e3)


def chrome_trace(lane: Swimlane) -> str:
    """The swimlane as a Chrome/Perfetto trace: a track per core, a slice per block."""
    cores = sorted({bar.core for bar in lane.bars}, key=lambda core: (core.split()[0], _number(core)))
    events: list[dict[str, Any]] = [
        {
            "args": {"name": f"{lane.operator} on {lane.platform}, estimated"},
            "name": "process_name",
            "ph": "M",
            "pid": 1,
        }
    ]
    for number, core in enumerate(cores):
        events.append({"args": {"name": core}, "name": "thread_name", "ph": "M", "pid": 1, "tid": number})
    for bar in lane.bars:
        events.append(
            {
                "args": {"range": list(bar.launch_range)},
                "cat": "estimate",
                "dur": round(bar.end - bar.start, 3),
                "name": bar.kernel,
                "ph": "X",
                "pid": 1,
                "tid": cores.index(bar.core),
                "ts": round(bar.start, 3),
            }
        )
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}, indent=1, sort_keys=True) + "\n"
