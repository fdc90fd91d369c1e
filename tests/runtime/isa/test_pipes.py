"""The pipe of an instruction, by where its operands lie: in the compiler and in checked mode as the notes on
synchronisation and the public headers say."""

from __future__ import annotations

import subprocess

import pytest

from pyptogen.lower.isa import pipe_of

from .conftest import INCLUDE, compiler

PIPES = {
    ("TLOAD", "Vec", ""): "MTE2",
    ("TLOAD", "Mat", ""): "MTE2",
    ("TSTORE", "", "Vec"): "MTE3",
    ("TSTORE", "", "Acc"): "FIX",
    ("TMOV", "Left", "Mat"): "MTE1",
    ("TMOV", "Bias", "Mat"): "MTE1",
    ("TMOV", "Scaling", "Mat"): "FIX",
    ("TMOV", "Vec", "Acc"): "FIX",
    ("TMOV", "Mat", "Acc"): "FIX",
    ("TMOV", "Vec", "Vec"): "V",
    ("TMOV", "Mat", "Vec"): "MTE3",
    ("TEXTRACT", "Right", "Mat"): "MTE1",
    ("TINSERT", "Mat", "Acc"): "FIX",
    ("TMATMUL", "Acc", "Left"): "M",
    ("TADD", "Vec", "Vec"): "V",
    ("TEXPANDS", "Vec", ""): "V",
    ("TEXPANDS", "Mat", ""): "MTE2",
    ("TFILLPAD", "Mat", "Mat"): "MTE2",
    ("TCI", "Vec", ""): "S",
    ("TIMG2COL", "Left", "Mat"): "MTE1",
    ("MGATHER", "Vec", ""): "V",
    ("MGATHER", "Mat", ""): "MTE2",
    ("MSCATTER", "", "Vec"): "V",
    ("TPUSH", "", "Acc"): "FIX",
    ("TPUSH", "", "Vec"): "MTE3",
    ("TPOP", "Vec", ""): "MTE2",
}
"""(instruction, memory of the first operand, of the second one); no memory: no tile."""


@pytest.mark.parametrize(("call", "pipe"), PIPES.items())
def test_the_compiler_knows_it(call: tuple[str, str, str], pipe: str) -> None:
    name, target, source = call
    assert pipe_of(name, source, target) == pipe


def test_checked_mode_knows_it() -> None:
    lines = ["#include <pto/pto-inst.hpp>", "using namespace pto;", "using namespace pto::cpu::checked;"]
    for number, ((name, *locs), pipe) in enumerate(PIPES.items()):
        places = ", ".join(f"int(TileType::{loc})" if loc else "kNoTile" for loc in locs)
        lines.append(f"constexpr int at{number}[] = {{{places}}};")
        lines.append(f'static_assert(pipe_of_call({name}_rule.pipe, at{number}, 2) == PIPE_{pipe}, "{name} {locs}");')
    command = [
        compiler(),
        "-std=c++20",
        "-fsyntax-only",
        "-DPTO_PORTABLE",
        "-DPTO_CHECKED",
        f"-I{INCLUDE}",
        "-xc++",
        "-",
    ]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    assert done.stderr == ""
