"""`pyptogen run --trace --deps --timeout`, and Ctrl-C during a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pyptogen.cli.recorded import interrupt_ends

SPECS = Path(__file__).parents[2] / "specs"


def pyptogen(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyptogen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("target", "cores"), [("cpu", len(os.sched_getaffinity(0))), ("a2a3", 72)])
def test_run_writes_trace_and_graph(target: str, cores: int, tmp_path: Path) -> None:
    trace, deps = tmp_path / "run.json", tmp_path / "deps.json"
    said = pyptogen(
        "run", SPECS / "softmax.yaml", "--dims", "rows=37", "--target", target, "--trace", trace, "--deps", deps
    )
    assert (said.returncode, said.stderr) == (0, "")
    assert " ok " in said.stdout
    events = json.loads(trace.read_text())["traceEvents"]
    assert len([event for event in events if event["name"] == "thread_name"]) == cores + 1
    assert {event["name"] for event in events if event["ph"] == "X"} == {"softmax"}
    assert [task["name"] for task in json.loads(deps.read_text())["tasks"]] == ["softmax"]


def test_number_of_cores_can_be_given(tmp_path: Path) -> None:
    trace = tmp_path / "run.json"
    said = pyptogen(
        "run", SPECS / "softmax.yaml", "--dims", "rows=8", "--threads", 3, "--trace", trace, "--timeout", 60
    )
    assert said.returncode == 0
    events = json.loads(trace.read_text())["traceEvents"]
    assert len([event for event in events if event["name"] == "thread_name"]) == 4


def test_file_that_cannot_be_written_is_the_users_fault(tmp_path: Path) -> None:
    said = pyptogen("run", SPECS / "softmax.yaml", "--dims", "rows=1", "--trace", tmp_path / "absent" / "run.json")
    assert said.returncode == 1
    assert "PTG504" in said.stderr
    assert "Traceback" not in said.stderr


def test_two_targets_do_not_share_a_file(tmp_path: Path) -> None:
    said = pyptogen(
        "run", SPECS / "softmax.yaml", "--target", "cpu", "--target", "a2a3", "--trace", tmp_path / "run.json"
    )
    assert said.returncode == 2
    assert "one target" in said.stderr


def test_late_run_is_stopped() -> None:
    said = pyptogen("run", SPECS / "indexer_prolog.yaml", "--dims", "t=2048,blocks=64", "--timeout", 0.001)
    assert (said.returncode, said.stderr) == (1, "`indexer_prolog` was stopped after 0.001 s\n")


def test_ctrl_c_ends_native_code_at_once() -> None:
    child = os.fork()
    if child == 0:
        with interrupt_ends():
            while True:  # as native code: nobody asks Python about signals
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [])
    time.sleep(0.1)
    os.kill(child, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGINT


def test_ctrl_c_is_pythons_again_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupt_ends():
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == before
