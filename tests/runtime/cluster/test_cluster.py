"""Level cluster: the programs of level host on two Ray nodes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator
from pyptogen.runtime.faults import TaskError, TaskTimeout, WorkerLost
from pyptogen.runtime.host import collective_kernels
from pyptogen.runtime.toolchain.build import Toolchain
from runtime import toy
from runtime.host import kernels
from runtime.host.test_examples import load
from runtime.host.test_orchestration import DATA, TOTAL
from runtime.operator.test_compiled import expected_y, inputs

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def operator(toolchain: Toolchain) -> CompiledOperator:
    library = toolchain.shared_object("toy", toy.sources(), ["toy_cpu"])
    return CompiledOperator(None, toy.program(), "cpu", library, 1)  # type: ignore[arg-type]


def out(like: Any) -> Arg:
    return Arg.output(shape=like.shape, dtype=like.dtype)


def back(rt: Runtime, chip: int) -> None:
    """Wait until a chip works again."""
    rt.register("nothing", kernels.nothing)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            rt.run("nothing", chip=chip)
        except WorkerLost:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"chip {chip} is not back")


def test_chips_are_spread_over_the_nodes(rt: Runtime) -> None:
    nodes = rt.nodes()
    assert len({node for node, _ in nodes.values()}) == 2
    assert len({pid for _, pid in nodes.values()}) == 4


def test_operator_gives_what_a_call_gives(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    for chip in (0, 1):
        given, y = inputs(), np.zeros((5, 8), np.float32)
        result = rt.run("toy", given | {"y": y}, chip=chip)
        assert result._fields == ("y", "state", "z")
        assert result.y is y
        assert (y == expected_y(given)).all()
        assert (result.z == given["w"]).all()
        assert result.state is given["state"]
        assert (given["state"] == np.arange(5) + 7).all()


def test_fault_before_anything_is_submitted(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    with pytest.raises(DiagnosticError) as error:
        rt.submit("toy", inputs(x=np.zeros((5, 7), np.float32)))
    assert error.value.diagnostics[0].code == "PTG402"


def test_short_floats_travel(rt: Runtime) -> None:
    rt.register("scale", kernels.scale)
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        x = np.arange(4).astype(dtype)
        result = rt.run("scale", {"x": x, "y": out(x), "by": 1.0}).y
        assert result.dtype == dtype
        assert (result == x).all()


def test_tensor_is_not_copied_on_its_node(rt: Runtime) -> None:
    tensor = rt.tensor(np.zeros(1 << 20, ml_dtypes.bfloat16))
    first, second = tensor.numpy(), tensor.numpy()
    assert np.shares_memory(first, second)
    assert not first.flags.writeable


def test_graph_with_updates_in_place_and_parts(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        x = o.tensor(np.arange(8.0))
        first = o.submit(kernels.scale, chip=0, x=x[2:6], y=out(np.zeros(4)))
        o.submit(kernels.increase, chip=1, x=Arg.inout(x), by=100.0)
        o.submit(kernels.increase, chip=2, x=Arg.inout(x), by=100.0)
        return first, x

    rt.register("program", orch=orch)
    first, x = rt.submit("program").result(60)
    assert (first.y == 2 * np.arange(2.0, 6.0)).all()
    assert (x == np.arange(8.0) + 200).all()


def test_parts_are_written_and_tensors_reshaped(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        x = o.tensor(np.arange(8.0))
        y = o.empty((2, 4), "float64")
        rows = y.reshape(8)
        o.submit(kernels.scale, chip=0, x=x[:4], y=Arg.output(rows[4:]), by=10.0)
        o.submit(kernels.scale, chip=1, x=x[4:], y=Arg.output(rows[:4]), by=1.0)
        o.submit(kernels.increase, chip=2, x=Arg.inout(x[2:4]), by=100.0)
        return x, y

    rt.register("program", orch=orch)
    x, y = rt.submit("program").result(60)
    assert (x == [0, 1, 102, 103, 4, 5, 6, 7]).all()
    assert (y == [[4, 5, 6, 7], [0, 10, 20, 30]]).all()


def test_two_parts_of_a_tensor_take_two_tasks(rt: Runtime) -> None:
    rt.register("cut_up", collective_kernels.cut_up)
    y = rt.empty((8,), "float64")
    parts = {"y0": Arg.output(y[:4]), "y1": Arg.output(y[4:])}
    with pytest.raises(TypeError, match="two parts of one tensor"):
        rt.submit("cut_up", {"x": np.arange(8.0), **parts})


@pytest.mark.parametrize("size", [30, 50_001])
def test_all_reduce_of_small_and_large_tensors(rt: Runtime, size: int) -> None:
    data = [np.arange(size, dtype=np.float32).reshape(3, -1) + chip for chip in range(4)]

    def orch(o: Any, args: Any) -> Any:
        return o.all_reduce([o.tensor(array, chip=chip) for chip, array in zip(o.chips, data, strict=True)])

    rt.register("program", orch=orch)
    for result in rt.submit("program").result(60):
        np.testing.assert_array_equal(result, sum(data))


@pytest.mark.parametrize("name", ["all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast"])
def test_collectives(rt: Runtime, name: str) -> None:
    def orch(o: Any, args: Any) -> Any:
        tensors = [o.tensor(array, chip=chip) for chip, array in zip(o.chips, DATA, strict=True)]
        return getattr(o, name)(tensors[0] if name == "broadcast" else tensors)

    expected = {
        "all_reduce": [TOTAL] * 4,
        "reduce_scatter": np.split(TOTAL, 4),
        "all_gather": [np.concatenate(DATA)] * 4,
        "all_to_all": [np.concatenate([np.split(x, 4)[i] for x in DATA]) for i in range(4)],
        "broadcast": [DATA[0]] * 4,
    }
    rt.register("program", orch=orch)
    results = rt.submit("program").result(60)
    assert all((a == b).all() for a, b in zip(results, expected[name], strict=True))


def test_exception_arrives_with_type_message_and_traceback(rt: Runtime) -> None:
    rt.register("fail", kernels.fail)
    with pytest.raises(ValueError, match="no luck") as error:
        rt.run("fail", {"text": "no luck"})
    assert "raise ValueError(text, 7)" in str(error.value.__cause__)


def test_failure_goes_down_the_graph(rt: Runtime) -> None:
    rt.register("scale", kernels.scale)
    y = rt.empty((4,), "fp32")
    rt.register("fail_into", kernels.fail_into)
    rt.submit("fail_into", {"y": Arg.output(y)}, chip=0)
    with pytest.raises((ValueError, TaskError), match="into"):
        rt.run("scale", {"x": y, "y": out(y)}, chip=1)
    with pytest.raises((ValueError, TaskError), match="into"):
        y.numpy()


def test_killed_actor_fails_its_task_and_is_started_anew(rt: Runtime) -> None:
    rt.register("sleep", kernels.sleep)
    back(rt, 1)
    pid = rt.nodes()[1][1]
    task = rt.submit("sleep", {"seconds": 60}, chip=1)
    time.sleep(0.5)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerLost, match="`sleep` on chip 1"):
        task.result(30)
    back(rt, 1)
    assert rt.nodes()[1][1] != pid


def test_lost_task_is_tried_again(rt: Runtime, tmp_path: Any) -> None:
    rt.register("die_once", kernels.die_once_in_place)
    x = rt.tensor(np.arange(4.0))
    rt.submit("die_once", {"x": Arg.inout(x), "mark": str(tmp_path / "a")}, chip=2, retries=2)
    assert (x.numpy() == np.arange(4.0) + 1).all()


def test_waiting_for_a_chip_is_no_attempt(rt: Runtime, tmp_path: Any) -> None:
    """Three times the chip of a queue of tasks ends; those behind have not begun."""
    rt.register("die_once", kernels.die_once_in_place)
    rt.register("nothing", kernels.nothing)
    x = rt.tensor(np.zeros(4))
    tasks = []
    for mark in "abc":
        tasks.append(rt.submit("die_once", {"x": Arg.inout(x), "mark": str(tmp_path / mark)}, chip=2, retries=1))
        tasks += [rt.submit("nothing", chip=2, retries=1) for _ in range(4)]
    for task in tasks:
        task.wait(90)
    assert [task.task.error for task in tasks] == [None] * len(tasks)
    assert (x.numpy() == 3).all()


def test_task_begins_as_often_as_it_may(rt: Runtime, tmp_path: Any) -> None:
    rt.register("die_always", kernels.die_always)
    with pytest.raises(WorkerLost, match=r"`die_always` on chip 2: its worker ended each of the 3 times that it ran"):
        rt.submit("die_always", {"folder": str(tmp_path)}, chip=2, retries=2).result(90)
    assert len(list(tmp_path.iterdir())) == 3
    back(rt, 2)


def test_hanging_task_is_stopped(rt: Runtime) -> None:
    rt.register("sleep", kernels.sleep)
    back(rt, 3)
    with pytest.raises(TaskTimeout, match=r"was stopped after 0.5 s"):
        rt.submit("sleep", {"seconds": 60}, chip=3, timeout=0.5).result(30)
    back(rt, 3)


def test_time_in_the_queue_does_not_count(rt: Runtime) -> None:
    rt.register("sleep", kernels.sleep)
    back(rt, 0)
    tasks = [rt.submit("sleep", {"seconds": 0.4}, chip=0, timeout=1.0) for _ in range(4)]
    assert all(task.result(30) == () for task in tasks)


def test_late_task_is_not_tried_again(rt: Runtime) -> None:
    rt.register("sleep", kernels.sleep)
    back(rt, 3)
    begin = time.monotonic()
    with pytest.raises(TaskTimeout, match=r"`sleep` on chip 3 was stopped after 0.5 s"):
        rt.submit("sleep", {"seconds": 60}, chip=3, timeout=0.5, retries=3).result(40)
    assert time.monotonic() - begin < 35
    back(rt, 3)


@pytest.mark.parametrize("name", ["tensor_parallel", "pipeline_parallel"])
def test_example_is_the_same_program(address: str, name: str) -> None:
    assert load(name).main(21, level="cluster", address=address) < 1e-5


def test_no_room() -> None:
    with pytest.raises(TimeoutError, match="no room"):
        Runtime(level="cluster", devices=range(50), start_seconds=0.5)


def test_nothing_listens_beyond_the_loopback_address(rt: Runtime) -> None:
    import psutil

    rt.nodes()
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    seen, open_to = set(), set()
    for process in family:
        # Actors of the tests before may be ending.
        with suppress(psutil.NoSuchProcess):
            seen.add(process.name())
            open_to |= {c.laddr.ip for c in process.net_connections("inet") if c.status == "LISTEN"}
    assert {"raylet", "gcs_server"} <= seen
    assert open_to <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
