"""A run in a fork says what a process of its own would: its exit code, its signal, its standard error."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from forked_runs import Ended, server

SEEN: list[str] = []
"""By earlier runs: a fork must not see them."""


def warm_up() -> None:
    SEEN.append("warm")


def main(arguments: Sequence[str]) -> None:
    SEEN.append(arguments[0])
    match arguments[0]:
        case "prints":
            print("out")
            os.write(2, f"{SEEN} {os.environ.get('FORKED')} {Path.cwd()}".encode())
        case "raises":
            raise ValueError("a fault")
        case "aborts":
            os.write(2, b"a fault in native code")
            os.abort()


def test_what_a_run_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = server(__name__).run
    assert run(["nothing"]) == Ended(0, "")
    monkeypatch.setenv("FORKED", "in this environment")
    monkeypatch.chdir(tmp_path)
    said = run(["prints"])
    assert (said.returncode, "['warm', 'prints'] in this environment" in said.stderr) == (0, True)
    assert str(tmp_path) in said.stderr
    said = run(["raises"])
    assert said.returncode == 1
    assert said.stderr.endswith("ValueError: a fault\n")
    assert run(["aborts"]) == Ended(-signal.SIGABRT, "a fault in native code")
    assert run(["nothing"]) == Ended(0, "")
