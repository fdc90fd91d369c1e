"""Level chip of the runtime: operators, programs written by hand, dependencies from regions, handles, faults."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.chip.chip import ChipRuntime
from pyptogen.runtime.chip.jobs import ChipHandle, Job, JobQueue
from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.native.binding import RunError
from pyptogen.runtime.operator.compiled import BoundCall
from pyptogen.runtime.runtime import Runtime

CPP = Path(__file__).parents[1] / "cpp"
SPECS = Path(__file__).parents[3] / "specs"
INPUT, OUTPUT, INOUT = range(3)
CHIPS: dict[str, dict[str, Any]] = {
    "one core": {"cores": 1},
    "two cores": {"cores": 2},
    "five cores, short fifo": {"cores": 5, "fifo": 4},
    "cube and vector": {"cores": (1, 2)},
}


@pytest.fixture(scope="module", params=CHIPS, ids=list(CHIPS))
def chip(request: pytest.FixtureRequest) -> Iterator[Any]:
    with Runtime(level="chip", platform="cpu", **CHIPS[request.param]) as runtime:
        for name in ("described", "by_hand"):
            runtime.register(name, orch=CPP / f"{name}.cpp")
        yield runtime


def tasks_at_random(seed: int, count: int) -> np.ndarray[Any, Any]:
    """A table for described.cpp: tensors of 12 x 20, some boxes on a grid, some anywhere, some whole."""
    rng = np.random.default_rng(seed)
    table = np.zeros((count, 2, 6), np.int64)
    for use in table.reshape(-1, 6):
        use[:2] = rng.integers(2), rng.choice([INPUT, INPUT, OUTPUT, INOUT])
        kind = rng.integers(10)
        if kind == 0:
            use[2:] = 0, 0, 12, 20
        elif kind < 7:
            use[2:] = 4 * rng.integers(3), 5 * rng.integers(4), 4, 5
        else:
            row, column = rng.integers(12), rng.integers(20)
            use[2:] = row, column, rng.integers(12 - row) + 1, rng.integers(20 - column) + 1
    return table


def in_sequence(table: np.ndarray[Any, Any], tensors: list[Any]) -> np.ndarray[Any, Any]:
    """The same tasks one after the other; what each has read."""
    sums = np.zeros(len(table), np.int64)
    for number, uses in enumerate(table.tolist()):
        boxes = [(mode, tensors[t][r : r + rows, c : c + columns]) for t, mode, r, c, rows, columns in uses]
        total = sum(int(box.sum()) for mode, box in boxes if mode != OUTPUT) % 1000003
        for mode, box in boxes:
            if mode == OUTPUT:
                box[...] = total + number
            elif mode == INOUT:
                box[...] = (3 * box + total + number) % 1000003
        sums[number] = total
    return sums


@pytest.mark.parametrize("seed", range(8))
def test_tasks_act_as_if_one_after_the_other(chip: Any, seed: int) -> None:
    table = tasks_at_random(seed, 2000)
    expected = [np.arange(240, dtype=np.int64).reshape(12, 20) + k for k in range(2)]
    tensors = [tensor.copy() for tensor in expected]
    expected_sums = in_sequence(table, expected)
    (sums, *_) = chip.run("described", [table, Arg.output(shape=(2000,), dtype=np.int64), *map(Arg.inout, tensors)])
    np.testing.assert_array_equal(sums, expected_sums)
    for tensor, wanted in zip(tensors, expected, strict=True):
        np.testing.assert_array_equal(tensor, wanted)


def conflict(a: list[list[int]], b: list[list[int]]) -> bool:
    return any(
        u[0] == v[0]
        and (u[1] != INPUT or v[1] != INPUT)
        and all(u[2 + i] < v[2 + i] + v[4 + i] and v[2 + i] < u[2 + i] + u[4 + i] for i in range(2))
        for u in a
        for v in b
    )


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_every_edge_is_a_conflict_and_every_conflict_is_ordered(chip: Any, seed: int, tmp_path: Path) -> None:
    table = tasks_at_random(seed, 150)
    tensors = [np.zeros((12, 20), np.int64) for _ in range(2)]
    arguments = [table, Arg.output(np.zeros(150, np.int64)), *map(Arg.inout, tensors)]
    chip.run("described", arguments, deps=tmp_path / "deps.json")
    graph = json.loads((tmp_path / "deps.json").read_text())
    assert [task["id"] for task in graph["tasks"]] == list(range(1, 151))
    assert [tensor["shape"] for tensor in graph["tensors"]] == [[12, 20]] * 2
    assert len(graph["uses"]) == 300
    uses = table.tolist()
    before: list[set[int]] = [set() for _ in uses]
    for edge in sorted(graph["edges"], key=lambda edge: edge["to"]):
        a, b = edge["from"] - 1, edge["to"] - 1
        assert a < b
        assert conflict(uses[a], uses[b])
        before[b] |= before[a] | {a}
    for b in range(150):
        missing = [a for a in range(b) if conflict(uses[a], uses[b]) and a not in before[b]]
        assert not missing, f"task {b} does not wait for {missing}"
    assert {edge["reason"] for edge in graph["edges"]} == {"read after write", "write after write", "write after read"}


def test_memory_of_two_shapes_is_kept_in_order(chip: Any) -> None:
    expected = np.zeros(32, np.int64)
    for n in range(40):
        expected.reshape(4, 8)[n % 4] += 1
        expected[n % 4 * 8 + 4 : n % 4 * 8 + 12] *= 3
    cells = np.zeros(32, np.int64)
    chip.run("by_hand", [1, Arg.inout(cells), 40])
    np.testing.assert_array_equal(cells, expected)


@pytest.mark.parametrize("cores", [2, (1, 1)])
def test_an_untracked_use_waits_for_nothing(cores: Any) -> None:
    with ChipRuntime(cores=cores) as chip:
        chip.register("by_hand", orch=CPP / "by_hand.cpp")
        cell = np.ones(1, np.int64)
        chip.run("by_hand", [2, Arg.inout(cell)])
    assert cell[0] == 20


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("breadth", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("depth", [7, 6, 5, 4, 3, 2, 1, 0]),
        ("critical_path", [7, 3, 6, 2, 5, 1, 4, 0]),
    ],
)
def test_policy_orders_ready_tasks(policy: str, expected: list[int], tmp_path: Path) -> None:
    text = (CPP / "by_hand.cpp").read_text()
    if policy != "critical_path":  # priorities come first under every policy: without them its own order shows
        text = text.replace("static_cast<int>(i / 2 + 5 * (i % 2))", "0")
    (tmp_path / "orch.cpp").write_text(text)
    with ChipRuntime(cores=(1, 1)) as chip:
        chip.register("by_hand", orch=tmp_path / "orch.cpp", policy=policy)
        (turns,) = chip.run("by_hand", [0, Arg.output(shape=(8,), dtype=np.int64)])
    assert list(turns) == expected


def test_cores_of_two_kinds_run_their_own_tasks(tmp_path: Path) -> None:
    table = tasks_at_random(7, 300)
    tensors = [np.zeros((12, 20), np.int64) for _ in range(2)]
    with ChipRuntime(cores=(2, 3)) as chip:
        chip.register("described", orch=CPP / "described.cpp")
        chip.register("by_hand", orch=CPP / "by_hand.cpp")
        (counts,) = chip.run("by_hand", [3, Arg.output(shape=(3,), dtype=np.int64)])
        chip.run(
            "described", [table, Arg.output(np.zeros(300, np.int64)), *map(Arg.inout, tensors)], trace=tmp_path / "t"
        )
    assert list(counts) == [2, 3, 2]
    events = json.loads((tmp_path / "t").read_text())["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == 300
    assert all(tracks[span["tid"]].startswith(f"{span['cat']} core ") for span in spans)


def test_trace_shows_tasks_flows_and_counters(chip: Any, tmp_path: Path) -> None:
    table = tasks_at_random(11, 200)
    tensors = [np.zeros((12, 20), np.int64) for _ in range(2)]
    files = {"trace": tmp_path / "run.json", "deps": tmp_path / "deps.json"}
    chip.submit("described", [table, Arg.output(np.zeros(200, np.int64)), *map(Arg.inout, tensors)], **files).result()
    events = json.loads(files["trace"].read_text())["traceEvents"]
    edges = json.loads(files["deps"].read_text())["edges"]
    of = {phase: [event for event in events if event["ph"] == phase] for phase in "XiCsf"}
    assert sorted(event["args"]["task"] for event in of["X"]) == list(range(1, 201))
    assert {(event["name"], event["dur"] >= 0) for event in of["X"]} == {("step", True)}
    assert [event["args"]["task"] for event in of["i"]] == list(range(1, 201))
    assert sorted(event["name"] for event in of["s"]) == sorted(edge["reason"] for edge in edges)
    started = {event["id"]: event["ts"] for event in of["s"]}
    assert len(started) == len(of["f"]) == len(edges)
    assert all(started[event["id"]] <= event["ts"] for event in of["f"])
    assert {"launches in flight"} < {event["name"] for event in of["C"]}
    assert {event["pid"] for event in events} == {os.getpid()}


def test_unwritable_trace_is_an_error_and_the_run_took_place(chip: Any, tmp_path: Path) -> None:
    counts = np.zeros(3, np.int64)
    with pytest.raises(OSError, match="absent"):
        chip.run("by_hand", [3, Arg.output(counts)], trace=tmp_path / "absent" / "run.json")
    assert counts[0] >= 1


def test_idle_cores_sleep() -> None:
    with ChipRuntime(cores=3) as chip:
        chip.register("by_hand", orch=CPP / "by_hand.cpp")
        chip.run("by_hand", [3, Arg.output(shape=(3,), dtype=np.int64)])
        states: list[str] = []
        for _ in range(1000):
            states = [state for name, state in _threads() if name.startswith("pto-core-")]
            if states and set(states) == {"S"}:
                break
            time.sleep(0.005)
        assert set(states) == {"S"}


def _threads() -> list[tuple[str, str]]:
    """Name and state of the threads of this process."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
            found.append((name, rest.split()[0]))
    return found


def test_kernels_and_orchestration_in_the_usual_form(chip: Any) -> None:
    field = CPP / "field"
    chip.register("field", orch=field / "orch.cpp", kernels=[field / "add.cpp", field / "multiply.cpp"])
    a = np.arange(32 * 8, dtype=np.float32).reshape(32, 8)
    b = np.full((32, 8), 0.5, np.float32)
    result = chip.run("field", {"a": a, "b": b, "y": Arg.output(shape=(32, 8), dtype=np.float32), "first": 1.0})
    np.testing.assert_array_equal(result.y, (a + b + 1) * (a + b + 2))


def test_mixed_tasks_scopes_and_data_in_the_usual_form(chip: Any, tmp_path: Path) -> None:
    field = CPP / "field_mixed"
    chip.register(
        "mixed", orch=field / "orch.cpp", kernels=[field / f"{name}.cpp" for name in ("scale", "add", "lane")]
    )
    rounds = 300
    x = np.arange(rounds * 16, dtype=np.float32)
    y, lanes, seen, order = np.zeros_like(x), np.zeros_like(x), np.zeros(1, np.float32), np.ones(16, np.float32)
    files = {"trace": tmp_path / "run.json", "deps": tmp_path / "deps.json"}
    chip.run("mixed", [x, *map(Arg.inout, (y, lanes, seen, order)), rounds], **files)
    np.testing.assert_array_equal(y, 6 * x)
    np.testing.assert_array_equal(lanes.reshape(rounds, 2, 8), np.broadcast_to([[[20.0], [21.0]]], (rounds, 2, 8)))
    assert seen[0] == y[-1]
    assert (order == 2.0**8).all()
    tasks = json.loads(files["deps"].read_text())["tasks"]
    kinds = {(task["name"], task["core"]) for task in tasks if task["blocks"]}
    assert kinds == {("scale", "cube"), ("scale", "vector"), ("add", "mixed")}  # named after the cube core's kernel
    assert sum(task["blocks"] for task in tasks) == rounds * (4 + 4 + 1) + 8 * 4


def test_operator_by_names_by_position_and_with_handles(tmp_path: Path) -> None:
    import pyptogen

    operator = pyptogen.compile(SPECS / "softmax.yaml", target="cpu", threads=2)
    inputs = operator.example_inputs()
    expected = operator(**inputs)
    output = operator.contract.outputs[0].name
    with Runtime(level="chip", platform="cpu", device=0) as rt:
        rt.register("softmax", operator)
        given = np.empty_like(expected[0])
        assert rt.run("softmax", args={**inputs, output: given})[0] is given
        np.testing.assert_array_equal(given, expected[0])
        again = np.empty_like(given)
        rt.run("softmax", [*map(Arg.input, inputs.values()), Arg.output(again)])
        np.testing.assert_array_equal(again, expected[0])
        handles = [rt.submit("softmax", inputs) for _ in range(5)]
        last = rt.submit("softmax", inputs, after=handles)
        assert last.wait(60)
        assert all(handle.done() for handle in handles)
        np.testing.assert_array_equal(last.result()[0], expected[0])


def test_failed_run_is_reported_and_its_successors_do_not_run(chip: Any) -> None:
    cell = np.ones(1, np.int64)
    failing = chip.submit("by_hand", [4, Arg.inout(cell)])
    following = chip.submit("by_hand", [3, Arg.inout(np.zeros(3, np.int64))], after=[failing])
    fine = chip.submit("by_hand", [3, Arg.inout(np.zeros(3, np.int64))])
    with pytest.raises(RunError, match="no plan for these sizes"):
        failing.result()
    with pytest.raises(RunError, match=r"did not run, because .*no plan"):
        following.result()
    assert fine.result()[0][0] >= 1
    with pytest.raises(RunError, match="an argument that was not given"):
        chip.run("by_hand", [5, Arg.inout(cell)])


BAD: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "no such program": ("PTG404", "no program `descrbed`", lambda rt: rt.run("descrbed", [])),
    "read-only output": ("PTG407", "read-only", lambda rt: rt.run("by_hand", [0, Arg.output(_read_only())])),
    "strided output": ("PTG407", "contiguous", lambda rt: rt.run("by_hand", [0, Arg.inout(np.zeros((4, 4))[:, ::2])])),
    "too many axes": ("PTG402", "6 axes", lambda rt: rt.run("by_hand", [0, np.zeros((1,) * 6)])),
    "no array": ("PTG403", "argument `1`", lambda rt: rt.run("by_hand", [0, "text"])),
    "huge number": ("PTG403", "64 bits", lambda rt: rt.run("by_hand", [2**70])),
    "output of unknown shape": ("PTG404", "without an array", lambda rt: rt.run("by_hand", [0, Arg.output()])),
    "nothing to register": ("PTG404", "either an operator or", lambda rt: rt.register("x")),
    "no such file": ("PTG404", "no such source", lambda rt: rt.register("x", orch="absent.cpp")),
    "python at level chip": ("PTG404", "is a function", lambda rt: rt.register("x", orch=_read_only)),
    "no entry point": ("PTG404", "no entry point", lambda rt: rt.register("x", orch=CPP / "field" / "add.cpp")),
    "unknown policy": ("PTG404", "`deep`", lambda rt: rt.register("x", orch=CPP / "by_hand.cpp", policy="deep")),
}


def _read_only() -> np.ndarray[Any, Any]:
    array = np.zeros(3, np.int64)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("case", BAD)
def test_faults_of_the_user_are_diagnostics(case: str) -> None:
    code, words, act = BAD[case]
    with ChipRuntime(cores=1) as chip:
        chip.register("by_hand", orch=CPP / "by_hand.cpp")
        with pytest.raises(DiagnosticError) as error:
            act(chip)
    assert error.value.diagnostics[0].code == code
    assert words in error.value.diagnostics[0].message


def test_source_that_does_not_compile_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.cpp").write_text(
        '#include "orchestration_api.h"\nextern "C" void kernel_entry(int64_t*)\n{ oops; }\n'
    )
    with ChipRuntime(cores=1) as chip, pytest.raises(DiagnosticError) as error:
        chip.register("x", orch=CPP / "by_hand.cpp", kernels=[tmp_path / "bad.cpp"])
    assert error.value.diagnostics[0].code == "PTG502"
    assert any("bad.cpp:3" in note for note, _ in error.value.diagnostics[0].notes)


def test_closed_and_forked_runtimes_say_so() -> None:
    chip = ChipRuntime(cores=2)
    chip.register("by_hand", orch=CPP / "by_hand.cpp")
    chip.run("by_hand", [3, Arg.output(shape=(3,), dtype=np.int64)])
    child = os.fork()
    if child == 0:
        try:
            chip.run("by_hand", [3, Arg.output(shape=(3,), dtype=np.int64)])
        except RunError as error:
            chip.close()
            os._exit(0 if "fork" in str(error) else 1)
        os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    chip.close()
    chip.close()
    with pytest.raises(RunError, match="closed"):
        chip.submit("by_hand", [3])


def test_a_run_that_meets_the_end_of_its_runtime_does_not_wait_for_ever() -> None:
    """Its arguments were checked before another thread closed the runtime, and it is put behind the last job."""
    queue = JobQueue(lambda job: None, "pto-test")
    call = BoundCall("late", 0, b"", "critical_path", None, ())
    queue.put(Job(call, ChipHandle("first")))
    queue.close()
    with pytest.raises(RuntimeClosed, match="`late` had not begun when the runtime closed"):
        queue.put(Job(call, ChipHandle("late")))
