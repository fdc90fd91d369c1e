"""Races between the cores of a launch, found by the checked mode of the bundled headers."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys

import numpy as np
import pytest

from .arrays import pointer
from .conftest import Build

RIGHT = {"own": 0, "barrier": 3, "columns": 5, "readers": 7, "atomic": 8, "signal": 9, "typed": 14}
WRONG = {
    "same": (
        1,
        r"race between cores: TSTORE writes global memory bytes .* that TSTORE of block \d\.0 \(.*:\d+\) writes",
    ),
    "early": (2, r"race between cores: .* no SYNCALL orders the two"),
    "again": (4, r"race between cores: .* of block \d\.0 .* no SYNCALL orders the two"),
    "overlap": (6, r"race between cores: TSTORE writes .* that TSTORE of block \d\.0"),
    "typed": (13, r"race between cores: TSTORE writes .* that TSTORE of block \d\.0"),
    "one is not atomic": (15, r"race between cores: TSTORE writes .* that TSTORE of block \d\.0"),
}


def run(build: Build, which: int) -> list[str]:
    library = build("checked_cores")
    library.run.restype = ctypes.c_char_p
    data, word = np.zeros(4096, np.float32), np.zeros(16, np.int32)
    said: bytes = library.run(pointer(data), pointer(word), which)
    return said.decode().splitlines()


@pytest.mark.parametrize("name", list(RIGHT))
def test_cores_that_keep_apart_are_let_pass(build: Build, name: str) -> None:
    for _ in range(5):
        assert run(build, RIGHT[name]) == []


@pytest.mark.parametrize("name", list(WRONG))
def test_cores_that_meet_in_memory_are_told(build: Build, name: str) -> None:
    which, message = WRONG[name]
    said = run(build, which)
    assert said
    assert all(re.search(message, line) for line in said), said
    assert re.match(r".*checked_cores\.cpp:\d+( \(or after it\))?: pto check: block \d\.0: ", said[0])


@pytest.mark.parametrize("which", [110, 111])
def test_waits_that_nobody_ends_end_the_process(build: Build, which: int) -> None:
    """A tile that nobody pushes, a barrier that one core does not reach."""
    code = (
        f"import ctypes; ctypes.CDLL({build('checked_cores')._name!r}).run(ctypes.c_char_p(b'0' * 999), None, {which})"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert said.returncode < 0
    assert re.search(r"pto check: block [01]\.0: this core waits for another one, and all others wait", said.stderr)
