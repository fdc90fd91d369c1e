"""Workers that die, hang or raise; programs that are interrupted or fork."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.runtime.faults import RuntimeClosed, TaskError, TaskTimeout, WorkerLost
from pyptogen.runtime.host.handles import TaskHandle

from . import kernels

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def registered(rt: Runtime) -> None:
    for name in (
        "add", "die", "die_once", "die_once_in_place", "fail", "fail_oddly", "hang_up_and_end",
        "increase", "nothing", "scale", "sleep",
    ):  # fmt: skip
        rt.register(name, getattr(kernels, name))


def gone(pid: int) -> bool:
    """Whether a process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until_begun(rt: Runtime, handle: TaskHandle) -> None:
    """Wait until a worker has noted that it runs this task of chip 0."""
    end = time.monotonic() + 10
    while rt._level._arena.noted(0) != handle.task.number:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_killed_worker_fails_its_task_and_is_replaced(rt: Runtime) -> None:
    before = rt.processes()[0]
    running = rt.submit("sleep", {"seconds": 60}, chip=0)
    queued = rt.submit("nothing", chip=0)
    wait_until_begun(rt, running)
    begin = time.monotonic()
    os.kill(before, signal.SIGKILL)
    with pytest.raises(WorkerLost, match="`sleep` on chip 0: its worker was killed by SIGKILL"):
        running.result(10)
    # The promise is 0.1 s; a machine under load gets more.
    assert time.monotonic() - begin < 1
    assert queued.result(10) == ()
    assert rt.processes()[0] != before


def test_idle_worker_that_died_is_replaced(rt: Runtime) -> None:
    before = rt.processes()[1]
    rt.run("nothing", chip=1)
    os.kill(before, signal.SIGKILL)
    assert rt.submit("nothing", chip=1).result(10) == ()
    assert rt.processes()[1] != before


def test_worker_is_asked_how_it_ended_before_it_is_killed(rt: Runtime) -> None:
    with pytest.raises(WorkerLost, match="its worker ended with exit code 7 while it ran"):
        rt.run("hang_up_and_end", {"code": 7}, chip=0)


def test_late_event_of_a_worker_that_is_gone_spares_its_successor(rt: Runtime) -> None:
    rt.run("nothing", chip=0)
    dispatcher, before = rt._level.dispatcher, rt.processes()
    with dispatcher._lock:
        dispatcher._hear(dispatcher._workers[0], ended=True)
    assert rt.processes() == before


def test_lost_task_is_tried_again(rt: Runtime, tmp_path: Path) -> None:
    x = np.arange(4.0)
    args = {"x": x, "y": Arg.output(shape=(4,), dtype="float64")}
    assert (rt.run("die_once", args | {"mark": str(tmp_path / "a")}, retries=1).y == x).all()
    with pytest.raises(WorkerLost):
        rt.run("die_once", args | {"mark": str(tmp_path / "b")})


def test_task_that_updates_in_place_is_not_tried_again(rt: Runtime, tmp_path: Path) -> None:
    x = rt.tensor(np.zeros(4))
    with pytest.raises(WorkerLost, match="updates a tensor in place"):
        rt.run("die_once_in_place", {"x": Arg.inout(x), "mark": str(tmp_path / "a")}, retries=3)


def test_retries_end(rt: Runtime) -> None:
    with pytest.raises(WorkerLost, match="3 times"):
        rt.run("die", {"y": Arg.output(shape=(4,), dtype="fp32")}, retries=2)


def test_output_of_the_caller_is_not_half_written(rt: Runtime) -> None:
    y = np.full(8, 5.0)
    with pytest.raises(WorkerLost):
        rt.run("die", {"y": Arg.output(y)})
    assert (y == 5).all()


def test_failure_goes_down_the_graph(rt: Runtime) -> None:
    made = rt.submit("die", {"y": Arg.output(shape=(8,), dtype="fp32")})
    user = rt.submit("scale", {"x": made, "y": Arg.output(shape=(8,), dtype="fp32")})
    last = rt.submit("scale", {"x": user, "y": Arg.output(shape=(8,), dtype="fp32")})
    with pytest.raises(TaskError, match=r"`scale` on chip . was not run: .* `die`"):
        last.result(10)
    with pytest.raises(WorkerLost):
        made["y"].numpy()
    late = rt.submit("scale", {"x": made, "y": Arg.output(shape=(8,), dtype="fp32")})
    with pytest.raises(TaskError, match="was not run"):
        late.result(10)


def test_tensor_written_anew_is_good_again(rt: Runtime) -> None:
    y = rt.empty((8,), "fp32")
    with pytest.raises(WorkerLost):
        rt.run("die", {"y": Arg.output(y)})
    rt.run("scale", {"x": np.ones(8, np.float32), "y": Arg.output(y)})
    assert (y.numpy() == 2).all()


def test_hanging_task_is_stopped(rt: Runtime) -> None:
    rt.run("nothing", chip=0)
    begin = time.monotonic()
    task = rt.submit("sleep", {"seconds": 60}, chip=0, timeout=0.2)
    after = rt.submit("nothing", chip=0)
    with pytest.raises(TaskTimeout, match=r"`sleep` on chip 0 was stopped after 0.2 s"):
        task.result()
    assert 0.2 <= time.monotonic() - begin < 5
    assert after.result(10) == ()


def test_worker_that_a_signal_has_stopped_counts_as_running(rt: Runtime) -> None:
    """Somebody may be debugging it: its task goes on when the worker does, and ends with it where it has a timeout."""
    stopped = rt.processes()[0]
    task = rt.submit("sleep", {"seconds": 0.3}, chip=0)
    wait_until_begun(rt, task)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        task.result(0.5)
    os.kill(stopped, signal.SIGCONT)
    assert task.result(10) == ()
    task = rt.submit("sleep", {"seconds": 0.3}, chip=0, timeout=1.0)
    wait_until_begun(rt, task)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(TaskTimeout, match=r"was stopped after 1.0 s"):
        task.result(10)
    assert rt.run("nothing", chip=0) == ()


def test_hanging_task_is_stopped_while_nobody_waits(rt: Runtime) -> None:
    rt.run("nothing", chip=0)
    task = rt.submit("sleep", {"seconds": 60}, chip=0, timeout=0.1)
    end = time.monotonic() + 10
    while not task.task.finished and time.monotonic() < end:
        time.sleep(0.01)
    assert isinstance(task.task.error, TaskTimeout)


def test_time_in_the_queue_does_not_count(rt: Runtime) -> None:
    rt.run("nothing", chip=0)
    tasks = [rt.submit("sleep", {"seconds": 0.2}, chip=0, timeout=1.0) for _ in range(7)]
    assert all(task.result() == () for task in tasks)


def test_exception_arrives_with_type_message_and_traceback(rt: Runtime) -> None:
    with pytest.raises(ValueError, match="no luck") as error:
        rt.run("fail", {"text": "no luck"})
    assert error.value.args == ("no luck", 7)
    assert "task `fail` on chip" in str(error.value.__cause__)
    assert "kernels.py" in str(error.value.__cause__)
    assert "raise ValueError(text, 7)" in str(error.value.__cause__)


def test_unknown_exception_arrives_by_name(rt: Runtime) -> None:
    with pytest.raises(TaskError, match=r"kernels\.OddError: odd") as error:
        rt.run("fail_oddly")
    assert error.value.kind.endswith("kernels.OddError")
    assert "raise OddError" in error.value.trace


def test_long_message_is_cut(rt: Runtime) -> None:
    with pytest.raises(ValueError, match=r"x{500}"):
        rt.run("fail", {"text": "x" * 20_000})
    assert rt.run("nothing") == ()


def test_wrong_arguments_are_the_tasks_fault(rt: Runtime) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        rt.run("nothing", {"z": 1})


def test_abort_fails_what_is_open() -> None:
    begin = time.monotonic()
    rt = Runtime(level="host")
    rt.register("sleep", kernels.sleep)
    task, queued = rt.submit("sleep", {"seconds": 60}), rt.submit("sleep", {"seconds": 60})
    pids = list(rt.processes().values())

    def body() -> None:
        with rt:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        body()
    assert time.monotonic() - begin < 10
    for handle in (task, queued):
        with pytest.raises(RuntimeClosed):
            handle.result(1)
    assert all(gone(pid) for pid in pids)


def test_fork_in_the_users_program(rt: Runtime) -> None:
    x = rt.tensor(np.ones(4))
    child = os.fork()
    if child == 0:
        try:
            rt.run("nothing")
        except RuntimeClosed:
            rt.close()
            os._exit(7 if (x.peek() == 1).all() else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert (rt.run("add", {"x": x, "y": x, "z": Arg.output(shape=(4,), dtype="float64")}).z == 2).all()


PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a shell starts without it
from pyptogen import Runtime
from runtime.host import kernels

rt = Runtime(level="host", devices=[0, 1])
rt.register("sleep", kernels.sleep)
rt.register("nothing", kernels.nothing)
rt.run("nothing", chip=0), rt.run("nothing", chip=1)
tensor = rt.empty((1000,), "fp32")
print(*rt.processes().values(), flush=True)
{end}
"""
ENDS = {
    "waiting": "rt.submit('sleep', {'seconds': 60}).result()",
    "in the context": "with rt: rt.run('sleep', {'seconds': 60})",
    "closing": "rt.submit('sleep', {'seconds': 60}); rt.close()",
    "asleep": "rt.submit('sleep', {'seconds': 60}); time.sleep(60)",
}


def start(end: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A program in its own group, and the workers that it has."""
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}"}
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(end=end)], text=True, env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    pids = [int(pid) for pid in program.stdout.readline().split()]
    assert len(pids) == 2
    return program, pids


def check_nothing_left(pids: list[int], before: set[str]) -> None:
    end = time.monotonic() + 5
    while not all(gone(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.01)
    assert all(gone(pid) for pid in pids)
    assert {name for name in os.listdir("/dev/shm") if "pyptogen" in name} <= before


@pytest.mark.parametrize("end", list(ENDS))
def test_ctrl_c_leaves_nothing(end: str) -> None:
    before = set(os.listdir("/dev/shm"))
    program, pids = start(ENDS[end])
    time.sleep(0.3)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=10)
    assert program.returncode == -signal.SIGINT
    assert said.count("Traceback") == 1
    assert "KeyboardInterrupt" in said
    check_nothing_left(pids, before)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_program_leaves_nothing(how: signal.Signals) -> None:
    before = set(os.listdir("/dev/shm"))
    program, pids = start(ENDS["asleep"])
    program.send_signal(how)
    program.communicate(timeout=10)
    check_nothing_left(pids, before)


def test_program_that_never_closes_ends() -> None:
    before = set(os.listdir("/dev/shm"))
    program, pids = start("rt.submit('sleep', {'seconds': 60})")
    _, said = program.communicate(timeout=10)
    assert (program.returncode, said) == (0, "")
    check_nothing_left(pids, before)


@pytest.mark.parametrize("timeout", [0, -1.0, 1e-9])
def test_no_time_at_all_is_a_timeout(rt: Runtime, timeout: float) -> None:
    rt.register("sleep", kernels.sleep)
    with pytest.raises(TaskTimeout):
        rt.submit("sleep", {"seconds": 1}, timeout=timeout).result(10)
