"""A regular vector instruction with one wrong operand: the first error is a static_assert that says the instruction,
an operand and the rule."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from .agreement.cases import CASES, Case
from .agreement.source import CPP, HEADER
from .reading import read

FLAGS = ("-DPTO_PORTABLE", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never")
ROWS, COLS = 64, 160
SHAPES = {
    "full": "{place}, {type}, {rows}, {cols}, BLayout::RowMajor, -1, -1",
    "col": "{place}, {type}, {rows}, 1, BLayout::ColMajor, -1, 1",
    "row": "{place}, {type}, 1, {cols}, BLayout::RowMajor, 1, -1",
    "bits": "{place}, {type}, {rows}, 32, BLayout::RowMajor, -1, -1",
    "turned": "{place}, {type}, {rows}, {cols}, BLayout::ColMajor, -1, -1",
    "boxed": "{place}, {type}, {rows}, {cols}, BLayout::ColMajor, -1, -1, SLayout::RowMajor",
}
NUMBERS = {"scalar": "T(1)", "cmp": "CmpMode::EQ", "binary": "true"}
CODED = "fp8_e4m3"
"""All operands of a type that nothing computes with."""
TYPES = CPP | {CODED: "float8_e4m3_t"}
WRONGS = ("element type", "location", "layout", "boxes")
LAWFUL = {("TEXPANDS", "dst", "element type"), ("TEXPANDS", "dst", "layout"), ("TCMPS", "a", "element type")}
"""The first with the scalar of another type, the last with a scalar, which has the type of the tile."""
LAWFUL |= {("TEXPANDS", "dst", "location")}
"""Tiles in L1 are filled, too."""
LAWFUL |= {("TCMPS", "b", "layout")}
"""One element is read."""
EXPLICIT = {"TCI", "TTRI"}
"""Tile types are explicit template arguments: other tiles are no match for the call."""


def tile(kind: str, dtype: str, rows: int, wrong: str = "") -> str:
    """The type of a tile of this kind of operand, with one thing about it wrong."""
    shape = {"layout": "turned", "boxes": "boxed"}.get(wrong, kind.removeprefix("index ").replace("index", "full"))
    held = "int32_t" if kind.startswith("index") else "uint8_t" if kind == "bits" else TYPES[dtype]
    if wrong == "element type":
        held = "float" if held != "float" else "int16_t"
    place = "TileType::Mat" if wrong == "location" else "TileType::Vec"
    return f"Tile<{SHAPES[shape].format(place=place, type=held, rows=rows, cols=COLS)}>"


def candidates(wrong: str) -> Iterator[tuple[Case, str]]:
    """The longest form of each instruction, and an operand of it to be wrong about."""
    longest: dict[str, Case] = {}
    for case in CASES:
        if case.row.name not in longest or len(case.form) > len(longest[case.row.name].form):
            longest[case.row.name] = case
    for case in longest.values():
        for name in case.tiles:
            line = wrong == "layout" and case.kinds[name] in ("col", "row", "index col", "index row")
            mask = wrong == "element type" and case.row.name in ("TSEL", "TSELS") and name == "bits"
            lawful = name == "tmp" or line or mask or (case.row.name, name, wrong) in LAWFUL
            if case.row.name not in EXPLICIT and not lawful:
                yield case, name


def first_errors(text: str) -> dict[int, str]:
    """By line of the text: the first error that compiling what it says leads to."""
    said = read(text, *FLAGS).stderr
    found: dict[int, str] = {}
    line = 0
    for message in said.splitlines():
        if place := re.match(r"<stdin>:(\d+):", message):
            line = int(place[1])
        if ": error: " in message:
            found.setdefault(line, message.partition(": error: ")[2])
    return found


@pytest.mark.parametrize("wrong", [*WRONGS, CODED])
def test_the_first_error_says_instruction_operand_and_rule(wrong: str) -> None:
    lines = HEADER.partition("namespace {")[0].splitlines()
    calls: list[tuple[int, str, str]] = []
    for case, bad in candidates(wrong):
        dtype = CODED if wrong == CODED else next(name for name in ("fp32", "int32") if name in case.row.dtypes["cpu"])
        rows = ROWS + 32 * len(calls)  # tiles of its own: what failed before is not said again
        types = {name: tile(case.kinds[name], dtype, rows, wrong if name == bad else "") for name in case.tiles}
        operands = ", ".join(f"{kind}& {name}" for name, kind in types.items())
        call = f"{case.row.name}{case.templates}({', '.join(NUMBERS.get(name, name) for name in case.form)})"
        lines.append(f"namespace n{len(calls)} {{ using T = {TYPES[dtype]}; void f({operands}) {{ {call}; }} }}")
        calls.append((len(lines), case.row.name, bad))
    errors = first_errors("\n".join(lines) + "\n")
    unclear = {
        (name, bad): errors.get(line, "accepted")
        for line, name, bad in calls
        if not re.match(rf"static assertion failed: {name}: [a-z].* (must|needs?)\b", errors.get(line, ""))
    }
    assert unclear == {}
    assert len(calls) > 100
