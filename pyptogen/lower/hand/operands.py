"""Where the operands of instructions by hand lie: in a memory that the instruction works on, and a result
not on elements that are still to be read.

The compiler's own tiles do so by construction; addresses and memories that an author gives have to be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.block.ir import Buffer
from pyptogen.lower.instruction.ir import Declare, GmWindow, Instr, Node, walk
from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES

_NAMES = {"Vec": "UB", "Mat": "L1", "Left": "L0A", "Right": "L0B", "Acc": "L0C"}


def check(
    body: tuple[Node, ...], declared: Mapping[str, Declare], buffers: Mapping[str, Buffer], platform: Platform
) -> None:
    """Every instruction of a kernel by hand.

    Raises:
        DiagnosticError: PTG303, an operand lies in a memory that the instruction does not work on; PTG304, a result
            takes the place of an operand before that is read.
    """
    for node in walk(body):
        if isinstance(node, Instr):
            _check_memories(node, declared, platform)
            _check_overlap(node, buffers)


def _check_memories(instr: Instr, declared: Mapping[str, Declare], platform: Platform) -> None:
    tiles = [operand for operand in instr.operands if isinstance(operand, str)]
    for tile, wanted in zip(tiles, _memories(instr, [declared[t].type.loc for t in tiles], platform), strict=True):
        if declared[tile].type.loc not in wanted:
            places = " or ".join(_NAMES[loc] for loc in wanted)
            raise fault(
                "PTG303",
                f"{instr.name} on `{tile}`, which lies in {_NAMES[declared[tile].type.loc]}",
                instr.span,
                expected=f"a buffer in {places}",
            )


def _memories(instr: Instr, given: Sequence[str], platform: Platform) -> list[tuple[str, ...]]:
    """For each tile of an instruction, the memories that it may lie in; those given, where nothing is known."""
    pipe = INSTRUCTIONS[instr.name].pipe
    if instr.name == "TLOAD":
        return [("Vec", "Mat", *(("Left", "Right") if platform.operands_from_gm else ()))]
    if instr.name == "TSTORE":
        return [("Vec", "Acc"), *(("Vec", "Scaling") for _ in given[1:])]
    if pipe == "V" and (given[0] != "Mat" or len(given) > 1):
        return [("Vec",)] * len(given)
    if pipe == "M" and len(given) == 3:
        return [("Acc",), ("Left",), ("Right",)]
    return [(loc,) for loc in given]


def _check_overlap(instr: Instr, buffers: Mapping[str, Buffer]) -> None:
    """Of a vector instruction, which reads and writes some elements after others."""
    if instr.pipe != "V":
        return
    accessed = [operand for operand in instr.operands if isinstance(operand, str | GmWindow)]
    effects = INSTRUCTIONS[instr.name].effects_for(len(accessed))
    tiles = [(effect, buffers[o]) for effect, o in zip(effects, accessed, strict=True) if isinstance(o, str)]
    for written, result in tiles:
        for read, operand in tiles:
            in_place = written == "w" and instr.name != "TTRANS"
            if written in "wt" and read == "r" and _is_overwritten(operand, result, in_place):
                raise _on_a_part(instr, result, operand)


def _is_overwritten(operand: Buffer, result: Buffer, in_place: bool) -> bool:
    """Whether bytes of the operand are written before they are read. They are not, of an instruction that may work in
    place, where both begin at one byte and no row of the result is longer."""
    apart = operand.address + operand.size <= result.address or result.address + result.size <= operand.address
    if operand.memory != result.memory or apart:
        return False
    longer = result.pitch * DTYPES[result.dtype] > operand.pitch * DTYPES[operand.dtype]
    return not in_place or operand.address != result.address or longer


def _on_a_part(instr: Instr, result: Buffer, operand: Buffer) -> DiagnosticError:
    first = max(result.address, operand.address)
    last = min(result.address + result.size, operand.address + operand.size)
    return fault(
        "PTG304",
        f"{instr.name} writes `{result.name}` over `{operand.name}` while it reads that: bytes {first:#x} to {last:#x}",
        instr.span,
        expected="a result or scratch apart from the operand, or a result on it element by element",
        fix=f"move `{result.name}`, such as to address {operand.address + operand.size:#x}",
    )
