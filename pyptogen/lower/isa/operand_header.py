"""The rules of operands as the bundled headers check them: `pto/cpu/isa/operands.hpp`, one macro for each instruction
and number of tiles, made of the rules of `pto/cpu/vector/operand_rules.hpp`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyptogen.lower.isa.element_types import set_name, spelled
from pyptogen.lower.isa.instruction import EVERY, Types
from pyptogen.lower.isa.operand_rules import Operand, ruled_instructions, rules_of

_HEADER = """\
// What each instruction asks of its tiles: PTO_OPERANDS(TADD, dst, src0, src1) stands first in TADD and becomes
// static_asserts. The operands are the tiles of the call form in its order, those that nothing is asked of left out.
//
// {written}
#pragma once

#include <pto/cpu/isa/element_types.hpp>
#include <pto/cpu/vector/operand_rules.hpp>

// clang-format off
// NAME may be a macro, which the paste does not expand: checked mode renames the instructions.
#define PTO_OPERANDS(NAME, ...) PTO_OPERANDS_OF(PTO_OPERANDS_##NAME, PTO_COUNT(__VA_ARGS__), __VA_ARGS__)
#define PTO_OPERANDS_OF(START, COUNT, ...) PTO_OPERANDS_WITH(START, COUNT, __VA_ARGS__)
#define PTO_OPERANDS_WITH(START, COUNT, ...) START##_##COUNT(__VA_ARGS__)
#define PTO_COUNT(...) PTO_COUNT_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1)
#define PTO_COUNT_OF(A, B, C, D, E, F, COUNT, ...) COUNT

"""


def rendered_sets() -> set[Types]:
    """The sets of element types that the header names."""
    return {
        operand.types
        for row in ruled_instructions()
        for operands in rules_of(row)
        for operand in operands
        if not isinstance(operand.types, str)
    }


def render(written: str) -> str:
    """The header; ``written`` says where it is from."""
    lines = []
    for row in ruled_instructions():
        for operands in rules_of(row):
            names = ", ".join(operand.name.upper() for operand in operands)
            rules = " \\\n".join(f"    {rule}" for rule in _rules(row.name, operands))
            lines.append(f"#define PTO_OPERANDS_{row.name}_{len(operands)}({names}) \\\n{rules}\n")
    return _HEADER.format(written=written) + "".join(lines)


def _rules(name: str, operands: Sequence[Operand]) -> Iterator[str]:
    """Places, then element types that operands share, layouts, element types: what is said first tells most."""

    def those(*places: str) -> list[str]:
        return [operand.name.upper() for operand in operands if operand.place in places]

    def rule(macro: str, *words: str) -> str:
        return f'PTO_EXPECT_{macro}("{name}", {", ".join(words)})'

    if those("alike", "rows", "vec"):
        yield rule("VEC", *those("alike", "rows", "vec"))
    for reference in dict.fromkeys(operand.types for operand in operands if isinstance(operand.types, str)):
        same = [operand.name.upper() for operand in operands if operand.types == reference]
        yield rule("ELEMENT_TYPE", reference.upper(), *same)
    if len(those("alike")) > 1:
        yield rule("LAYOUT", *those("alike"))
    if those("rows"):
        yield rule("ROW_MAJOR", *those("rows"))
    for operand in operands:
        if not isinstance(operand.types, str) and operand.types != EVERY:
            types = f'{set_name(operand.types)}, "{spelled(operand.types)}"'
            yield rule("ELEMENTS", types, operand.name.upper())
