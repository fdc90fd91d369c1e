"""Every generated kernel for a2a3 reads back from its C++ and is in order; without any one of its flags it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.ir import Instr, walk
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.sanitize import sanitize
from pyptogen.schema import load_spec

ROOT = Path(__file__).parents[2]
ALL = sorted((ROOT / "generated").glob("*/a2a3/kernels/*.cpp"))
HALVES = [file for file in ALL if "TPipe<" in file.read_text()]
"""Programs of mixed kernels: what orders them may lie in the other file, so the lowering proves them together."""
KERNELS = [file for file in ALL if file not in HALVES]
MUTATED = ("blend", "dequant_rows", "softmax", "softmax_long", "transpose_copy", "vector_add")
FLAG = re.compile(r"\b(set_flag|wait_flag|pipe_barrier)\(")


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: f"{file.parts[-4]}-{file.stem}")
def test_generated_kernels_are_in_order(file: Path) -> None:
    (report,) = sanitize(file)
    assert report.findings == ()
    assert report.instructions > 0
    assert report.name == file.stem


@pytest.mark.parametrize("file", HALVES, ids=lambda file: file.stem)
def test_halves_of_mixed_kernels_are_not_judged(file: Path) -> None:
    with pytest.raises(DiagnosticError, match="PTG306"):
        sanitize(file)


def test_it_sees_every_instruction() -> None:
    """One round of the vector_add loop: as many instructions as the IR has."""
    kernel = lower(from_spec(load_spec(ROOT / "specs" / "vector_add.yaml")), "a2a3").instructions[0]
    there = sum(isinstance(node, Instr) for node in walk(kernel.body))
    (report,) = sanitize(ROOT / "generated" / "vector_add" / "a2a3" / "kernels" / "vector_add.cpp")
    assert report.instructions == 3 * there  # the longest walk has three rounds


@pytest.mark.parametrize("name", MUTATED)
def test_every_flag_is_needed(name: str, tmp_path: Path) -> None:
    for file in sorted((ROOT / "generated" / name / "a2a3" / "kernels").glob("*.cpp")):
        lines = file.read_text().split("\n")
        flags = [i for i, line in enumerate(lines) if FLAG.search(line)]
        assert flags
        missed = []
        for i in flags:
            broken = tmp_path / "broken.cpp"
            broken.write_text("\n".join([*lines[:i], "", *lines[i + 1 :]]))
            if not any(report.findings for report in sanitize(broken)):
                missed.append(f"{file.name}:{i + 1}: {lines[i].strip()}")
        assert missed == []
