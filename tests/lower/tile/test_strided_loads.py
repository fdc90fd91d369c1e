"""Rows of every few elements: how platforms that move runs of elements load them."""

from __future__ import annotations

import pytest

from lower.small_programs import instructions, program_of
from pyptogen.lower import pipeline
from pyptogen.lower.instruction.ir import InstrKernel, Pattern

SPEC = """\
pyptogen: 1
operator: every
dims: {rows: {min: 1, max: 4096}}
inputs:
  x: DTYPE[rows, WIDTH]
outputs:
  y: DTYPE[rows, COLS]
graph:
  y: x[:, FIRST::STEP] + x[:, FIRST::STEP]
tiling:
  - {rows: 16}
"""


def kernel_of(dtype: str, cols: int, first: int, step: int, target: str = "a2a3") -> InstrKernel:
    sizes = {"DTYPE": dtype, "WIDTH": cols * step, "COLS": cols, "FIRST": first, "STEP": step}
    text = SPEC
    for word, value in sizes.items():
        text = text.replace(word, str(value))
    (kernel,) = pipeline.lower(program_of(text), target).instructions
    return kernel


def names(kernel: InstrKernel) -> list[str]:
    return [i.name for i in instructions(kernel) if i.name in ("TLOAD", "TGATHER", "TTRANS")]


@pytest.mark.parametrize(("step", "pattern"), [(2, "P0101"), (4, "P0001")])
@pytest.mark.parametrize("cols", [64, 52])
def test_all_elements_are_loaded_and_a_pattern_selects(cols: int, step: int, pattern: str) -> None:
    """At once where the selected rows are whole 32 bytes, else row by row: `names` counts an instruction once."""
    kernel = kernel_of("fp32", cols, 1, step)
    assert names(kernel) == ["TLOAD", "TGATHER"]
    (gather,) = (i for i in instructions(kernel) if i.name == "TGATHER")
    assert [o.name for o in gather.operands if isinstance(o, Pattern)] == [pattern]


def test_other_steps_and_bytes_are_turned_on_chip() -> None:
    assert "TTRANS" in names(kernel_of("fp32", 64, 0, 3))
    assert "TTRANS" in names(kernel_of("int8", 64, 0, 2))


def test_the_cpu_loads_them_directly() -> None:
    assert names(kernel_of("fp32", 64, 0, 2, target="cpu")) == ["TLOAD"]
