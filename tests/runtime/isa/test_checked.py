"""The checked mode of the bundled headers (PTO_CHECKED): what it finds, and that it is silent about correct kernels."""

from __future__ import annotations

import ctypes
import re
import subprocess

import numpy as np
import pytest
from compiling import QUICK_CHECKED

from .arrays import pointer
from .conftest import HERE, Build
from .programs import program

FAULTS = [
    "none", "no_flag_after_load", "no_barrier", "no_flag_before_store", "nobody_waits", "unwritten", "beyond_memory",
    "unaligned", "wait_for_nothing", "set_twice", "too_many_rows", "illegal_type", "no_address", "unwritten_tail",
    "other_bytes", "illegal_cast", "illegal_source", "missing", "outside_source", "outside_target", "outside_tensor",
    "cube", "mat_race", "left_race", "acc_race", "left_overwritten", "right_unwritten", "sum_unwritten",
]  # fmt: skip
EXPECTED = {
    "no_flag_after_load": r"race: TADD \(pipe V\) reads UB bytes 0 to 0x400 that TLOAD \(pipe MTE2, .*:\d+\) writes",
    "no_barrier": r"race: TEXP \(pipe V\) reads UB bytes 0x800 to 0xc00 that TADD \(pipe V, .*:\d+\) writes",
    "no_flag_before_store": r"race: TSTORE \(pipe MTE3\) reads UB bytes 0x800 to 0xc00 that TEXP \(pipe V, .*\) writes",
    "nobody_waits": r"set_flag\(V, S, 3\) is left over at the end",
    "unwritten": r"TADD reads byte 0x2000 of UB, which nothing has written",
    "beyond_memory": r"TASSIGN: a tile of 1024 bytes at 0x2ffe0 leaves UB of A2/A3, which has 196608 bytes",
    "unaligned": r"TASSIGN: UB address 0x24 is no multiple of 32 bytes",
    "wait_for_nothing": r"wait_flag\(V, S, 3\) for a flag that nobody has set",
    "set_twice": r"set_flag\(V, S, 3\) while this flag is still set by .*:\d+",
    "too_many_rows": r"TEXPANDS: the valid region of 17 x 3 leaves its tile of 16 x 16",
    "illegal_type": r"TADD does not take int8 on A2/A3",
    "illegal_cast": r"TCVT does not convert fp32 to int8 on A2/A3",
    "illegal_source": r"TCMP does not take int8 on A2/A3",
    "missing": r"TADDC does not take fp32 on A2/A3",
    "outside_source": r"TEXTRACT: 8 x 16 elements from \(12, 0\) on leave the tile of 16 x 16",
    "outside_target": r"TINSERT: 8 x 16 elements from \(4, 8\) on leave the tile of 16 x 16",
    "outside_tensor": r"TLOAD: the tile covers 16 x 16 elements of a GlobalTensor of 8 x 16",
    "mat_race": r"race: TMOV \(pipe MTE1\) reads L1 bytes 0 to 0x200 that TLOAD \(pipe MTE2, .*:\d+\) writes",
    "left_race": r"race: TMATMUL \(pipe M\) reads L0A bytes 0 to 0x200 that TMOV \(pipe MTE1, .*:\d+\) writes",
    "acc_race": r"race: TSTORE \(pipe FIX\) reads L0C bytes 0x800 to 0xc00 that TMATMUL \(pipe M, .*:\d+\) writes",
    "left_overwritten": r"race: TMOV \(pipe MTE1\) writes L0A bytes 0 to 0x200 that TMATMUL \(pipe M, .*:\d+\) reads",
    "right_unwritten": r"TMATMUL reads byte 0 of L0B, which nothing has written",
    "sum_unwritten": r"TMATMUL_ACC reads byte 0x800 of L0C, which nothing has written",
    "no_address": r"TADD: a UB tile has no address",
    "unwritten_tail": r"TADD reads byte 0x3c of UB, which nothing has written",
}


@pytest.fixture
def checked(build: Build) -> ctypes.CDLL:
    library = build("checked")
    library.run.restype = ctypes.c_char_p
    return library


def run(library: ctypes.CDLL, fault: str, rounds: int = 3) -> list[str]:
    source = np.linspace(-1, 1, rounds * 256, dtype=np.float32)
    result = np.zeros_like(source)
    said: bytes = library.run(pointer(result), pointer(source), rounds, FAULTS.index(fault))
    if FAULTS.index(fault) <= 3:  # a missing flag is reported, and the values are right all the same
        assert np.allclose(result, np.exp(source + source), rtol=1e-6)
    return said.decode().splitlines()


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_a_correct_kernel_is_let_pass(checked: ctypes.CDLL, rounds: int) -> None:
    assert run(checked, "none", rounds) == []
    assert run(checked, "other_bytes") == []
    assert run(checked, "cube") == []


@pytest.mark.parametrize("fault", list(EXPECTED))
def test_a_fault_is_found_with_its_place(checked: ctypes.CDLL, fault: str) -> None:
    said = run(checked, fault)
    assert said
    assert re.search(EXPECTED[fault], said[0]), said
    assert re.match(r".*checked\.cpp:\d+: pto check: block 0\.0: ", said[0])


def test_the_line_is_that_of_the_instruction(checked: ctypes.CDLL) -> None:
    lines = (HERE / "kernels" / "checked.cpp").read_text().splitlines()
    add = next(number for number, text in enumerate(lines, 1) if "TADD(y, x, x);" in text)
    load = next(number for number, text in enumerate(lines, 1) if "TLOAD(x, in);" in text)
    said = run(checked, "no_flag_after_load", 1)[0]
    assert f"checked.cpp:{add}: " in said
    assert f"checked.cpp:{load})" in said


def test_a_fault_does_not_outlive_its_kernel(checked: ctypes.CDLL) -> None:
    assert run(checked, "nobody_waits")
    assert run(checked, "none") == []


def test_without_a_handler_the_process_ends() -> None:
    text = (
        "#include <cstdint>\n#include <cstddef>\n#include <pto/pto-inst.hpp>\n"
        "int main() { wait_flag(PIPE_V, PIPE_S, EVENT_ID0); }\n"
    )
    made = program("main.cpp", text, "-std=c++20", "-DPTO_CHECKED")
    done = subprocess.run([str(made)], capture_output=True, text=True, check=False)
    assert done.returncode == -6
    assert "main.cpp:4: pto check: block 0.0: wait_flag(V, S, 0) for a flag that nobody has set" in done.stderr


SOFTMAX = HERE.parents[2] / "generated" / "softmax" / "a2a3" / "kernels" / "softmax.cpp"


@pytest.mark.parametrize("without", [None, "set_flag(PIPE_V, PIPE_MTE3", "wait_flag(PIPE_MTE2, PIPE_V"])
def test_generated_kernels_for_a2a3(without: str | None) -> None:
    text = SOFTMAX.read_text()
    assert without is None or without in text
    kept = [line for line in text.splitlines() if without is None or without not in line]
    main = """
        #include <vector>
        int main() {
            std::vector<float> x(11 * 4096, 1.0f), y(x.size());
            for (uint32_t block = 0; block < 2; ++block) {
                pto::cpu_sim::set_execution_context(block, 0, 1);
                softmax(y.data(), x.data(), 0, 11, 2);
            }
            pto::cpu_sim::set_execution_context(0, 0, 1);
            return y[11 * 4096 - 1] == 1.0f / 4096 ? 0 : 1;
        }
    """
    flags = ("-std=c++20", *QUICK_CHECKED, "-DPTO_CHECKED_A2A3")
    made = program("softmax.cpp", "\n".join(kept) + main, *flags)
    done = subprocess.run([str(made)], capture_output=True, text=True, check=False)
    if without is None:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == -6
        assert "pto check" in done.stderr
