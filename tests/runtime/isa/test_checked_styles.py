"""The checked mode on kernels as people write them for A2/A3: silent about right ones, and what it says of faults."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from .arrays import pointer
from .conftest import Build

STYLES = ["double_buffer", "events", "product", "scalars", "rows", "in_place", "tails", "windows", "parts"]
FAULTS = {
    ("double_buffer", 1): r"wait_flag\(MTE2, V, 1\) for a flag that nobody has set",
    ("double_buffer", 2): r"race: TLOAD \(pipe MTE2\) writes UB bytes 0 to 0x400 that TMULS",
    ("double_buffer", 3): r"race: TSTORE \(pipe MTE3\) reads UB bytes 0 to 0x400 that TMULS \(pipe V, .*\) writes",
    ("events", 1): r"race: TADD \(pipe V\) reads UB bytes 0 to 0x400 that TLOAD",
    ("events", 2): r"wait_flag\(V, MTE3, 0\) for a flag that nobody has set",
    ("product", 1): r"race: TMOV \(pipe MTE1\) writes L0A bytes 0 to 0x200 that TMATMUL \(pipe M, .*\) reads",
    ("product", 2): r"race: TLOAD \(pipe MTE2\) writes L1 bytes 0 to 0x200 that TMOV \(pipe MTE1, .*\) reads",
    ("product", 3): r"TMATMUL_ACC reads byte 0 of L0C, which nothing has written",
    ("scalars", 1): r"race: GetValue \(pipe S\) reads UB bytes 0 to 0x4 that TLOAD \(pipe MTE2, .*\) writes",
    ("scalars", 2): r"race: TMULS \(pipe V\) reads UB bytes 0 to 0x3e4 that SetValue \(pipe S, .*\) writes",
    ("scalars", 3): r"race: TLOAD \(pipe MTE2\) writes UB bytes 0 to 0x400 that GetValue \(pipe S, .*\) reads",
    ("scalars", 4): r"SetValue: element 256 leaves its tile of 256 elements",
    ("scalars", 5): r"GetValue reads byte 0x80c of UB, which nothing has written",
    ("rows", 1): r"race: TROWEXPANDSUB \(pipe V\) reads UB bytes 0x1000 to 0x1040 that TROWMAX",
    ("rows", 2): r"race: TROWEXPANDDIV \(pipe V\) reads UB bytes 0x1100 to 0x1140 that TROWSUM",
    ("in_place", 1): r"TCVT writes UB bytes 0 to 0x400 and reads bytes 0 to 0x200: some of them are overwritten before",
    ("in_place", 2): r"TADDS writes UB bytes 0x40 to 0x440 and reads bytes 0 to 0x400: some of them are overwritten",
    ("in_place", 3): r"TROWMAX writes UB bytes 0x40 to 0x440 and reads bytes 0 to 0x400: some of them are overwritten",
    ("in_place", 4): r"TMRGSORT writes UB bytes 0x2100 to 0x2300 and reads bytes 0x2100 to 0x2200: some of them are",
    ("tails", 1): r"TADD: the valid region of an operand is 5 x 4, that of the result 5 x 5; A2/A3 wants all the same",
    (
        "tails",
        2,
    ): r"TROWSUM: the valid region of an operand is 5 x 5, that of the result 6 x 1; A2/A3 wants the same",
    ("windows", 1): r"TSTORE: elements of one store lie in one place: dimension 3 has a stride of 12, and dimension 4",
    ("windows", 2): r"race: TLOAD \(pipe MTE2\) reads global memory bytes .* that TSTORE \(pipe MTE3, .*\) writes",
    ("windows", 3): r"TSTORE: elements of one store lie in one place: dimension 3 has 16 elements with a stride of 0",
}


def run(build: Build, style: str, rounds: int, fault: int) -> list[str]:
    library = build("checked_styles")
    library.run.restype = ctypes.c_char_p
    source, result = np.ones(1 << 14, np.float32), np.zeros(1 << 14, np.float32)
    said: bytes = library.run(pointer(result), pointer(source), STYLES.index(style), rounds, fault)
    return said.decode().splitlines()


@pytest.mark.parametrize("style", STYLES)
def test_a_right_kernel_is_let_pass(build: Build, style: str) -> None:
    for rounds in (0, 1, 2, 5):
        if rounds or style not in ("product", "tails"):  # these two need something to work on
            assert run(build, style, rounds, 0) == []


@pytest.mark.parametrize(("style", "fault"), list(FAULTS))
def test_a_fault_is_told_on_its_line(build: Build, style: str, fault: int) -> None:
    said = run(build, style, 5, fault)
    assert said
    assert re.search(FAULTS[style, fault], said[0]), said
    assert re.match(r".*checked_styles\.cpp:\d+( \(or after it\))?: pto check: block 0\.0: ", said[0])
