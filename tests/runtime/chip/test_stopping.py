"""Runs of a chip that must end: by `timeout=`, by Ctrl-C, by closing; a kernel that hangs does not take the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.runtime.faults import RuntimeClosed, TaskTimeout
from pyptogen.runtime.native.binding import RunError
from pyptogen.runtime.toolchain.build import Toolchain
from runtime import toy

HANGING = Path(__file__).parents[1] / "cpp" / "hanging.cpp"
REPOSITORY = Path(__file__).parents[3]
WAYS = {
    "spin": 1,
    "one block": 2,
    "in malloc": 3,
    "sleep": 4,
    "submits": 5,
    "orchestrates": 6,
    "short tasks": 7,
    "short blocks": 8,
}


@pytest.fixture(params=[1, 2, (1, 2)], ids=str)
def rt(request: pytest.FixtureRequest) -> Iterator[Runtime]:
    with Runtime(level="chip", cores=request.param) as runtime:
        runtime.register("hang", orch=HANGING)
        yield runtime


def still_works(rt: Runtime) -> bool:
    cell = np.zeros(1, np.int64)
    rt.run("hang", [0, Arg.inout(cell)], timeout=10)
    return bool(cell[0] == 7)


@pytest.mark.parametrize("way", WAYS)
def test_timeout_ends_whatever_hangs(rt: Runtime, way: str) -> None:
    cell = np.zeros(1, np.int64)
    begin = time.monotonic()
    with pytest.raises(TaskTimeout, match=r"`hang` was stopped after 0.1 s"):
        rt.run("hang", [WAYS[way], Arg.inout(cell)], timeout=0.1)
    assert 0.1 <= time.monotonic() - begin < 10
    seen = cell.copy()
    time.sleep(0.02)
    assert (cell == seen).all(), "the kernel goes on writing"
    assert still_works(rt)


@pytest.mark.parametrize("way", ["submits", "short tasks", "short blocks"])
def test_what_ends_by_itself_costs_no_thread(rt: Runtime, way: str) -> None:
    assert still_works(rt)
    before = len(os.listdir("/proc/self/task"))
    with pytest.raises(TaskTimeout):
        rt.run("hang", [WAYS[way], Arg.inout(np.zeros(1, np.int64))], timeout=0.05)
    assert len(os.listdir("/proc/self/task")) == before


def test_run_in_time_is_not_stopped(rt: Runtime) -> None:
    assert still_works(rt)


def test_timeout_of_a_submitted_run_counts_from_its_begin(rt: Runtime) -> None:
    first = rt.submit("hang", [1, Arg.inout(np.zeros(1, np.int64))], timeout=0.3)
    second = rt.submit("hang", [0, Arg.inout(np.zeros(1, np.int64))], timeout=0.25)
    assert second.result(30)[0] == 7
    with pytest.raises(TaskTimeout):
        first.result(0)


def test_exception_in_the_block_ends_what_runs() -> None:
    begin = time.monotonic()
    rt = Runtime(level="chip", cores=2)
    rt.register("hang", orch=HANGING)
    handles = [rt.submit("hang", [which, Arg.inout(np.zeros(1, np.int64))]) for which in (1, 0)]

    def body() -> None:
        with rt:
            time.sleep(0.05)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        body()
    assert time.monotonic() - begin < 10
    for handle in handles:
        with pytest.raises(RuntimeClosed):
            handle.result(10)
    with pytest.raises(RunError, match="closed"):
        rt.run("hang", [0, Arg.inout(np.zeros(1, np.int64))])


PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a shell starts without it
import numpy as np
from pyptogen import Arg, Runtime

rt = Runtime(level="chip", cores={cores})
rt.register("hang", orch={orch!r})
cell = np.zeros(1, np.int64)
args = [{way}, Arg.inout(cell)]
print("begun", flush=True)
try:
    {act}
except KeyboardInterrupt:
    print("interrupted", flush=True)
rt.{end}()
print("ended", flush=True)
"""
ACTS: dict[str, tuple[str, str]] = {
    "running": ("rt.run('hang', args)", "close"),
    "waiting": ("rt.submit('hang', args).result()", "abort"),
    "closing": ("rt.submit('hang', args); rt.close()", "close"),
    "in the block": ("with rt: rt.submit('hang', args).result()", "close"),
}


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("act", ACTS)
def test_ctrl_c_returns(act: str, cores: Any) -> None:
    doing, end = ACTS[act]
    text = PROGRAM.format(cores=cores, orch=str(HANGING), way=WAYS["spin"], act=doing, end=end)
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    program = subprocess.Popen(
        [sys.executable, "-c", text], text=True, env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "begun\n"
    time.sleep(0.3)
    os.killpg(program.pid, signal.SIGINT)
    out, said = program.communicate(timeout=20)
    assert (program.returncode, out, said) == (0, "interrupted\nended\n", "")


SLOW = """
#include <unistd.h>
#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

extern "C" void toy_cpu(pto_rt::Runtime& rt, const void*)
{{
    {body}
}}
"""
BODIES = {
    "one launch of many blocks": 'rt.launch("blocks", pto_rt::Core::Vector, 100000, [] { usleep(1000); });',
    "many launches": 'for (int i = 0; i < 99999; ++i) rt.launch("one", pto_rt::Core::Vector, 1, [] { usleep(1000); });',
}
DIRECT = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from pyptogen.runtime import CompiledOperator
from runtime import toy
from runtime.operator.test_compiled import inputs

slow, fine = (CompiledOperator(None, toy.program(), "cpu", Path(path), {cores}) for path in sys.argv[1:])
given = inputs()
print("begun", flush=True)
try:
    slow(**given)
except KeyboardInterrupt:
    print("interrupted", flush=True)
again = inputs()
assert (fine(**again).z == again["w"]).all()
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("body", BODIES)
def test_ctrl_c_ends_a_direct_call(toolchain: Toolchain, body: str, cores: int) -> None:
    sources = toy.sources()
    fine = toolchain.shared_object("toy", sources, ["toy_cpu"])
    sources["cpu/orchestration.cpp"] = SLOW.format(body=BODIES[body])
    slow = toolchain.shared_object("slow", sources, ["toy_cpu"])
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}"}
    program = subprocess.Popen(
        [sys.executable, "-c", DIRECT.format(cores=cores), str(slow), str(fine)], text=True, env=environment,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "begun\n"
    time.sleep(0.3)
    os.killpg(program.pid, signal.SIGINT)
    out, said = program.communicate(timeout=20)
    assert (program.returncode, out, said) == (0, "interrupted\nTrue\n", "")
