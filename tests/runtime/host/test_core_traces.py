"""Traces of level host show what the cores inside the chips do."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.runtime import CompiledOperator
from pyptogen.runtime.faults import WorkerLost
from pyptogen.runtime.host.chip_logs import ChipLogs
from pyptogen.runtime.toolchain.build import Toolchain
from runtime import toy
from runtime.operator.test_compiled import inputs

from . import kernels

NAMES = {"rows", "unpacked"}


@dataclass
class Trace:
    """The events of a file, each with the names of its process and of its track."""

    events: list[dict[str, Any]]
    processes: dict[int, str]
    tracks: dict[tuple[int, int], str]

    @classmethod
    def read(cls, path: Path) -> Trace:
        events = json.loads(path.read_text())["traceEvents"]
        named = [event for event in events if event["ph"] == "M"]
        return cls(
            events,
            {event["pid"]: event["args"]["name"] for event in named if event["name"] == "process_name"},
            {(e["pid"], e["tid"]): e["args"]["name"] for e in named if e["name"] == "thread_name"},
        )

    def of(self, phase: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Process, track and event."""
        for event in self.events:
            if event["ph"] == phase:
                yield self.processes[event["pid"]], self.tracks.get((event["pid"], event.get("tid", -1)), ""), event

    def tasks(self) -> dict[int, dict[str, Any]]:
        """The spans of the host's tasks."""
        return {event["args"]["task"]: event for _, track, event in self.of("X") if track == "tasks"}

    def cores(self) -> list[tuple[str, str, dict[str, Any]]]:
        """The spans inside chips."""
        return [(chip, track, event) for chip, track, event in self.of("X") if track != "tasks"]


@pytest.fixture(scope="module")
def operator(toolchain: Toolchain) -> CompiledOperator:
    """The toy, whose second launch waits for its first."""
    sources = toy.sources()
    text = sources["cpu/orchestration.cpp"]
    text = text.replace('rt.launch("rows"', 'const pto_rt::Launch first = rt.launch("rows"')
    sources["cpu/orchestration.cpp"] = text.replace("unpacked(a.z, a.w); });", "unpacked(a.z, a.w); }, {first});")
    library = toolchain.shared_object("toy_chain", sources, ["toy_cpu"])
    return CompiledOperator(None, toy.program(), "cpu", library, 1)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def two(operator: CompiledOperator) -> Iterator[Runtime]:
    """Two chips of two cores that know the toy and some Python kernels."""

    def both(o: Any, args: Any) -> Any:
        made = [o.submit("toy", chip=chip, **inputs()) for chip in (0, 1)]
        o.submit("nothing", chip=1, after=made)
        return made[1]

    with Runtime(level="host", devices=[0, 1], threads=2) as rt:
        rt.register("both", orch=both, kernels={"toy": operator, "nothing": kernels.nothing})
        rt.register("toy", operator)
        rt.register("die", kernels.die)
        yield rt


def test_every_core_of_every_chip_has_a_track(two: Runtime, tmp_path: Path) -> None:
    two.run("both", {}, trace=tmp_path / "run.json")
    trace = Trace.read(tmp_path / "run.json")
    names = {(trace.processes[pid], name) for (pid, _), name in trace.tracks.items()}
    inside = {(f"chip {chip}", name) for chip in (0, 1) for name in ("tasks", "core 0", "core 1", "orchestrator")}
    assert names == inside | {("pyptogen host", "submissions")}
    assert len(trace.processes) == 3


def test_cores_show_what_ran_for_which_task_and_when(two: Runtime, tmp_path: Path) -> None:
    two.run("both", {}, trace=tmp_path / "run.json")
    trace = Trace.read(tmp_path / "run.json")
    tasks = trace.tasks()
    blocks: dict[tuple[str, int, str], int] = {}
    for chip, _, event in trace.cores():
        task = tasks[event["args"]["host task"]]
        assert (chip, task["name"]) == (trace.processes[task["pid"]], "toy")
        # One clock: what a core did lies inside of the task, up to the clock's calibration.
        assert task["ts"] - 5 <= event["ts"] <= event["ts"] + event["dur"] <= task["ts"] + task["dur"] + 5
        key = (chip, task["args"]["task"], event["name"])
        blocks[key] = blocks.get(key, 0) + event["args"]["blocks"]
    toys = [number for number, task in sorted(tasks.items()) if task["name"] == "toy"]
    n = inputs()["x"].shape[0]
    assert blocks == {
        (f"chip {chip}", number, name): count
        for chip, number in enumerate(toys)
        for name, count in (("rows", n), ("unpacked", 1))
    }
    submitted = [(chip, event["name"]) for chip, track, event in trace.of("i") if track == "orchestrator"]
    assert submitted == [(f"chip {chip}", name) for chip in (0, 1) for name in ("rows", "unpacked")]


def test_arrows_and_counters_are_those_of_all_levels(two: Runtime, tmp_path: Path) -> None:
    two.run("both", {}, trace=tmp_path / "run.json")
    trace = Trace.read(tmp_path / "run.json")
    begun, ended = ({event["id"]: (chip, event) for chip, _, event in trace.of(phase)} for phase in "sf")
    assert len(begun) == len(ended) == sum(1 for _ in trace.of("s")) == 4
    ways = sorted((begun[arrow][0], ended[arrow][0], begun[arrow][1]["tid"] == 0) for arrow in begun)
    assert ways == [
        ("chip 0", "chip 0", False),
        ("chip 0", "chip 1", True),
        ("chip 1", "chip 1", False),
        ("chip 1", "chip 1", True),
    ]
    assert all(begun[arrow][1]["ts"] <= ended[arrow][1]["ts"] for arrow in begun)
    counters = {(process, event["name"]) for process, _, event in trace.of("C")}
    for chip in (0, 1):
        assert (f"chip {chip}", "launches in flight") in counters
        assert ("pyptogen host", f"queued, chip {chip}") in counters


def test_runtimes_own_trace_has_the_cores_too(operator: CompiledOperator, tmp_path: Path) -> None:
    with Runtime(level="host", devices=[0], threads=1, trace=tmp_path / "all.json") as rt:
        rt.register("toy", operator)
        rt.run("toy", inputs())
        rt.run("toy", inputs(), trace=tmp_path / "one.json")
        rt.run("toy", inputs(), deps=tmp_path / "deps.json")
    counts = [len(Trace.read(tmp_path / name).cores()) for name in ("all.json", "one.json")]
    assert counts == [6, 2]


def test_deps_alone_record_no_cores(two: Runtime, tmp_path: Path) -> None:
    logs = two._level.logs
    two.run("both", {}, deps=tmp_path / "deps.json")
    assert [os.fstat(logs.file(chip)).st_size for chip in (0, 1)] == [0, 0]


def test_logs_are_empty_when_nobody_records(two: Runtime, tmp_path: Path) -> None:
    logs = two._level.logs
    two.run("both", {}, trace=tmp_path / "run.json")
    assert [os.fstat(logs.file(chip)).st_size for chip in (0, 1)] == [0, 0]


def test_what_a_killed_worker_did_is_kept(operator: CompiledOperator, tmp_path: Path) -> None:
    with Runtime(level="host", devices=[0], threads=1, trace=tmp_path / "run.json") as rt:
        rt.register("toy", operator)
        rt.run("toy", inputs())
        os.kill(rt._level.processes()[0], signal.SIGKILL)
        # As if it had been killed while it wrote.
        os.write(rt._level.logs.file(0), (1000).to_bytes(8, "little") + bytes(100))
        rt.run("toy", inputs())
    trace = Trace.read(tmp_path / "run.json")
    assert len(trace.tasks()) == 2
    assert {event["args"]["host task"] for *_, event in trace.cores()} == set(trace.tasks())


def test_lost_task_leaves_a_readable_trace(two: Runtime, tmp_path: Path) -> None:
    with pytest.raises(WorkerLost):
        two.run("die", {"y": Arg.output(np.zeros(4))}, chip=0, trace=tmp_path / "run.json")
    assert Trace.read(tmp_path / "run.json").cores() == []


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_damaged_log_adds_nothing(two: Runtime, tmp_path: Path, damage: str) -> None:
    """A kernel that writes over the log's memory must not break the host."""
    saved = []
    logs = two._level.logs
    end, logs.end = logs.end, lambda: (saved.append(os.pread(logs.file(0), 1 << 20, 0)), end())[0]
    try:
        two.run("both", {}, trace=tmp_path / "run.json")
    finally:
        logs.end = end
    (good,) = saved
    cores = Trace.read(tmp_path / "run.json").cores()
    (task,) = {event["args"]["host task"] for chip, _, event in cores if chip == "chip 0"}
    for place in range(0, len(good), 4):
        bad = good[:place] if damage == "cut" else good[:place] + b"~~~~" + good[place + 4 :]
        other = ChipLogs([0])
        os.write(other.file(0), bad)
        path = tmp_path / "events.json"
        path.write_text('{"x": [0')
        other.write_events(path, 0, [task], 1, 0)
        path.write_text(path.read_text() + "]}")
        json.loads(path.read_text())
        other.close()
