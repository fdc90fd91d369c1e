"""The rules of operands as the bundled headers check them: `pto/cpu/isa/operands.hpp`, one macro for each instruction
and number of operands, made of the rules of `pto/cpu/isa/operand_rules.hpp`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyptogen.lower.isa.element_types import set_name, spelled
from pyptogen.lower.isa.instruction import EVERY, Types
from pyptogen.lower.isa.operand_rules import (
    CONV_TILES,
    LOCATIONS,
    Like,
    Operand,
    Place,
    row_of,
    ruled_names,
    rules_of,
)

_HEADER = """\
// What each instruction asks of its operands: PTO_OPERANDS(TADD, dst, src0, src1) stands first in TADD and becomes
// static_asserts. The operands are the tiles and GlobalTensors of the call form in its order; those that nothing is
// asked of are left out.
//
// {written}
#pragma once

#include <pto/cpu/isa/operand_rules.hpp>

// clang-format off
// NAME may be a macro, which the paste does not expand: checked mode renames the instructions.
#define PTO_OPERANDS(NAME, ...) PTO_OPERANDS_OF(PTO_OPERANDS_##NAME, PTO_COUNT(__VA_ARGS__), __VA_ARGS__)
#define PTO_OPERANDS_OF(START, COUNT, ...) PTO_OPERANDS_WITH(START, COUNT, __VA_ARGS__)
#define PTO_OPERANDS_WITH(START, COUNT, ...) START##_##COUNT(__VA_ARGS__)
#define PTO_COUNT(...) PTO_COUNT_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1)
#define PTO_COUNT_OF(A, B, C, D, E, F, COUNT, ...) COUNT

"""

_PLAIN: tuple[Place, ...] = ("alike", "rows", "vec", "line")
"""Places of plain tiles in UB."""
_WORDS: Mapping[Place, str] = {
    "near": "a Vec or Mat tile",
    "fifo": "a Vec, Mat or Acc tile",
    "acc": "an Acc tile",
    "left": "a Left tile",
    "open": "a tile that is not Left or Right: the matrix unit alone reads those",
    "bytes": "a tile that is not Left, Right or Acc: TEXTRACT takes parts of those",
    "tile": "a tile",
    "data": "a tile or a ConvTile",
    "conv": "a ConvTile",
}
"""Places of tiles that are not all plain ones in UB, for people."""


def rendered_sets() -> set[Types]:
    """The sets of element types that the header names."""
    return {
        operand.types
        for name in ruled_names()
        for operands in rules_of(name)
        for operand in operands
        if not isinstance(operand.types, Like)
    }


def render(written: str) -> str:
    """The header; ``written`` says where it is from."""
    lines = [_places()]
    for name in ruled_names():
        for operands in rules_of(name):
            names = ", ".join(operand.name.upper() for operand in operands)
            rules = " \\\n".join(f"    {rule}" for rule in _rules(row_of(name).name, operands))
            lines.append(f"#define PTO_OPERANDS_{name}_{len(operands)}({names}) \\\n{rules}\n")
    return _HEADER.format(written=written) + "".join(lines)


def _set_of(place: Place) -> str:
    return f"kIn{place.capitalize()}"


def _places() -> str:
    """The sets of places, each as what it has, or as what it lacks of all locations."""
    lines = []
    for place in _WORDS:
        lacking = [loc for loc in LOCATIONS["tile"] if loc not in LOCATIONS[place]]
        short = len(lacking) < len(LOCATIONS[place])
        bits = " | ".join(f"place_bit(TileType::{loc})" for loc in (lacking if short else LOCATIONS[place]))
        tiles = f"(kAnywhere & ~({bits}))" if short and lacking else "kAnywhere" if short else bits
        text = " | ".join((*([tiles] if tiles else []), *(["kConvTile"] if place in CONV_TILES else [])))
        lines.append(f"constexpr Places {_set_of(place)} = {text};\n")
    return "".join(["namespace pto::cpu {\n", *lines, "}  // namespace pto::cpu\n\n"])


def _rules(name: str, operands: Sequence[Operand]) -> Iterator[str]:
    """Places, then element types that operands share, layouts, element types: what is said first tells most."""

    quoted = f'"{name}"'

    def each(macro: str, *places: Place) -> Iterator[str]:
        return (rule(macro, operand) for operand in operands if operand.place in places)

    def rule(macro: str, operand: Operand, *words: str) -> str:
        return f"PTO_EXPECT_{macro}({', '.join((quoted, *words, operand.name.upper()))})"

    yield from each("VEC", *_PLAIN)
    for operand in operands:
        place: Place = "tile" if operand.place in ("shape", "view") else operand.place
        if place in _WORDS:
            yield rule("PLACE", operand, _set_of(place), f'"{_WORDS[place]}"')
    yield from each("GLOBAL", "gm")
    for operand in operands:
        if isinstance(operand.types, Like):
            macro = "ELEMENT_SIZE" if operand.types.of_size else "ELEMENT_TYPE"
            yield rule(macro, operand, operand.types.operand.upper())
    alike = [operand for operand in operands if operand.place == "alike"]
    yield from (rule("LAYOUT", operand, alike[0].name.upper()) for operand in alike[1:])
    first = operands[0].name.upper()
    for operand in operands:
        if operand.place in ("shape", "view"):
            yield rule("MEMORY", operand, first)
            yield rule("FRACTALS" if operand.place == "shape" else "ORDER", operand, first)
    yield from each("ROW_MAJOR", "rows", "line")
    yield from each("ONE_ROW", "line")
    for operand in operands:
        if not isinstance(operand.types, Like) and operand.types != EVERY:
            yield rule("ELEMENTS", operand, set_name(operand.types), f'"{spelled(operand.types)}"')
