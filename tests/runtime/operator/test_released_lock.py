"""Python's lock is released while kernels run: shown by kernels that wait for another thread, not by a clock."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from meeting import meeting

import pyptogen


def one(value: int) -> Any:
    return np.array([value], np.int32)


@pytest.mark.slow
def test_other_threads_run_while_a_kernel_waits(tmp_path: Path) -> None:
    """This thread counts itself in when the kernel has, which it cannot while a call holds the lock. The first call of
    a shape goes through Python, the next ones are started in native code, with and without `out`."""
    meet = pyptogen.compile(meeting(tmp_path), threads=1)
    for out in (None, {"seen": one(0)}, {"seen": one(0)}, None):
        count, results = one(0), list[Any]()
        call = threading.Thread(target=lambda: results.append(meet(count=count, wanted=one(2), out=out)))  # noqa: B023
        call.start()
        while count[0] == 0:
            time.sleep(0.001)
        count[0] = 2
        call.join()
        assert results[0].seen[0] == 2, "the kernel gave up"


@pytest.mark.slow
def test_two_chips_run_one_operator_side_by_side(tmp_path: Path) -> None:
    """Each kernel goes on when the other has begun. Calls on one chip take turns, so there are two."""
    meet = pyptogen.compile(meeting(tmp_path), threads=1)
    count = one(0)
    chips = [pyptogen.Runtime(level="chip", platform="cpu", device=number, cores=1) for number in (0, 1)]
    for chip in chips:
        chip.register("meet", meet)
    handles = [chip.submit("meet", {"count": count, "wanted": one(2)}) for chip in chips]
    assert [int(handle.result().seen[0]) for handle in handles] == [2, 2]
    for chip in chips:
        chip.close()
