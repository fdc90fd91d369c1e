"""Addresses: no tile is overwritten while somebody still reads it, and results replace only what they may."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings

from lower.block.chains import chains, clobbered, trace, wrong_reuse
from lower.small_programs import TARGETS, elementwise, elementwise_arrays, lowered
from pyptogen.lower import pipeline
from pyptogen.lower.instruction.ir import Instr, InstrKernel, declarations
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tensor import interpret as golden

MEMORY_OF = {"Vec": "ub", "Mat": "l1", "Left": "l0a", "Right": "l0b", "Acc": "l0c"}


def step_of(kernel: InstrKernel, name: str) -> Instr:
    return next(step.instr for step in trace(kernel, 1) if step.instr.name == name)


@pytest.mark.parametrize("target", TARGETS)
@example(graph="v0: x / (abs(s) + 1)\ny: z + v0")  # a result that fits 32 bytes below the operand that dies
@given(graph=chains())
@settings(max_examples=40, deadline=None)
def test_random_chains(target: str, graph: str) -> None:
    program = elementwise(graph)
    result = pipeline.lower(program, target)
    for kernel in result.instructions:
        steps = trace(kernel, 2)
        assert clobbered(steps) == []
        assert [text for step in steps for text in wrong_reuse(step)] == []
    arrays = elementwise_arrays(11)
    np.testing.assert_array_equal(interpret(result, arrays)["y"], golden(program, arrays)["y"])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "matmul_fp32", "matmul_bf16", "matmul_int8", "fused"])
def test_the_library(name: str, target: str) -> None:
    for kernel in lowered(name, target).instructions:
        steps = trace(kernel, 2)
        assert clobbered(steps) == []
        assert [text for step in steps for text in wrong_reuse(step)] == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "matmul_bf16", "matmul_int8", "indexer_prolog", "fused"])
def test_places(name: str, target: str) -> None:
    """Aligned, inside the memory, and no larger than what the report says."""
    sizes = PLATFORMS[target].memories
    for kernel in lowered(name, target).instructions:
        occupancy = dict(kernel.occupancy)
        for tile in declarations(kernel).values():
            start = tile.address.constant
            if start is None:
                continue
            memory = MEMORY_OF[tile.type.loc]
            assert start % (32 if memory == "ub" else 512) == 0
            assert start + tile.size <= occupancy[memory] <= sizes[memory]  # type: ignore[index]
            rows = tile.type.cols if tile.type.col_major else tile.type.rows
            assert rows >= 1
            assert tile.cols.size * DTYPES[tile.type.dtype] <= tile.size


def test_the_second_opinion_sees_what_it_should() -> None:
    (kernel,) = pipeline.lower(elementwise("a: x + z\nb: exp(a)\ny: a * b"), "cpu").instructions
    steps = trace(kernel, 2)
    assert clobbered(steps) == []
    held = next(s for s in steps if s.instr.name == "TEXP")
    (result,), (source,) = held.writes, held.reads
    moved = replace(result, address=source.address + 32)
    broken = [
        replace(
            s,
            reads=tuple(moved if t.name == result.name else t for t in s.reads),
            writes=tuple(moved if t.name == result.name else t for t in s.writes),
        )
        for s in steps
    ]
    assert clobbered(broken) != []
    assert [text for s in broken for text in wrong_reuse(s)] != []


def test_results_take_the_place_of_what_dies() -> None:
    (kernel,) = pipeline.lower(elementwise("y: exp(abs(x + z))"), "cpu").instructions
    tiles = declarations(kernel)
    place = {step_of(kernel, name).operands[0] for name in ("TADD", "TABS", "TEXP")}
    assert len({tiles[str(name)].address for name in place}) == 1


@pytest.mark.parametrize(
    ("graph", "name", "operand"),
    [
        ("m: amax(x, axis=-1, keepdim=true)\ny: x - m", "TROWEXPANDSUB", 2),
        ("y: x * c", "TCOLEXPANDMUL", 2),
        ("m: amax(x, axis=-1, keepdim=true)\ny: z + m", "TROWMAX", 1),
        ("y: cast(cast(x, bf16), fp32)", "TCVT", 1),
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_what_must_not_be_overwritten(target: str, graph: str, name: str, operand: int) -> None:
    """A broadcast operand is read again for later rows, a reduction's and a cast's operand at other addresses."""
    (kernel,) = pipeline.lower(elementwise(graph, tile=16), target).instructions
    tiles = declarations(kernel)
    instr = step_of(kernel, name)
    result, source = tiles[str(instr.operands[0])], tiles[str(instr.operands[operand])]
    assert result.address != source.address


def test_an_operand_that_is_needed_again_stays() -> None:
    (kernel,) = pipeline.lower(elementwise("e: exp(x)\ny: e + x"), "cpu").instructions
    tiles = declarations(kernel)
    instr = step_of(kernel, "TEXP")
    assert tiles[str(instr.operands[0])].address != tiles[str(instr.operands[1])].address
