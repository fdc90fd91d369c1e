"""The checked mode of the bundled headers for kernels of the CPU: no flags are asked for, and all else is looked at."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys

import numpy as np
import pytest

from .arrays import pointer
from .conftest import Build

FAULTS = [
    "none", "pass_rows", "pass_columns", "pass_unwritten", "pass_tensor", "pass_result", "gather", "scatter", "clamped",
    "left_over", "unequal_pushes", "blocks", "full_fifo", "unequal_ends", "narrow_slot",
]  # fmt: skip
EXPECTED = {
    "pass_rows": r"load in a pass: elements \(8, 0\) to \(8, \d+\) leave the tile of 8 x 16",
    "pass_columns": r"load in a pass: elements \(0, 16\) to \(0, \d+\) leave the tile of 8 x 16",
    "pass_unwritten": r"load in a pass reads byte 0 of UB, which nothing has written",
    "pass_tensor": r"store in a pass: elements \(0, 16\) to \(0, 17\) leave the GlobalTensor of 8 x 16",
    "pass_result": r"a result in a pass: a UB tile has no address",
    "gather": r"an index is 8, but the table has 8 rows or elements",
    "scatter": r"an index is -1, but the table has 8 rows or elements",
    "left_over": r"TPipe 3 of block 0 is left with 1 of 2 tiles \(C2V\) that nobody has popped",
    "unequal_pushes": r"TPipe 3 of block 0 has 2 slots of 512 bytes \(direction 1\) at one end, 2 of 1024",
    "blocks": r"race between cores: store writes global memory bytes .* that store of block \d\.0 \(.*:\d+\) writes",
}
ENDS = {
    "full_fifo": "this core waits for another one, and all others wait or have ended: a tile that nobody pushes",
    "unequal_ends": "has 2 slots of 512 bytes (direction 1) at one end, 2 of 1024 (direction 1) at the other",
    "narrow_slot": "pto: TPipe: the tile does not fit the slot",
}


def run(build: Build, fault: str) -> tuple[list[str], np.ndarray]:
    library = build("checked_cpu")
    library.run.restype = ctypes.c_char_p
    data = np.arange(2048, dtype=np.float32)
    said: bytes = library.run(pointer(data), FAULTS.index(fault))
    return said.decode().splitlines(), data


def test_a_kernel_without_flags_is_let_pass(build: Build) -> None:
    said, data = run(build, "none")
    assert said == []
    x = np.arange(128, dtype=np.float32).reshape(8, 16)
    assert np.array_equal(data[128:256].reshape(8, 16), 2 * x - x[:, 15:])
    assert run(build, "clamped")[0] == []


@pytest.mark.parametrize("fault", list(EXPECTED))
def test_a_fault_is_found(build: Build, fault: str) -> None:
    said, data = run(build, fault)
    assert said
    assert re.search(EXPECTED[fault], said[0]), said
    assert re.match(r".*checked_cpu\.cpp:\d+( \(or after it\))?: pto check: block \d\.0: ", said[0])
    if fault == "scatter":
        assert np.array_equal(data, np.arange(2048))


@pytest.mark.parametrize("fault", list(ENDS))
def test_a_fault_of_a_fifo_ends_the_process(build: Build, fault: str) -> None:
    code = f"import ctypes; ctypes.CDLL({build('checked_cpu')._name!r}).run(bytes(8192), {FAULTS.index(fault)})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert said.returncode < 0
    assert ENDS[fault] in said.stderr
