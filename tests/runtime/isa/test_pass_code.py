"""What a pass over an accumulator is compiled to where there is a matrix unit: loops that call nothing.

A call leaves no vector register as it was; everything that lives longer goes to memory and back for every vector.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from pyptogen.runtime.toolchain.compiler import find_compiler

from . import emulated
from .conftest import QUIET, kernels_for

WALKS = """
#include <pto/pto-inst.hpp>
using namespace pto;
using Column = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using Rows = Tile<TileType::Vec, float, 64, 512, BLayout::RowMajor, DYNAMIC, 512>;

void walks(int rows, int cols, float scale)
{
    TileAcc<float, 64, 512, DYNAMIC, DYNAMIC> scores(rows, cols);
    TASSIGN(scores, 0);
    TileLeft<bfloat16_t, 64, 512, DYNAMIC, DYNAMIC> weights(rows, cols);
    TASSIGN(weights, 0);
    Column most(rows), sum(rows);
    TASSIGN(most, 0);
    TASSIGN(sum, 1024);
    Rows total(rows);
    TASSIGN(total, 2048);
    TPASS(rows, cols, [&](auto at, auto &greatest) {
        greatest.take(at, at.extract(scores, 0) * at.all(scale));
    }, RowMax(most));
    TPASS<4>(rows, cols, [&](auto at, auto &added, auto &taken) {
        const auto weight = at.exp(at.extract(scores, 0) - at.column(most));
        added.take(at, weight);
        taken.take(at, weight);
    }, RowSum(sum), LeftRows(weights));
    TPASS(rows, cols, [&](auto at) { at.store(total, at.load(total) + at.extract(scores, 0)); });
}
"""


def loops(assembler: str) -> list[list[str]]:
    """The instructions of innermost loops that work on whole vectors, as the compiler writes them. Between the ends of
    some it has put code that is not theirs, behind a jump away: those are left out."""
    lines = [line.strip() for line in assembler.splitlines()]
    labels = {line[:-1]: at for at, line in enumerate(lines) if re.fullmatch(r"\.L\w+:", line)}
    found = []
    for at, line in enumerate(lines):
        jump = re.fullmatch(r"j\w+\s+(\.L\w+)", line)
        if jump and labels.get(jump[1], at) < at:
            found.append((labels[jump[1]], at))

    def leaves(a: int, b: int) -> bool:
        jumps = (re.fullmatch(r"jmp\s+(\.L\w+)", line) for line in lines[a:b])
        return any(jump and not a <= labels.get(jump[1], -1) <= b for jump in jumps)

    innermost = [(a, b) for a, b in found if not any(a <= c and d < b for c, d in found)]
    bodies = [lines[a:b] for a, b in innermost if not leaves(a, b)]
    return [body for body in bodies if any("%zmm" in line for line in body)]


def test_loops_over_an_accumulator_call_nothing(tmp_path: Path) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the matrix unit is one of x86-64")
    kernels = kernels_for(find_compiler(), ("-O2", *emulated.WITH_UNIT, *QUIET))
    toolchain, source = kernels.toolchain, tmp_path / "walks.cpp"
    source.write_text(WALKS)
    include = toolchain.headers.include_flags(toolchain.cache)
    said = toolchain.compiler.run([*toolchain.flags, *include, "-S", str(source), "-o", str(tmp_path / "walks.s")])
    assert said.returncode == 0, said.stderr
    bodies = loops((tmp_path / "walks.s").read_text())
    exponentials = [body for body in bodies if any("vperm" in line for line in body)]
    assert exponentials, "no loop that computes exponentials was found"
    calls = [line for body in bodies for line in body if line.startswith("call")]
    assert not calls
