"""What level host records: a trace with arrows and counters, and the graph of the tasks, each edge with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.runtime.host.recording import Recording
from pyptogen.runtime.host.shared_memory import Arena
from pyptogen.runtime.host.task_graph import Effect, Task

from . import kernels


def events_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    events = json.loads(path.read_text())["traceEvents"]
    return {phase: [event for event in events if event["ph"] == phase] for phase in "MXiCsf"}


def process_names(of: dict[str, list[dict[str, Any]]]) -> dict[int, str]:
    return {event["pid"]: event["args"]["name"] for event in of["M"] if event["name"] == "process_name"}


def tracks(of: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str]]:
    """Process and name of each track."""
    processes = process_names(of)
    named = [event for event in of["M"] if event["name"] == "thread_name"]
    return [(processes[event["pid"]], event["args"]["name"]) for event in named]


def test_trace_of_a_runtime_has_a_process_per_chip(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with Runtime(level="host", devices=[0, 1], trace=path, deps=tmp_path / "deps.json") as rt:
        rt.register("sleep", kernels.sleep)
        for chip in (0, 1, 1):
            rt.submit("sleep", {"seconds": 0.01}, chip=chip)
    of = events_of(path)
    processes = process_names(of)
    assert sorted(processes.values()) == ["chip 0", "chip 1", "pyptogen host"]
    assert sorted(tracks(of)) == [("chip 0", "tasks"), ("chip 1", "tasks"), ("pyptogen host", "submissions")]
    assert sorted(processes[event["pid"]] for event in of["X"]) == ["chip 0", "chip 1", "chip 1"]
    assert all(event["name"] == "sleep" and event["dur"] >= 10_000 for event in of["X"])
    assert [processes[event["pid"]] for event in of["i"]] == ["pyptogen host"] * 3
    depths = [event["args"]["tasks"] for event in of["C"] if event["name"] == "queued, chip 1"]
    assert max(depths) == 2
    assert depths[-1] == 0
    assert [event["args"]["tasks"] for event in of["C"] if event["name"] == "tasks in flight"][-1] == 0
    assert json.loads((tmp_path / "deps.json").read_text())["edges"] == []


def diamond(o: Any, args: Any) -> Any:
    """x -> a -> (b, c) -> d, then a is overwritten."""
    a = o.submit("scale", chip=0, x=args.x, y=Arg.output(shape=(4,), dtype="float64"))
    b = o.submit("scale", chip=0, x=a, y=Arg.output(shape=(4,), dtype="float64"))
    c = o.submit("scale", chip=1, x=a, y=Arg.output(shape=(4,), dtype="float64"))
    d = o.submit("add", chip=1, x=b, y=c, z=Arg.output(shape=(4,), dtype="float64"))
    o.submit("scale", chip=0, x=args.x, y=Arg.output(a["y"]))
    o.submit("nothing", chip=0, after=[d])
    return d


NAMES = ["scale", "scale", "scale", "add", "scale", "nothing"]
EDGES = {
    (0, 1, "read after write"),
    (0, 2, "read after write"),
    (1, 3, "read after write"),
    (2, 3, "read after write"),
    (0, 4, "write after write"),
    (1, 4, "write after read"),
    (2, 4, "write after read"),
    (3, 5, "after"),
}


@pytest.mark.parametrize("submitted", [False, True])
def test_run_records_its_own_tasks_with_reasons(rt: Runtime, tmp_path: Path, submitted: bool) -> None:
    rt.register("diamond", orch=diamond, kernels={name: getattr(kernels, name) for name in set(NAMES)})
    rt.register("nothing", kernels.nothing)
    rt.run("nothing")
    args = {"x": np.ones(4)}
    files: dict[str, Any] = {"trace": tmp_path / "run.json", "deps": tmp_path / "deps.json"}
    z = rt.submit("diamond", args, **files).result().z if submitted else rt.run("diamond", args, **files).z
    assert (z == 8).all()
    graph = json.loads(files["deps"].read_text())
    numbers = [task["id"] for task in graph["tasks"]]
    assert [task["name"] for task in graph["tasks"]] == NAMES
    assert [task["chip"] for task in graph["tasks"]] == [0, 0, 1, 1, 0, 0]
    place = {number: index for index, number in enumerate(numbers)}
    edges = {(place[edge["from"]], place[edge["to"]], edge["reason"]) for edge in graph["edges"]}
    assert edges == EDGES
    assert [use["mode"] for use in graph["uses"] if use["task"] == numbers[3]] == ["input", "input", "output"]
    assert {use["extent"] for use in graph["uses"]} == {32}
    assert len(graph["tensors"]) == 5
    of = events_of(files["trace"])
    assert sorted(event["args"]["task"] for event in of["X"]) == numbers
    begun = {event["id"]: event["ts"] for event in of["s"]}
    assert len(begun) == len(of["f"]) == len(EDGES)
    assert all(begun[event["id"]] <= event["ts"] for event in of["f"])


def test_single_kernel_can_be_traced(rt: Runtime, tmp_path: Path) -> None:
    rt.register("scale", kernels.scale)
    y = np.zeros(4)
    given = {"x": np.ones(4), "y": Arg.output(y)}
    assert rt.run("scale", given, chip=1, trace=tmp_path / "run.json").y is y
    assert (y == 2).all()
    of = events_of(tmp_path / "run.json")
    assert [process_names(of)[event["pid"]] for event in of["X"]] == ["chip 1"]


def test_unwritable_file_is_an_error(rt: Runtime, tmp_path: Path) -> None:
    rt.register("nothing", kernels.nothing)
    with pytest.raises(OSError, match="absent"):
        rt.run("nothing", trace=tmp_path / "absent" / "run.json")


def test_failed_run_leaves_its_trace(rt: Runtime, tmp_path: Path) -> None:
    rt.register("fail", kernels.fail)
    with pytest.raises(ValueError, match="no luck"):
        rt.run("fail", {"text": "no luck"}, trace=tmp_path / "run.json")
    assert [event["args"]["failed"] for event in events_of(tmp_path / "run.json")["X"]] == [True]


def test_parts_that_do_not_overlap_have_no_edge() -> None:
    block = Arena(1 << 20).allocate(1024)
    recording = Recording()

    def submit(start: int, end: int, reads: bool, writes: bool) -> Task:
        task = Task(len(recording.tasks) + 1, type("Kernel", (), {"name": "k"}), 0, b"")
        recording.submit(task, [Effect(block, start, end, reads, writes)], [])
        return task

    submit(0, 512, False, True)  # 1
    submit(512, 1024, False, True)  # 2
    submit(0, 256, True, False)  # 3 reads from 1
    submit(500, 600, True, True)  # 4 reads from both halves
    submit(0, 1024, False, True)  # 5 replaces everything
    submit(600, 700, True, False)  # 6 sees 5 only
    edges = {(edge.before, edge.to, edge.reason) for edge in recording.edges}
    assert edges == {
        (1, 3, "read after write"),
        (1, 4, "read after write"),
        (2, 4, "read after write"),
        (1, 5, "write after write"),
        (2, 5, "write after write"),
        (3, 5, "write after read"),
        (4, 5, "write after write"),
        (5, 6, "read after write"),
    }


def test_options_of_a_run_hold_for_its_tasks(rt: Runtime) -> None:
    from pyptogen.runtime.faults import TaskTimeout

    def sleeps(o: Any, args: Any) -> Any:
        o.submit("nothing", timeout=30)
        return o.submit("sleep", seconds=30)

    rt.register("sleeps", orch=sleeps, kernels={"sleep": kernels.sleep, "nothing": kernels.nothing})
    with pytest.raises(TaskTimeout, match=r"`sleep` on chip 1 was stopped after 0.2 s"):
        rt.run("sleeps", chip=1, timeout=0.2)
