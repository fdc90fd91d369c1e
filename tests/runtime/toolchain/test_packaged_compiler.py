"""The compiler of the extra `compiler`: the last that is looked for, with its own names of processors."""

from __future__ import annotations

import sys

import pytest

from pyptogen.runtime.toolchain import compiler
from pyptogen.runtime.toolchain.compiler import Compiler
from pyptogen.runtime.toolchain.cpu import PORTABLE, X86_LEVELS

ZIG = Compiler((sys.executable, "-m", "ziglang", "c++"), "clang", (20, 1), "")
GCC = Compiler(("/usr/bin/g++",), "gcc", (12, 2), "")
BF16 = next(level for level in X86_LEVELS if level.name == "avx512-bf16")


def test_it_is_looked_for_last() -> None:
    pytest.importorskip("ziglang")
    found = list(compiler._candidates("gcc"))
    assert found[-1] == (sys.executable, "-m", "ziglang", "c++")
    assert found[0] == ("g++",)


def test_levels_in_its_words() -> None:
    assert ZIG.level_flags(BF16.flags) == ("-mcpu=icelake_server+avx512bf16", "-mprefer-vector-width=512")
    assert ZIG.level_flags(PORTABLE.flags) == PORTABLE.flags
    assert GCC.level_flags(BF16.flags) == BF16.flags
