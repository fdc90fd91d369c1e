"""Every generated kernel for a2a3 reads back from its C++ and is in order; without any one of its flags it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compiling import NIGHTLY

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.ir import Instr, walk
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.sanitize import sanitize, sanitize_files
from pyptogen.schema import load_spec

ROOT = Path(__file__).parents[2]
ALL = sorted((ROOT / "generated").glob("*/a2a3/kernels/*.cpp"))
HALVES = [file for file in ALL if "TPipe<" in file.read_text()]
"""Programs of mixed kernels, which are judged two by two."""
CUBES = [file for file in HALVES if file.stem.endswith("_cube")]
KERNELS = [file for file in ALL if file not in HALVES]
MUTATED = ("blend", "dequant_rows", "softmax", "softmax_long", "transpose_copy", "vector_add")
RING = re.compile(r"\b(TPUSH|TPOP|TFREE)<")
FLAG = re.compile(r"\b(set_flag|wait_flag|pipe_barrier)\(")


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: f"{file.parts[-4]}-{file.stem}")
def test_generated_kernels_are_in_order(file: Path) -> None:
    (report,) = sanitize(file)
    assert report.findings == ()
    assert report.instructions > 0
    assert report.name == file.stem


def beside(cube: Path) -> Path:
    """The vector program of a mixed kernel."""
    return cube.with_name(cube.name.replace("_cube.cpp", "_vec.cpp"))


@pytest.mark.parametrize("file", CUBES, ids=lambda file: file.stem)
def test_mixed_kernels_are_in_order(file: Path) -> None:
    assert beside(file) in HALVES
    (report,) = sanitize_files([file, beside(file)])
    assert report.findings == ()
    assert report.name == f"{file.stem} beside {beside(file).stem}"


def test_half_a_mixed_kernel_is_not_judged() -> None:
    assert len(CUBES) * 2 == len(HALVES)
    with pytest.raises(DiagnosticError, match="the other is not here"):
        sanitize(CUBES[0])


def test_cores_go_as_far_as_a_number_in_memory_says(tmp_path: Path) -> None:
    """Both programs read the length of a sequence; one that takes a page less than the other is seen."""
    cube = ROOT / "generated" / "paged_attention" / "a2a3" / "kernels" / "attend_to_out_cube.cpp"
    broken = tmp_path / beside(cube).name
    text = beside(cube).read_text()
    late = "-1 < pages4 && pages4 < pages"
    for less, wrong in (("", False), (" - 1", True)):
        assert text.count(late) == 1
        broken.write_text(text.replace(late, late + less))
        (report,) = sanitize_files([cube, broken])
        assert bool(report.findings) == wrong


def test_both_vector_cores_keep_step(tmp_path: Path) -> None:
    """A second vector core that leaves a loop earlier is seen; where in a slot its rows lie is not judged here."""
    cube = ROOT / "generated" / "flash_attention" / "a2a3" / "kernels" / "flash_attention_cube.cpp"
    text = beside(cube).read_text()
    broken = tmp_path / beside(cube).name
    for old, new, wrong in (
        ("kv0 < kv;", "kv0 < kv - subblock * 64;", True),
        ("setEntryOffset((", "setEntryOffset(8 + (", False),
    ):
        assert text.count(old) == 1
        broken.write_text(text.replace(old, new))
        (report,) = sanitize_files([cube, broken])
        assert any("do not keep step" in d.message for d in report.findings) == wrong


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["flash_attention/flash_attention"] if NIGHTLY else ["indexer_prolog/query_quant"])
def test_every_flag_and_fifo_of_a_mixed_kernel_is_needed(kernel: str, tmp_path: Path) -> None:
    operator, stage = kernel.split("/")
    cube = ROOT / "generated" / operator / "a2a3" / "kernels" / f"{stage}_cube.cpp"
    missed, mutants = [], 0
    for file in (cube, beside(cube)):
        lines = file.read_text().split("\n")
        for i in (i for i, line in enumerate(lines) if FLAG.search(line) or RING.search(line)):
            broken = tmp_path / file.name
            broken.write_text("\n".join([*lines[:i], "", *lines[i + 1 :]]))
            other = beside(cube) if file == cube else cube
            mutants += 1
            if not any(report.findings for report in sanitize_files([broken, other])):
                missed.append(f"{file.name}:{i + 1}: {lines[i].strip()}")
    assert missed == []
    assert mutants > 40


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
