"""The runtime's own costs, against the figures that it promises and those of its peer.

    python benchmarks/runtime.py [--tasks 100000] [--runs 7] [--json FILE] [--strict]

README.md beside this file says how to read the table.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import runtime_kernels

import pyptogen
from pyptogen.runtime.chip.chip import ChipRuntime
from pyptogen.runtime.faults import WorkerLost
from pyptogen.runtime.host.host import HostRuntime
from pyptogen.runtime.native.binding import RunReport

SOFTMAX = Path(__file__).parents[1] / "specs" / "softmax.yaml"
GRAPHS = Path(__file__).with_name("runtime_graphs.cpp")
NOTHING, INDEPENDENT, CHAIN, PING_PONG, FAN, REGIONS, COMPUTE = range(7)


@dataclass(frozen=True)
class Figure:
    """One row: what was measured, its promise (None: none was made) and the figure of the peer."""

    name: str
    value: float
    unit: str
    promise: float | None
    at_least: bool = False
    peer: str = ""

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        if self.promise is None:
            return True
        return self.value >= self.promise if self.at_least else self.value <= self.promise


class Bench:
    """Chips with the graphs of ``runtime_graphs.cpp``, by their cores."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self._chips: dict[Any, ChipRuntime] = {}

    def chip(self, cores: int | tuple[int, int]) -> ChipRuntime:
        """The chip with these cores."""
        if cores not in self._chips:
            self._chips[cores] = ChipRuntime(cores=cores)
            self._chips[cores].register("graphs", orch=GRAPHS)
        return self._chips[cores]

    def best(self, cores: Any, graph: int, tasks: int, steps: int = 0, **options: Any) -> RunReport:
        """The fastest of several runs: the others were disturbed."""
        chip = self.chip(cores)
        reports = []
        for _ in range(self.runs):
            chip.run("graphs", [graph, tasks, steps], **options)
            assert chip.last_report is not None
            reports.append(chip.last_report)
        return min(reports, key=lambda report: report.seconds)

    def close(self) -> None:
        """Stop all cores."""
        for chip in self._chips.values():
            chip.close()


def turns(runs: int) -> int:
    """How often two things are measured in turn that are compared: ten times where other figures are of seven runs."""
    return max(1, 3 * runs // 2)


def fastest(call: Callable[[], object], times: int) -> float:
    """Seconds of the fastest of some calls."""
    best = float("inf")
    gc.disable()
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    gc.enable()
    return best


def throughput(bench: Bench, tasks: int) -> list[Figure]:
    """Empty tasks: what the runtime itself costs."""
    independent = bench.best(2, INDEPENDENT, tasks)
    # As many as the chip holds at a time: submitting them never waits.
    burst = bench.best(2, INDEPENDENT, 1000)
    regions = bench.best(2, REGIONS, tasks)
    per_argument = (regions.seconds - independent.seconds) / tasks / 2
    return [
        Figure("independent tasks, 2 cores", tasks / independent.seconds / 1e6, "M/s", 2.0, True, "0.2 M/s"),
        Figure("independent tasks, 1 core", tasks / bench.best(1, INDEPENDENT, tasks).seconds / 1e6, "M/s", None),
        Figure("submit", burst.submit_seconds / 1000 * 1e6, "µs", 0.1, peer="0.25 µs"),
        Figure("chain, a task", bench.best(2, CHAIN, tasks).seconds / tasks * 1e6, "µs", 1.0, peer="52 µs"),
        Figure("chain from core to core", bench.best((1, 1), PING_PONG, 10000).seconds / 10000 * 1e6, "µs", None),
        Figure("fan of eight, a task", bench.best(2, FAN, tasks).seconds / tasks * 1e6, "µs", None),
        Figure("dependencies from regions, an argument", per_argument * 1e6, "µs", 0.5),
    ]


def fixed_costs(bench: Bench) -> list[Figure]:
    """A run of nothing, from Python."""
    chip = bench.chip(2)
    seconds = fastest(lambda: chip.run("graphs", [NOTHING, 0, 0]), 300)
    handle = fastest(lambda: chip.submit("graphs", [NOTHING, 0, 0]).result(), 300)
    return [
        Figure("run of an empty graph, from Python", seconds * 1e6, "µs", 50, peer="90 ms"),
        Figure("submit and result, from Python", handle * 1e6, "µs", None),
    ]


def scaling(bench: Bench, tasks: int) -> list[Figure]:
    """Ten times the tasks; twice the cores; a million tasks in bounded memory."""
    steps = 80000
    ratio = bench.best(2, INDEPENDENT, 10 * tasks).seconds / bench.best(2, INDEPENDENT, tasks).seconds
    one, two = [], []
    for _ in range(turns(bench.runs)):  # another program that takes a processor for a while disturbs few of them
        one.append(bench.best(1, COMPUTE, 500, steps).seconds)
        two.append(bench.best(2, COMPUTE, 500, steps).seconds)
    speedup = min(one) / min(two)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for graph in (INDEPENDENT, CHAIN, REGIONS):
        bench.chip(2).run("graphs", [graph, 1_000_000, 0])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    whole = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        Figure("ten times the tasks: time", ratio, "x", 11.5),
        Figure("compute-bound tasks: 2 cores against 1", speedup, "x", 1.8, True),
        Figure("1 M-task graphs: memory of the process", whole, "MB", 200),
        Figure("1 M-task graphs: of that for them", grown, "MB", None),
    ]


def tracing(bench: Bench) -> list[Figure]:
    """Tasks of about ten microseconds, with a trace and without, in turn."""
    steps, tasks = 80000, 500
    with tempfile.TemporaryDirectory() as folder:
        plain, traced = [], []
        for _ in range(turns(bench.runs)):
            plain.append(bench.best(2, COMPUTE, tasks, steps).seconds)
            traced.append(bench.best(2, COMPUTE, tasks, steps, trace=Path(folder) / "run.json").seconds)
    return [Figure("trace, on tasks of 10 µs", 100 * (min(traced) / min(plain) - 1), "%", 5.0)]


def host_level(runs: int) -> list[Figure]:
    """Tasks of Python functions in a worker process."""
    return [*round_trips(runs), *losses(runs), *host_tracing(runs)]


def round_trips(runs: int) -> list[Figure]:
    """An empty task and back, on one processor, where waking the other process costs least, and on all."""
    processors = os.sched_getaffinity(0)
    medians = []
    for allowed in ({max(processors)}, processors):
        os.sched_setaffinity(0, allowed)
        with HostRuntime(threads=1) as host:
            host.register("nothing", runtime_kernels.nothing)
            medians.append(min(median(lambda: host.run("nothing"), 1000) for _ in range(runs)))
    return [
        Figure("host: round trip, one processor", medians[0] * 1e6, "µs", 20, peer="19 µs"),
        Figure("host: round trip, all processors", medians[1] * 1e6, "µs", None),
    ]


def losses(runs: int) -> list[Figure]:
    """From killing a worker in the middle of a task to the error of that task."""
    seconds = []
    with HostRuntime(threads=1) as host:
        host.register("sleep", runtime_kernels.sleep)
        host.register("nothing", runtime_kernels.nothing)
        for _ in range(runs):
            host.run("nothing")
            task = host.submit("sleep", {"seconds": 60})
            time.sleep(0.05)
            start = time.perf_counter()
            os.kill(host.processes()[0], signal.SIGKILL)
            with suppress(WorkerLost):
                task.result()
            seconds.append(time.perf_counter() - start)
    return [Figure("host: killed worker noticed after", max(seconds) * 1e3, "ms", 100)]


def host_tracing(runs: int) -> list[Figure]:
    """Tasks of 300 µs and of 1 ms on one worker, with a trace (its file included) and without, in turn. Those
    of a compiled operator also record what the cores do.
    """
    softmax = pyptogen.compile(SOFTMAX, target="cpu")
    costs = []
    with tempfile.TemporaryDirectory() as folder, HostRuntime(threads=1) as host:
        rows = host.tensor(softmax.example_inputs(rows=256)["x"])
        host.register("python", orch=many, kernels={"kernel": runtime_kernels.count})
        host.register("compiled", orch=many, kernels={"kernel": softmax})
        for name, args in (("python", {"steps": 20_000}), ("compiled", {"x": rows})):
            plain, traced = [], []
            for _ in range(turns(runs)):
                plain.append(fastest(lambda name=name, args=args: host.run(name, args), 1))
                traced.append(
                    fastest(lambda name=name, args=args: host.run(name, args, trace=Path(folder) / "run.json"), 1)
                )
            costs.append(100 * (min(traced) / min(plain) - 1))
    return [
        Figure("host: trace, on Python tasks of 300 µs", costs[0], "%", 5.0),
        Figure("host: trace, on compiled tasks of 1 ms", costs[1], "%", 5.0),
    ]


def many(o: Any, args: Any) -> None:
    """An orchestration of equal tasks."""
    for _number in range(200):
        o.submit("kernel", args=vars(args))


def median(call: Callable[[], object], times: int) -> float:
    """Seconds of the middle one of some calls."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def show(figures: list[Figure]) -> None:
    """The table."""
    print(f"{'':44}{'measured':>12}  {'promise':>12}  {'peer':>8}")
    for figure in figures:
        sign = ">=" if figure.at_least else "<="
        promise = "" if figure.promise is None else f"{sign} {figure.promise:g} {figure.unit}"
        mark = "" if figure.kept else "  MISSED"
        print(f"{figure.name:44}{figure.value:>8.3g} {figure.unit:<4} {promise:>12}  {figure.peer:>8}{mark}")


def main() -> int:
    """Measure, print, and with ``--strict`` fail when a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.runs)
    figures = [
        *throughput(bench, options.tasks),
        *fixed_costs(bench),
        *scaling(bench, options.tasks),
        *tracing(bench),
        *host_level(options.runs),
    ]
    bench.close()
    show(figures)
    if options.json:
        rows = [{**asdict(figure), "kept": figure.kept} for figure in figures]
        options.json.write_text(json.dumps({"processors": os.cpu_count(), "figures": rows}, indent=1) + "\n")
    return int(options.strict and not all(figure.kept for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
