"""Rows of every few elements: how platforms that move runs of elements load them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lower.small_programs import instructions, program_of
from pyptogen.diagnostics import Span
from pyptogen.lower import pipeline
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import InstrKernel, Pattern
from pyptogen.lower.tile.ir import Extent, GmRef, Loop
from pyptogen.lower.tile.ops import Load, Pop, Store
from pyptogen.lower.tile.strided_loads import runs
from pyptogen.simulate.graph import interpret

SPAN = Span("", 1, 1, 1, 1)

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


def test_other_steps_and_bytes_are_transposed_on_chip() -> None:
    assert "TTRANS" in names(kernel_of("fp32", 64, 0, 3))
    assert "TTRANS" in names(kernel_of("int8", 64, 0, 2))


def test_the_cpu_loads_them_directly() -> None:
    assert names(kernel_of("fp32", 64, 0, 2, target="cpu")) == ["TLOAD"]


TURNS = """\
pyptogen: 1
operator: turns
dims: {rows: {min: 1, max: 4096}}
inputs: {x: "fp32[rows, 132]"}
outputs: {y: "fp32[rows, COLS]"}
graph: {y: "GRAPH"}
tiling: [{rows: 16}]
"""


@pytest.mark.parametrize(
    ("graph", "loads", "patterns"),
    [
        ("x[:, 1:129:4] * x[:, 3:131:4] - x[:, 2:130:4]", 1, ["P0001", "P0010", "P0100"]),
        ("x[:, 1::2] - x[:, 0::2]", 1, ["P0101", "P1010"]),
        ("x[:, 0:128:4] - x[:, 4:132:4]", 2, ["P0001", "P0001"]),
        ("x[:, 0:64:2] - x[:, 1:129:4]", 2, ["P0001", "P0101"]),
    ],
    ids=["three of four", "the second first", "a step apart", "other steps"],
)
def test_loads_that_take_turns_are_one(graph: str, loads: int, patterns: list[str]) -> None:
    program = program_of(TURNS.replace("GRAPH", graph).replace("COLS", "66" if "::2" in graph else "32"))
    lowered = pipeline.lower(program, "a2a3")
    (kernel,) = lowered.instructions
    assert names(kernel).count("TLOAD") == loads
    chosen = (o.name for i in instructions(kernel) if i.name == "TGATHER" for o in i.operands if isinstance(o, Pattern))
    assert sorted(chosen) == patterns
    x = np.random.default_rng(5).normal(size=(37, 132)).astype(np.float32)
    want = eval(graph, {"x": x})  # a slice is written as in numpy
    np.testing.assert_array_equal(interpret(lowered, {"x": x})["y"], want)


def window(offset: int) -> GmRef:
    return GmRef("x", Poly.of("r0") * 64 + offset, Poly.of(64), Poly.of(2), Extent(8), Extent(32))


def load(dst: str, offset: int) -> Load:
    return Load(dst, (), SPAN, "s", window(offset))


def test_what_is_written_between_is_loaded_again() -> None:
    """An update in place of the tensor, also deep in a loop; one of another tensor is none."""
    even, odd, store = load("even", 0), load("odd", 1), Store(None, ("t",), SPAN, "s", window(0))
    update = Loop("i", "i", Poly.of(0), Poly.of(4), 1, None, "sub", False, (store,), SPAN)
    for written in (store, update, Pop(None, (), SPAN, "s", "x")):
        found = runs([even, written, odd], lambda _: True)
        assert list(found) == [0, 2]
        assert found[0] is not found[2]
    elsewhere = replace(store, gm=replace(store.gm, tensor="y"))
    found = runs([even, elsewhere, odd], lambda _: True)
    assert found[0] is found[2]


def test_loops_in_a_row_have_the_room_one_after_the_other() -> None:
    """Five halves of rows, copied one after another: each takes a quarter of UB for the elements between."""
    parts = ", ".join(f"reshape({name}[:, ::2], [1, rows, 256])" for name in "abcde")
    text = f"""\
pyptogen: 1
operator: halves
dims: {{rows: {{min: 1, max: 4096}}}}
inputs: {{{", ".join(f'{name}: "fp32[rows, 512]"' for name in "abcde")}}}
outputs: {{y: "fp32[5, rows, 256]"}}
graph: {{y: "concat({parts}, axis=0)"}}
"""
    (kernel,) = pipeline.lower(program_of(text), "a2a3").instructions
    assert names(kernel) == ["TLOAD", "TGATHER"] * 5
