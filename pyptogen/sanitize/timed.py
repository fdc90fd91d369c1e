"""A walk through a C++ kernel as the model of the device takes it (`pyptogen.simulate.device`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from pyptogen.lower.instruction.ir import Barrier, Instr, SetFlag, WaitFlag
from pyptogen.lower.isa.cost import Bursts, Shape, price
from pyptogen.lower.platforms.timing import Timing
from pyptogen.sanitize.check import kernels_of
from pyptogen.sanitize.machine import Machine
from pyptogen.sanitize.parser import parse
from pyptogen.sanitize.preprocess import tokens_of
from pyptogen.sanitize.regions import Use
from pyptogen.sanitize.targets import TARGETS
from pyptogen.sanitize.trace import Trace
from pyptogen.sanitize.values import ScalarType
from pyptogen.simulate.device.program import InstrStream, Recorder

MOST_INSTRUCTIONS = 1_000_000
_NAMES = {"half": "fp16", "float": "fp32", "bfloat16_t": "bf16", "int8_t": "int8", "int32_t": "int32"}


def walk_of_file(
    path: str | os.PathLike[str], core: Literal["CUBE", "VEC"], given: Mapping[str, int], target: str = "a2a3"
) -> Trace:
    """What a core does that runs block 0 of the first kernel of a C++ file.

    Args:
        path: the file.
        core: which core.
        given: run-time arguments by name; what is not given is taken as one iteration, and as true.
        target: the device.

    Raises:
        DiagnosticError: PTG306 the file has constructs that are not followed, or no kernel.
    """
    program = parse(tokens_of(os.fspath(path), TARGETS[target].macros(core)))
    _, function, arguments = next(kernels_of(program, core, target))
    trace = Trace(most=MOST_INSTRUCTIONS)
    machine = Machine(program, 1, "then", 1 << 20, {"get_block_idx": 0, **given}, core, target, trace)
    return machine.run(function, arguments)


def stream_of(trace: Trace, kind: str, timing: Timing) -> InstrStream:
    """What a walk did, with what each instruction costs. Tensors in GM are told apart by the tiles that they fill."""
    recorder = Recorder(kind)
    for node in trace.nodes:
        if isinstance(node, Instr):
            uses = trace.uses[id(node)]
            shapes = tuple(_shape(use) for use in uses if use.tile is not None)
            if not shapes:
                continue
            in_gm = next((use for use in uses if use.tile is None), None)
            window = None if in_gm is None else _bursts(shapes[0], in_gm)
            tensor = "" if in_gm is None else next(use.name for use in uses if use.tile is not None)
            cost = price(node.name, node.pipe, shapes, window, timing)
            work = partial(recorder.run, node.pipe, node.name, cost, tensor)
            handover = trace.handovers.get(id(node))
            if handover is None:
                work()
            else:
                first = not any(region.memory == "Acc" for region in trace.accessed[id(node)][0])
                recorder.hand_over(work, "store" if node.pipe == "FIX" else "product", handover.place[0], first)
        elif isinstance(node, SetFlag):
            recorder.set(node.src, node.dst, node.event)
        elif isinstance(node, WaitFlag):
            recorder.wait(node.src, node.dst, node.event)
        elif isinstance(node, Barrier):
            recorder.barrier(node.pipe)
    return recorder.stream()


def _shape(use: Use) -> Shape:
    kind = use.tile
    assert kind is not None
    rows, cols = (
        valid if isinstance(valid, int) and valid >= 0 else size
        for valid, size in zip(use.extents, (kind.rows, kind.cols), strict=True)
    )
    element: Any = kind.element
    static = kind.valid == (kind.rows, kind.cols)
    name = _NAMES.get(element.name, element.name)
    pitch = kind.cols if kind.row_major else kind.rows
    return Shape(kind.loc, name, element.size, rows, cols, pitch, kind.row_major, static)


def _bursts(shape: Shape, window: Use) -> Bursts:
    """A transfer's bursts, taken to be the lines of the tile: a walk knows no strides in GM."""
    size = window.element.size if isinstance(window.element, ScalarType) else shape.size
    if window.name == "NZ":
        return Bursts(-(-int(shape.cols * size) // 32), shape.rows * 32.0)
    by_column = window.name == "DN" if shape.loc == "Mat" else not shape.row_major
    lines, line = (shape.cols, shape.rows) if by_column else (shape.rows, shape.cols)
    return Bursts(lines, line * size)
